"""Linear systems of a set of examples that changes by a few members at a time, as those of MSVM_Av do."""

from __future__ import annotations

import numpy as np

from mdcore.solvers.arrays import Array, Index, Mask
from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_solve

REFACTOR_SHARE = 8  # refactor once more than 1/8 of the system's size has changed
REFINE_ABOVE = 1e-12
TIGHT = 1e-14


class MemberSystem:
    """The systems (I + sum_{i in A} v_i v_i'/s) x = r for a set A that changes by a few members at a time.

    The Cholesky factor for one set A0 is kept, and the members that differ from A0 are accounted for by the
    Sherman-Morrison-Woodbury formula *relative to that factor*. Rounding errors therefore cannot accumulate, as they
    would in an inverse updated step by step, and one step of refinement bounds them. When too many members differ from
    A0, the system is factored anew.
    """

    def __init__(self, V: Array, s: float) -> None:
        """Prepare the systems; the columns of `V` are the v_i."""
        self.V, self.s = V, s
        self.factorisations = 0
        self._base: Mask | None = None

    def solve(self, members: Mask, r: Array) -> Array:
        if self._base is None or (members ^ self._base).sum() > len(self.V) // REFACTOR_SHARE:
            self._factor(members)
        x = self._corrected(members, r)
        residual = r - self._apply(members, x)
        if np.linalg.norm(residual) > REFINE_ABOVE * np.linalg.norm(r):
            x = x + self._corrected(members, residual)
        return x

    def _factor(self, members: Mask) -> None:
        V = self.V[:, members]
        system = V @ V.T / self.s
        add_to_diagonal(system, 1.0)
        add_to_diagonal(system, TIGHT * float(np.diagonal(system).max()))  # refinement removes the effect
        self._L = cholesky(system)
        self._base = members.copy()
        self._solved: dict[int, Array] = {}
        self.factorisations += 1

    def _corrected(self, members: Mask, r: Array) -> Array:
        assert self._base is not None
        x = cholesky_solve(self._L, r)
        changed = np.flatnonzero(members ^ self._base).tolist()
        if not changed:
            return x
        missing = [i for i in changed if i not in self._solved]
        if missing:
            solved = cholesky_solve(self._L, np.asfortranarray(self.V[:, missing]))
            self._solved.update(zip(missing, solved.T, strict=True))
        W = np.column_stack([self._solved[i] for i in changed])
        Vc = self.V[:, changed]
        sign = np.where(members[changed], 1.0, -1.0)
        core = Vc.T @ W
        core[np.diag_indices_from(core)] += sign * self.s
        return x - W @ np.linalg.solve(core, Vc.T @ x)

    def _apply(self, members: Mask, x: Array) -> Array:
        V = self.V[:, members]
        return x + V @ (V.T @ x) / self.s


class SubsetSystem:
    """The systems S_AA z = r for a positive definite S and a set A that changes by a few members at a time.

    The Cholesky factor for one set A0 is kept, and the members that differ from A0 are accounted for by bordering it:
    added members get their own equations, removed ones are held at zero by multipliers. Rounding errors therefore
    cannot accumulate, as they would in a factor updated step by step, and one step of refinement bounds them. When too
    many members differ from A0, the system is factored anew.
    """

    def __init__(self, S: Array) -> None:
        self.S = S
        self.factorisations = 0
        self._base: Mask | None = None

    def solve(self, members: Mask, r: Array) -> Array:
        """Return z, zero outside of the members; `r` has an entry for every row."""
        if self._base is None or 8 * (members ^ self._base).sum() > members.sum():
            self._factor(members)
        z = self._corrected(members, r)
        residual = np.where(members, r - self.S @ z, 0.0)
        if np.linalg.norm(residual) > REFINE_ABOVE * np.linalg.norm(r[members]):
            z = z + self._corrected(members, residual)
        return z

    def _factor(self, members: Mask) -> None:
        self._base, self._rows = members.copy(), np.flatnonzero(members)
        system = self.S[np.ix_(self._rows, self._rows)]
        if len(system):
            add_to_diagonal(system, TIGHT * float(np.diagonal(system).max()))  # refinement removes the effect
        self._L = cholesky(system)
        self._solved: dict[int, tuple[Array, Array]] = {}
        self.factorisations += 1

    def _corrected(self, members: Mask, r: Array) -> Array:
        assert self._base is not None
        z = np.zeros(len(r))
        x = cholesky_solve(self._L, np.where(members, r, 0.0)[self._rows])
        changed = np.flatnonzero(members ^ self._base)
        if len(changed):
            border, W = self._borders(changed)
            added = members[changed]
            core = -border.T @ W
            core[np.ix_(added, added)] += self.S[np.ix_(changed[added], changed[added])]
            given = np.where(added, r[changed], 0.0) - border.T @ x
            found = np.linalg.solve(core, given)
            x = x - W @ found
            z[changed[added]] = found[added]
        z[self._rows] = x
        z[~members] = 0.0
        return z

    def _borders(self, changed: Index) -> tuple[Array, Array]:
        """Return the columns that border the base for changed members, and the solutions for them."""
        assert self._base is not None
        missing = np.array([i for i in changed.tolist() if i not in self._solved], dtype=np.intp)
        if len(missing):
            removed = self._base[missing][:, None]
            rows = np.where(removed, self._rows == missing[:, None], self.S[np.ix_(missing, self._rows)])
            solved = cholesky_solve(self._L, rows.T)
            self._solved.update(zip(missing.tolist(), zip(rows, solved.T, strict=True), strict=True))
        borders, solutions = zip(*map(self._solved.__getitem__, changed.tolist()), strict=True)
        return np.array(borders).T, np.array(solutions).T
