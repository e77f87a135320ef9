"""min_g g'Qg over g >= 0 whose entries sum to one over each class: the nearest points of two convex hulls.

The gradient gives a certificate: g'Qg is above its minimum by at most 2 (g'Qg - sum over both classes of the smallest
(Qg)_i). For a well-conditioned Q a few corrections of the support give the solution, at one factorisation each;
otherwise the method of multipliers is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.multipliers import solve_with_equalities

NOTHING = 1e-7  # least value of g'Qg to which a gap is relative, as a share of its value for equal weights,
LOST = 1e-14  # and of the mean diagonal of Q
ROUNDS = 5
SETTLING = 4  # corrections without a decrease of the moves, after which they are given up
SIGN_TOL = 1e-12
RIDGE = 1e-12  # relative to the mean diagonal of Q; refinement removes its effect


@dataclass(frozen=True)
class HullSolution:
    """The weights `g`; `gap` bounds the excess of g'Qg over its minimum, relative to its value if that is not nearly
    zero."""

    g: Array
    gap: float
    n_iter: int
    converged: bool


def gap_of(value: float, slope: Array, y: Array) -> float:
    """Return an upper bound on the excess of g'Qg = `value` over its minimum, given Qg = `slope`."""
    return max(2.0 * float(value - sum(slope[side * y > 0.0].min() for side in (1.0, -1.0))), 0.0)


def nearest_hull_points(Q: Array, y: Array, *, start: Array | None, tol: float, max_iter: int) -> HullSolution:
    """Minimise g'Qg for classes given by labels y of -1 and +1, starting from `start` if given."""
    classes = np.column_stack([y > 0.0, y < 0.0]).astype(np.float64)
    equal = classes @ (1.0 / classes.sum(axis=0))
    Q = Q / (float(np.mean(np.diagonal(Q))) or 1.0)  # the box solver's tolerances are absolute

    least = max(NOTHING * float(equal @ Q @ equal), LOST)

    def feasible(g: Array) -> Array:
        sums = g @ classes
        return g / (classes @ sums) if (sums > 0.0).all() else equal

    def value(g: Array) -> float:
        return max(float(g @ Q @ g), least)

    def excess(g: Array) -> float:
        slope = Q @ g
        return gap_of(float(g @ slope), slope, y)

    g, n_iter, gap = equal if start is None else start, 0, np.inf
    settled = _correct_weights(Q, classes, g)
    if settled is not None:
        g, n_iter = feasible(settled), 1
        gap = excess(g) / value(g)
        if gap <= tol:
            return HullSolution(g, gap, n_iter, True)
    for _ in range(ROUNDS):  # gaps are relative to the current value, which falls
        scale = value(feasible(g))

        def certificate(g: Array, multipliers: Array, scale: float = scale) -> float:
            return excess(feasible(g)) / scale

        solution = solve_with_equalities(
            Q,
            np.zeros(len(y)),
            np.ones(len(y)),
            classes,
            np.ones(2),
            certificate=certificate,
            start=g,
            multipliers=(g * (Q @ g)) @ classes,
            tol=tol,
            max_iter=max_iter - n_iter,
        )
        g, n_iter = feasible(solution.b), n_iter + solution.n_iter
        gap = solution.gap * scale / value(g)
        if gap <= tol or n_iter >= max_iter or not solution.converged:
            break
    return HullSolution(g, gap, n_iter, bool(gap <= tol))


def _correct_weights(Q: Array, classes: Array, g: Array) -> Array | None:
    """Repeatedly solve Qg = E nu, E'g = 1 on the support, drop negative weights, and add examples with (Qg)_i below nu.

    Return None if the number of moves stops falling, a class would be left empty, or a system is singular.
    """
    free, ridge = g > 0.0, RIDGE * float(np.mean(np.diagonal(Q)))
    fewest, waited = len(g) + 1, 0
    while waited < SETTLING and not over_budget():
        F = np.flatnonzero(free)
        E = classes[F]
        if not E.any(axis=0).all():
            return None
        system = Q[F].take(F, axis=1)
        add_to_diagonal(system, ridge)
        try:
            L = cholesky(system)
        except NotPositiveDefinite:
            return None
        V = cholesky_solve(L, E)
        nu = np.linalg.solve(E.T @ V, np.ones(2))
        g = np.zeros(len(g))
        g[F] = V @ nu
        g[F] -= cholesky_solve(L, (Q @ g)[F] - E @ nu)
        leaving = free & (g <= 0.0)
        entering = ~free & (Q @ g < classes @ (nu - SIGN_TOL * np.abs(nu)))
        moves = int((leaving | entering).sum())
        if moves == 0:
            return g
        waited = 0 if moves < fewest else waited + 1
        fewest = min(fewest, moves)
        free = (free & ~leaving) | entering
    return None
