"""min_g g'Qg over g >= 0 whose entries sum to one over each class: the nearest points of two convex hulls.

A gradient certifies: g'Qg can fall by at most 2 (g'Qg - sum over both classes of the smallest (Qg)_i).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.multipliers import solve_with_equalities

Array = NDArray[np.float64]

NOTHING = 1e-7  # a value of g'Qg beside the mean diagonal of Q, of which rounding leaves few digits


@dataclass(frozen=True)
class HullSolution:
    """`gap` bounds how far g'Qg is from its minimum, relative to its value where all weights of a class are equal.

    Where the centres of the classes coincide that value is nothing, and `gap` relative to the diagonal of Q.
    """

    g: Array
    gap: float
    n_iter: int
    converged: bool


def nearest_hull_points(Q: Array, y: Array, *, start: Array | None, tol: float, max_iter: int) -> HullSolution:
    classes = np.column_stack([y > 0.0, y < 0.0]).astype(np.float64)
    equal = classes @ (1.0 / classes.sum(axis=0))
    Q = Q / (float(np.mean(np.diagonal(Q))) or 1.0)  # the box problem has tolerances in units of one
    scale = max(float(equal @ Q @ equal), NOTHING)

    def feasible(g: Array) -> Array:
        sums = g @ classes
        return g / (classes @ sums) if (sums > 0.0).all() else equal

    def certificate(g: Array, multipliers: Array) -> float:
        g = feasible(g)
        slope = Q @ g
        gap = 2.0 * float(g @ slope - sum(slope[members > 0.0].min() for members in classes.T))
        return max(gap, 0.0) / scale

    first = equal if start is None else start
    solution = solve_with_equalities(
        Q,
        np.zeros(len(y)),
        np.ones(len(y)),
        classes,
        np.ones(2),
        certificate=certificate,
        start=first,
        multipliers=(first * (Q @ first)) @ classes,
        tol=tol,
        max_iter=max_iter,
    )
    return HullSolution(feasible(solution.b), solution.gap, solution.n_iter, solution.converged)
