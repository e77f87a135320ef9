"""The largest p-norm margin of a hyperplane, by an interior-point method on the dual.

With a bias it is half the distance between the convex hulls of the two classes in the p-norm:

    min_a  1/2 ||sum_i a_i y_i x_i||_p^2 + soft/2 ||a||^2   such that   a >= 0 and sums to one over each class

Without a bias it is the distance of the origin from the hull of all y_i x_i: a sums to one over all examples. Points of
the hulls at distance 2u (or u without bias) show that no margin is above u, and w = f^-1(v), v = sum a_i y_i x_i, has a
margin l. So l <= largest <= u is certified by these two numbers, independently of the steps that led to a.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import raise_if_stopped
from mdcore.solvers.pnorm import link

STEPS = 200
GAP = 1e-9  # (upper - lower) / upper at which the iteration ends
CENTRE = 0.1  # target for the products a_i s_i, as a share of their mean
BACK = 0.99  # largest step, as a share of the way to the boundary
SHORTEST = 1e-10  # the iteration ends after a shorter step
INSEPARABLE = 1e-7  # upper bound of the margin, in units of the largest entry, that cannot be distinguished from 0


@dataclass(frozen=True)
class Margin:
    """Bounds with lower <= largest margin <= upper. `lower` is at most 0 if no separating hyperplane was found.

    `inseparable` is true if the hulls cannot be separated at working precision.
    """

    lower: float
    upper: float
    inseparable: bool = False

    @property
    def gap(self) -> float:
        return (self.upper - self.lower) / self.upper if self.upper > 0.0 else np.inf


def largest_margin(
    X: Array, y: Array, p: float = 2.0, *, soft: float = 0.0, bias: bool = True, gap: float = GAP
) -> Margin:
    """Return bounds on the largest margin, for dense rows X and labels -1/+1.

    `soft`, which is for p = 2, is added to the squared length of every row.
    """
    X = X - X.mean(axis=0) if bias else X  # the hulls move together
    unit = float(np.abs(X).max()) or 1.0
    groups = np.stack([y > 0.0, y < 0.0]) if bias else np.ones((1, len(y)), dtype=np.bool_)
    hulls = _Hulls(y[:, None] * X / unit, groups, p, soft / unit**2)
    a = groups.T @ (1.0 / groups.sum(axis=1))
    best, level = hulls.certify(a), np.zeros(len(groups))
    s = np.full(len(y), max(best.upper, INSEPARABLE) ** 2)
    for _ in range(STEPS):
        raise_if_stopped()
        if best.gap <= gap or best.upper <= INSEPARABLE:
            break
        da, ds, dl = hulls.direction(a, s, level, CENTRE * float(a @ s) / len(a))
        length = hulls.length(a, s, level, da, ds, dl)
        a, s, level = a + length * da, s + length * ds, level + length * dl
        found = hulls.certify(a)
        best = Margin(max(best.lower, found.lower), min(best.upper, found.upper))
        if length < SHORTEST:
            break
    return Margin(best.lower * unit, best.upper * unit, best.upper <= INSEPARABLE)


class _Hulls:
    """The problem in units of the largest entry: rows y_i x_i of Z, and groups of rows over which a sums to one."""

    def __init__(self, Z: Array, groups: NDArray[np.bool_], p: float, soft: float) -> None:
        self.Z, self.groups, self.p, self.soft = Z, groups, p, soft
        self.sums = groups.astype(float)

    def gradient(self, a: Array) -> tuple[Array, Array, float]:
        """Return v, f^-1(v) and ||v||_p."""
        v = self.Z.T @ a
        w = np.empty_like(v)
        return v, w, float(link(v, self.p, w))

    def certify(self, a: Array) -> Margin:
        a = a / (self.sums.T @ (self.sums @ a))
        _, w, size = self.gradient(a)
        slopes = self.Z @ w + self.soft * a
        distance = float(np.sqrt(size**2 + self.soft * (a @ a)))
        lower = float(np.mean([slopes[group].min() for group in self.groups]))
        return Margin(lower / distance if distance > 0.0 else 0.0, distance / len(self.groups))

    def residuals(self, a: Array, s: Array, level: Array) -> tuple[Array, Array]:
        """Return the residuals of the stationarity condition and of the sums."""
        _, w, _ = self.gradient(a)
        return self.Z @ w + self.soft * a - self.sums.T @ level - s, self.sums @ a - 1.0

    def direction(self, a: Array, s: Array, level: Array, target: float) -> tuple[Array, Array, Array]:
        """Return the Newton direction for the optimality conditions with a_i s_i = target."""
        dual, primal = self.residuals(a, s, level)
        solve = self.factor(a, self.soft + s / a)
        right = -dual + target / a - s
        columns = solve(np.column_stack([right, self.sums.T]))
        dl = np.asarray(np.linalg.solve(self.sums @ columns[:, 1:], -primal - self.sums @ columns[:, 0]), np.float64)
        da = columns[:, 0] + columns[:, 1:] @ dl
        return da, (target - s * da) / a - s, dl

    def factor(self, a: Array, diagonal: Array) -> Callable[[Array], Array]:
        """Return a solver for the Hessian plus a diagonal matrix: Z J Z' + diag, J = diag(c) - (p-2) w w' / ||v||^2."""
        v, w, size = self.gradient(a)
        p = self.p
        share = np.abs(v) / size if size > 0.0 else np.zeros_like(v)
        J = np.diag((p - 1.0) * share ** (p - 2.0)) - (p - 2.0) * np.outer(w, w) / max(size, 1e-300) ** 2
        values, U = np.linalg.eigh(J)
        root = self.Z @ (U * np.sqrt(np.maximum(values, 0.0)))
        scaled = root / diagonal[:, None]
        small = cho_factor(np.eye(root.shape[1]) + root.T @ scaled)
        return lambda right: right / diagonal[:, None] - scaled @ cho_solve(small, scaled.T @ right)

    def length(self, a: Array, s: Array, level: Array, da: Array, ds: Array, dl: Array) -> float:
        """Return a step length for which a and s stay positive and the residuals do not grow."""
        shrinking = np.concatenate([-da / a, -ds / s]).max()
        length = min(1.0, BACK / shrinking) if shrinking > 0.0 else 1.0
        now = self._excess(a, s, level)
        while length > 1e-12 and self._excess(a + length * da, s + length * ds, level + length * dl) > now:
            length *= 0.5
        return length

    def _excess(self, a: Array, s: Array, level: Array) -> float:
        dual, primal = self.residuals(a, s, level)
        return float(np.linalg.norm(np.concatenate([dual, primal, a * s])))
