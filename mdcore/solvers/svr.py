"""Support vector regression: 1/2 ||w||^2 + sum_i C_i (|y_i - f_i| - epsilon)_+, f_i = <w, x_i> + b, w = sum_i a_i x_i.

Pairs of dual coefficients are moved; examples settled at a bound or inside the tube are left out. Once the moves no
longer change the set of free coefficients, a Newton step on that set gives the solution. If pairs get stuck, as with a
large C and a wide kernel, the problem is solved in explicit features, in case a few of them span the rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.certificate import Solution
from mdcore.solvers.tube_dual import Iterate, SVRProblem, TubeDual, gap_of
from mdcore.solvers.working_set import Columns

STUCK, STUCK_FOR_GOOD = 1, 10  # number of stuck rounds after which features are tried: a few features, and all of them
MOST_FEATURES, ROWS_PER_FEATURE = 600, 2  # largest number of explicit features, and least number of rows per feature
DENSE = 100.0  # multiplications in a factorisation that take as long as one row's share of a pair's move
MOST_SOLVES, LAST_SOLVES = 20, 3  # linear systems for the edges of the tube: in a round, and at the end
LARGEST = 6000  # largest number of free coefficients that are solved for at the end
LAST_DIGITS = 1e-6  # with a smaller tolerance, the free coefficients are solved for at the end


def solve_svr(
    problem: SVRProblem,
    columns: Columns,
    y: Array,
    *,
    bias: bool,
    start: Array | None,
    tol: float,
    max_iter: int,
    root: Callable[[], Array | None],
) -> Solution:
    """Solve from columns of G. `root()` returns Z with ZZ' = G, of any width, or None if memory does not suffice."""
    dual = TubeDual(problem, columns, y, bias)
    at = dual.begin(start)
    best = at if start is None else _better(at, dual.to_the_edges(at, 1))
    n_iter, stuck = 0, 0
    while best.gap > tol and n_iter < max_iter and not over_budget():
        n_iter += 1
        moved = dual.move(at)
        face, at = dual.face(at.a), moved.at
        best = _better(best, at)
        stuck += moved.nowhere
        if best.gap > tol and (moved.nowhere or (face == dual.face(at.a)).all()):
            spanned = _in_features(dual, at, stuck, tol, root) if moved.nowhere else None
            at = spanned or dual.to_the_edges(at, _solves_worth(dual, at, moved.count))
            best = _better(best, at)
    if tol < LAST_DIGITS and np.count_nonzero(dual.is_free(best.a)) <= LARGEST:
        best = _better(best, dual.to_the_edges(best, LAST_SOLVES))
    n_iter, converged = max(n_iter, 1), bool(best.gap <= tol)
    return Solution(best.a, y * best.a, offset=best.b, n_iter=n_iter, converged=converged)


def _better(first: Iterate, second: Iterate) -> Iterate:
    return min(first, second, key=gap_of)


def _in_features(
    dual: TubeDual, at: Iterate, stuck: int, tol: float, root: Callable[[], Array | None]
) -> Iterate | None:
    """Return the solution in explicit features: at first only if a few span the rows, later in any number of them.

    Return None in other rounds, or if there are no such features.
    """
    Z = None
    if stuck == STUCK:
        Z = dual.columns.root(min(MOST_FEATURES, len(at.a) // ROWS_PER_FEATURE))
    elif stuck == STUCK_FOR_GOOD:
        Z = root()
    return None if Z is None else dual.in_features(Z, at.a, 0.1 * min(tol, LAST_DIGITS))


def _solves_worth(dual: TubeDual, at: Iterate, count: int) -> int:
    """Return the number of linear systems for the free coefficients that take as long as the moves of `count` pairs."""
    free = int(np.count_nonzero(dual.is_free(at.a)))
    return min(int(DENSE * max(count, 1) * len(at.a) / max(free, 1) ** 3), MOST_SOLVES)
