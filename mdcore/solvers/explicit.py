"""Margin machines in explicit features: D unknowns, however many rows. Their problem is that of `margin_newton`.

Of many rows a small stratified part is solved first, and gives the w to begin with. Close to the optimum most margins
are far from every kink of the loss, and their rows draw with the same force wherever w goes from there: what they ask
of w is linear. The rows near a kink are then solved beside that, and all rows are looked at again. No answer relies on
it: the gap is that of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.budget import over_budget
from mdcore.solvers.features import Features
from mdcore.solvers.margin_newton import Machine, MarginProblem, Moments, Point, Start

Array = NDArray[np.float64]
Index = NDArray[np.intp]

FEW_ROWS, PART = 10_000, 8  # samples larger than this are begun on one row in eight
ROUGH = 1e-3  # gap to which a part is solved
CLOSE = 0.03  # gap from which on rows far from a kink are set aside
NEAR_SHARE, MOST_SHARE = 0.125, 0.5  # of the rows that are near: at first, at most
FEW_CROSSED = 0.01  # of the others beside those that are near: half as many are enough
ENOUGH = 0.8  # share of the gap to reach that the problem of the near rows is solved to, at most,
FURTHER = 2e-2  # or of the gap that is left


@dataclass(frozen=True, eq=False)
class ExplicitSolution:
    point: Point
    n_iter: int
    converged: bool
    _machine: Machine

    @property
    def drawn(self) -> Array | None:
        """S'a."""
        return self._machine.drawn(self.point)

    def largest_curvature(self) -> float:
        """Return the largest z_i'M^-1 z_i, or, where that takes long, the largest ||z_i||^2, which is no less."""
        return self._machine.largest_curvature()

    def moved_to(self, w: Array, s: Array, pulled: Array) -> ExplicitSolution:
        """Return the same forces beside weights, margins and S'u that are known better."""
        return replace(self, point=self._machine.certified(w, s, self.point, pulled))


def solve_explicit(
    Z: Features,
    y: Array,
    problem: MarginProblem,
    *,
    free: int = 0,
    start: Start | None = None,
    moments: Callable[[], Moments] | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> ExplicitSolution:
    """`start` is where to begin; `moments()` are at hand where they are known."""
    machine = Machine(Z, y, problem, free, moments)
    begun = 0
    if start is None and len(Z) > max(FEW_ROWS, PART * Z.width):
        rows = stratified(y, len(Z) // PART)
        part = problem.of(rows)
        begin = solve_explicit(Z.take(rows), y[rows], part, free=free, tol=ROUGH, max_iter=max_iter)
        start, begun = Start(begin.point.w), begin.n_iter
    point = machine.at(Start(np.zeros(Z.width)) if start is None else start)
    warm, held = start is not None, start is not None and start.a is not None
    if warm and len(Z) > FEW_ROWS and problem.loss.kinked and machine.metric is not None:
        point, n_iter = machine.descend(point, warm, held, max(tol, CLOSE), max_iter)
        point, taken = _settle_near(machine, point, tol, max_iter)
        begun, held = begun + n_iter + taken, True
    best, n_iter = machine.descend(point, warm, held, tol, max_iter)
    return ExplicitSolution(best, begun + n_iter, bool(best.gap <= tol), machine)


def stratified(y: Array, count: int, seed: int = 0) -> Index:
    """About so many rows, ascending, from each class its share."""
    rng = np.random.default_rng(seed)
    parts = []
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        size = min(len(members), max(2, round(count * len(members) / len(y))))
        parts.append(rng.choice(members, size, replace=False))
    return np.sort(np.concatenate(parts))


def _settle_near(whole: Machine, best: Point, tol: float, max_iter: int) -> tuple[Point, int]:
    """Solve the rows near a kink and look at all, until that is enough or there are too many of them."""
    n_iter, loss, share = 0, whole.problem.loss, NEAR_SHARE
    while best.gap > tol and n_iter < max_iter and not over_budget():
        away = loss.away(best.s, best.a)
        count = max(int(share * len(away)), int((away == 0.0).sum()))
        if count > MOST_SHARE * len(away):
            break
        rows = np.sort(np.argpartition(away, count)[:count])
        near = NearMachine(whole, best, rows)
        enough = max(ENOUGH * tol, FURTHER * best.gap)
        found, taken = near.descend(near.first, True, True, enough, max_iter)
        n_iter += taken
        s = whole.scores(found.w)
        a = loss.sided(s)
        crossed = int(np.count_nonzero(a != best.a)) - int(np.count_nonzero(a[rows] != best.a[rows]))
        a[rows] = found.a
        looked = whole.beside(best, found.w, s, a)
        if looked.gap > 0.5 * best.gap:
            share *= 2.0
        elif crossed < FEW_CROSSED * count:
            share *= 0.5
        if looked.gap < best.gap:
            best = looked
    return best, n_iter


class NearMachine(Machine):
    """The problem of some rows beside the forces that the others have at a point, which it begins at."""

    last_digits = False

    def __init__(self, whole: Machine, at: Point, rows: Index) -> None:
        assert whole.metric is not None
        self.Z, self.y = whole.Z.take(rows), whole.y[rows]
        self.problem = replace(whole.problem, loss=whole.problem.loss.of(rows, 1.0), p=whole.problem.p[rows])
        self.penalty, self.metric, self._size = whole.penalty, whole.metric, at.size
        self.first = self._seen(at.w, at.s[rows], at.a[rows], at.residual)

    def beside(self, at: Point, w: Array, s: Array, a: Array) -> Point:
        return self._seen(w, s, a, self.moved(at, w, a))

    def settled(self, found: Point, centre: Point, rho: Array) -> Point:
        return found

    def _seen(self, w: Array, s: Array, a: Array, r: Array) -> Point:
        split = self.problem.loss.compared(s, a)[1]
        return Point(w, s, a, a, split + self.defect(w, s, r), split, self._size, r)
