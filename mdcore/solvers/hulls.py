"""min_g g'Qg over g >= 0 whose entries sum to one over each class: the nearest points of two convex hulls.

The method of multipliers: the two sums become penalties sigma/2 (sum - 1)^2 with multipliers, and what is left is a
box problem, always the same matrix, started from the last solution. A gradient costs one product with Q and certifies:
g'Qg can fall below its value by at most 2 (g'Qg - sum over both classes of the smallest (Qg)_i).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.box_qp import solve_box_qp

Array = NDArray[np.float64]

PENALTY = 10.0  # sigma relative to the mean diagonal of Q; the multipliers' error shrinks by value/(value + sigma)
INNER_TOL = 1e-13


@dataclass(frozen=True)
class HullSolution:
    """`gap` bounds how far g'Qg is from its minimum, relative to its value where all weights of a class are equal."""

    g: Array
    gap: float
    n_iter: int
    converged: bool


def nearest_hull_points(
    Q: Array, y: Array, *, start: Array | None = None, tol: float = 1e-9, max_iter: int = 100
) -> HullSolution:
    classes = np.column_stack([y > 0.0, y < 0.0]).astype(np.float64)
    sizes = classes.sum(axis=0)
    equal = classes @ (1.0 / sizes)
    scale = float(equal @ Q @ equal)
    sigma = PENALTY * float(np.mean(np.diagonal(Q)))
    H = Q + sigma * (classes @ classes.T)
    upper = np.ones(len(y))

    def certified(g: Array) -> tuple[Array, float]:
        """The weights scaled to sum to one, and their relative gap."""
        sums = g @ classes
        if not (sums > 0.0).all():
            return equal, np.inf
        g = g / (classes @ sums)
        slope = Q @ g
        gap = 2.0 * float(g @ slope - sum(slope[members > 0.0].min() for members in classes.T))
        return g, max(gap, 0.0) / scale if scale > 0.0 else 0.0

    best, gap = certified(equal if start is None else start)
    g, multipliers, n_iter = best, _multipliers(Q, classes, best), 0
    while gap > tol and n_iter < max_iter:
        n_iter += 1
        g = solve_box_qp(H, -classes @ (sigma + multipliers), upper, start=g, tol=INNER_TOL, max_iter=10).b
        multipliers += sigma * (1.0 - g @ classes)
        now, now_gap = certified(g)
        if now_gap < gap:
            best, gap = now, now_gap
    return HullSolution(best, gap, n_iter, bool(gap <= tol))


def _multipliers(Q: Array, classes: Array, g: Array) -> Array:
    """(Qg)_i averaged over a class with the weights g: what it is for every i with g_i > 0 at the solution."""
    return np.asarray((g * (Q @ g)) @ classes)
