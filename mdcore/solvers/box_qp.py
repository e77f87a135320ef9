"""min_b 1/2 b'Hb + q'b over 0 <= b <= u, H positive semi-definite and dense: the dual of every hinge-loss machine.

A few sweeps of coordinate descent find most of the active set, and for a well-conditioned H a few corrections of that
set give the solution. If the corrections do not settle, the proximal point method takes over. Each of its steps is
solved by a semismooth Newton method whose systems involve only the free coordinates, and the proximal term makes it
robust for a singular H (duplicated rows, few features).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import over_budget
from mdcore.solvers.compiled import compiled
from mdcore.solvers.linalg import (
    NotPositiveDefinite,
    add_to_diagonal,
    cholesky,
    cholesky_solve,
    line_search,
    symmetric_product,
)

Certificate = Callable[[Array, Array], tuple[float, float]]

SWEEPS = 15
NEWTON_STEPS = 60
SETTLING = 4  # corrections of the active set without a decrease of the moves, after which they are given up
PATIENCE = 60  # proximal steps at the last rho without halving the gap, after which the solver ends
STRAYING = 5  # number of these steps after which, near convergence, the best point is restored and the last rho raised
NEARLY = 1e-4  # a gap that counts as near convergence
FIRST_RHO, LAST_RHO = 1e-2, 1e-9  # relative to the mean diagonal of H
SIGN_TOL = 1e-10
EXACT = 1e-12  # a gradient that is rounding, as margins are compared with 1


class Symmetric(Protocol):
    """A symmetric matrix, possibly implicit, with products with vectors and diagonal blocks."""

    def __matmul__(self, vector: Array) -> Array: ...

    def block(self, F: Index) -> Array:
        """Return the rows and columns F as a new array."""
        ...


@dataclass(frozen=True)
class Dense:
    """A symmetric matrix stored as an array."""

    matrix: Array

    def __matmul__(self, vector: Array) -> Array:
        return symmetric_product(self.matrix, vector)

    def block(self, F: Index) -> Array:
        return self.matrix[F].take(F, axis=1)


@dataclass(frozen=True)
class QPSolution:
    """A solution `b` with its `gradient` = Hb + q; `gap` is relative to the scale of the certificate.

    The initial sweeps count as one iteration.
    """

    b: Array
    gradient: Array
    gap: float
    n_iter: int
    converged: bool


def box_certificate(upper: Array, q: Array) -> Certificate:
    """Return a certificate: the duality gap of the box problem at b, and the summed absolute terms as its scale."""

    def certificate(b: Array, g: Array) -> tuple[float, float]:
        loss = upper @ np.maximum(-g, 0.0)
        gap = loss + b @ g
        return float(gap), float(loss + 0.5 * abs(b @ (g - q)) + abs(q) @ b)

    return certificate


def solve_box_qp(
    H: Array,
    q: Array,
    upper: Array,
    *,
    certificate: Certificate | None = None,
    start: Array | None,
    tol: float,
    max_iter: int = 100,
) -> QPSolution:
    """Return the minimiser, starting from `start` if given.

    `certificate(b, gradient) -> (gap, scale)` measures the gap; the default is `box_certificate`.
    """
    certificate = certificate or box_certificate(upper, q)
    level = float(np.mean(np.diagonal(H))) or 1.0

    def certified(b: Array, g: Array) -> _Iterate:
        return _Iterate(b, g, *certificate(b, g))

    b = np.zeros(len(q)) if start is None else np.clip(start, 0.0, upper)
    g = H @ b + q if b.any() else q.copy()
    if start is not None and _is_solution(b, g, upper):
        found = certified(b, g)
        return QPSolution(b, g, found.relative, 1, found.within(tol))
    coordinate_sweeps(H, b, g, upper, SWEEPS)
    g = H @ b + q
    best = certified(b, g)
    rho, last, n_iter, waited = FIRST_RHO * level, LAST_RHO * level, 1, 0
    while True:
        corrected = _correct_active_set(Dense(H), q, upper, b, g)
        if corrected is not None:
            best = min(best, certified(*corrected), key=_relative)
        if best.within(tol) or n_iter >= max_iter or waited >= PATIENCE or over_budget():
            break
        n_iter += 1
        stepped = _proximal_step(H, q, upper, b, g, rho)
        if stepped is None:
            rho *= 100.0
            waited += 1
            continue
        b, g = stepped
        now = certified(b, g)
        waited = waited + 1 if rho <= last and now.relative > 0.5 * best.relative else 0
        best = min(best, now, key=_relative)
        if waited % STRAYING == STRAYING - 1 and best.within(NEARLY):  # for small rho, rounding dominates
            b, g, last = best.b, best.g, 10.0 * last
        rho = max(0.03 * rho, last)
    for _ in range(2):
        b = _solve_on_face(H, best.b, best.g, upper, level)
        best = min(best, certified(b, H @ b + q), key=_relative)
    return QPSolution(best.b, best.g, best.relative, n_iter, best.within(tol))


def continue_box_qp(
    H: Symmetric, q: Array, upper: Array, start: Array, *, certificate: Certificate, tol: float
) -> QPSolution | None:
    """Return the minimiser, starting from that of a similar problem; None if active-set corrections do not suffice."""
    b = np.clip(start, 0.0, upper)
    corrected = _correct_active_set(H, q, upper, b, H @ b + q)
    if corrected is None:
        return None
    found = _Iterate(*corrected, *certificate(*corrected))
    return QPSolution(found.b, found.g, found.relative, 1, True) if found.within(tol) else None


def _is_solution(b: Array, g: Array, upper: Array) -> bool:
    """Return whether the optimality conditions hold up to rounding, as at a point of an exactly followed path."""
    wrong = np.where(b <= 0.0, -g, np.where(b >= upper, g, np.abs(g)))
    return bool(wrong.max() <= SIGN_TOL)


@dataclass(frozen=True)
class _Iterate:
    b: Array
    g: Array
    gap: float
    scale: float

    @property
    def relative(self) -> float:
        return 0.0 if self.gap <= 0 else self.gap / self.scale if self.scale > 0 else np.inf

    def within(self, tol: float) -> bool:
        return bool(self.relative <= tol)


def _relative(iterate: _Iterate) -> float:
    return iterate.relative


def _correct_active_set(H: Symmetric, q: Array, upper: Array, b: Array, g: Array) -> tuple[Array, Array] | None:
    """Repeatedly solve on the free coordinates, then move the coordinates that violate a bound or a gradient's sign.

    Start at b with its gradient g. This is fast if it settles, which is not guaranteed: return None once the number of
    moves stops falling, or if a system is singular.
    """
    free, at_upper = (b > 0.0) & (b < upper), b >= upper
    fewest, waited = len(b) + 1, 0
    while waited < SETTLING:
        F = np.flatnonzero(free)
        placed = np.where(at_upper, upper, np.where(free, b, 0.0))
        if (placed != b).any():
            b, g = placed, H @ placed + q
        if len(F):
            system = H.block(F)
            add_to_diagonal(system, 1e-12 * float(np.mean(np.diagonal(system))))
            try:
                L = cholesky(system)
            except NotPositiveDefinite:
                return None
            b = placed
            for _ in range(2):  # refinement removes the effect of the ridge
                if np.abs(g[F]).max() <= EXACT:
                    break
                b[F] -= cholesky_solve(L, g[F])
                g = H @ b + q
        to_lower, to_upper = free & (b <= 0.0), free & (b >= upper)
        freed = (at_upper & (g > SIGN_TOL)) | (~free & ~at_upper & (g < -SIGN_TOL))
        moves = int((to_lower | to_upper | freed).sum())
        if moves == 0:
            return b, g
        waited = 0 if moves < fewest else waited + 1
        fewest = min(fewest, moves)
        free = (free & ~to_lower & ~to_upper) | freed
        at_upper = (at_upper | to_upper) & ~freed
    return None


def _solve_on_face(H: Array, b: Array, g: Array, upper: Array, level: float) -> Array:
    """Take one Newton step on the free coordinates, clipped to the box: exact once the active set is right."""
    F = np.flatnonzero((b > 0.0) & (b < upper))
    if not len(F):
        return b
    system = Dense(H).block(F)
    add_to_diagonal(system, 1e-12 * level)
    try:
        step = cholesky_solve(cholesky(system), -g[F])
    except NotPositiveDefinite:
        return b
    moved = b.copy()
    moved[F] += step
    return np.minimum(np.maximum(moved, 0.0), upper)


def _proximal_step(H: Array, q: Array, upper: Array, centre: Array, g: Array, rho: float) -> tuple[Array, Array] | None:
    """Return the minimiser over the box of the problem plus rho/2 ||b - centre||^2, and the problem's gradient there.

    The minimiser is b = P(s(x)) with s(x) = centre - (Hx + q)/rho and P the projection on the box, at the x that
    minimises the convex, piecewise quadratic psi with gradient H (x - P(s(x))). Return None if Newton's method stalls.
    """
    x, Hx = centre.copy(), g - q
    for step in range(NEWTON_STEPS):
        s = centre - (Hx + q) / rho
        b = np.minimum(np.maximum(s, 0.0), upper)
        r = x - b
        size = np.linalg.norm(r)
        if size <= 1e-12 * (1e-8 + np.linalg.norm(b)) or (step and size <= 1e-3 * np.linalg.norm(b - centre)):
            return b, H @ b + q
        d = _newton_direction(H, r, (s > 0.0) & (s < upper), rho)
        if d is None:
            return None
        Hd = H @ d

        def derivative(t: float, x: Array = x, d: Array = d, Hd: Array = Hd, s: Array = s) -> float:
            return float(Hd @ (x + t * d - np.minimum(np.maximum(s - (t / rho) * Hd, 0.0), upper)))

        t = line_search(derivative, float(Hd @ r))
        x += t * d
        Hx += t * Hd
    return None


def _newton_direction(H: Array, r: Array, free: NDArray[np.bool_], rho: float) -> Array | None:
    """Solve (rho I + H_FF) d_F = -rho r_F + H_FN r_N, d_N = -r_N."""
    d = -r
    F = np.flatnonzero(free)
    if len(F):
        N = np.flatnonzero(~free & (r != 0.0))
        HF = H[F]
        right = -rho * r[F]
        if len(N):
            right += HF[:, N] @ r[N]
        system = HF.take(F, axis=1)
        add_to_diagonal(system, rho)
        try:
            d[F] = cholesky_solve(cholesky(system), right)
        except NotPositiveDefinite:
            return None
    return d


@compiled()
def coordinate_sweeps(H: Array, b: Array, g: Array, upper: Array, sweeps: int) -> None:
    """Minimise over one coordinate after another, in place; a coordinate that stays at its bound costs next to
    nothing."""
    m = len(b)
    for sweep in range(sweeps):
        moved = False
        for k in range(m):
            i = k if sweep % 2 == 0 else m - 1 - k
            if H[i, i] <= 0.0:
                if g[i] < 0.0 and np.isfinite(upper[i]):
                    b[i] = upper[i]
                continue
            target = min(max(b[i] - g[i] / H[i, i], 0.0), upper[i])
            change = target - b[i]
            if change != 0.0:
                moved = True
                b[i] = target
                row = H[i]
                for j in range(m):
                    g[j] += change * row[j]
        if not moved:
            break
