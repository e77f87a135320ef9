"""Margin machines in explicit features: D unknowns, however many rows. Their problem is that of `margin_newton`.

Of many rows a small stratified part is solved first, and gives the w to begin with. Close to the optimum most margins
are far from every kink of the loss, and their rows draw with the same force wherever w goes from there: what they ask
of w is linear. The rows near a kink are then solved beside that, of many of them again those that are nearest at first,
and all rows are looked at again. No answer relies on it: the gap is that of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.budget import over_budget
from mdcore.solvers.features import Features
from mdcore.solvers.margin_newton import Machine, MarginProblem, Moments, Point, Start, first_width

Array = NDArray[np.float64]
Index = NDArray[np.intp]

FEW_ROWS, PART = 10_000, 8  # samples larger than this are begun on one row in eight
ROUGH = 1e-3  # gap to which a part is solved
CLOSE = 0.1  # gap from which on rows far from a kink are set aside
NEAR_SHARE, MOST_SHARE = 0.1, 0.5  # of the rows that are near: at first, at most
FEW_CROSSED = 0.01  # of the others beside those that are near: more ask for twice as many
ENOUGH = 0.9  # share of the gap to reach that the problem of the near rows is solved to, at most,
FURTHER = 3e-2  # or of the gap that is left
MANY_NEAR = 5_000  # of which the nearest are solved alone


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
    width = first_width(point, warm, held)
    if warm and len(Z) > FEW_ROWS and problem.loss.kinked and machine.metric is not None:
        point, n_iter, width = machine.descend(point, width, max(tol, CLOSE), max_iter)
        point, taken, width = _settle_near(machine, point, width, tol, max_iter)
        begun += n_iter + taken
    best, n_iter, _ = machine.descend(point, width, tol, max_iter)
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


def _settle_near(whole: Machine, at: Point, width: float, tol: float, max_iter: int) -> tuple[Point, int, float]:
    """Solve the rows near a kink and look at all, until that is enough or there are too many of them.

    Returns where that led, the number of steps, and how wide the smoothing is by then. Rows that have crossed a kink
    unforeseen may make the gap large beside weights that are good: what counts is the primal value. Where that has not
    fallen, a step of all rows is taken.
    """
    n_iter, loss, share = 0, whole.problem.loss, NEAR_SHARE
    while at.gap > tol and n_iter < max_iter and not over_budget():
        away = loss.away(at.s, at.a)
        count = max(int(share * len(away)), int((away == 0.0).sum()))
        if count > MOST_SHARE * len(away):
            break
        rows = np.sort(np.argpartition(away, count)[:count])
        found, taken, narrow = _solve_near(NearMachine(whole, at, rows), float(away[rows].max()), width, tol, max_iter)
        s = whole.scores(found.w)
        a = loss.sided(s)
        crossed = int(np.count_nonzero(a != at.a)) - int(np.count_nonzero(a[rows] != at.a[rows]))
        a[rows] = found.a
        looked = whole.beside(at, found.w, s, a)
        if crossed > FEW_CROSSED * count:
            share *= 2.0
        elif looked.gap < 0.5 * at.gap:
            share *= 0.5
        n_iter += taken
        if looked.gap < at.gap or whole.beside(at, found.w, s, at.a).excess < at.excess:
            at, width = looked, narrow
            continue
        stepped, n_iter = whole.proximal_step(at, whole.smoothing(width), tol), n_iter + 1
        if stepped is None:
            break
        at = stepped
    return at, n_iter, width


def _solve_near(near: NearMachine, reach: float, width: float, tol: float, max_iter: int) -> tuple[Point, int, float]:
    """Solve rows whose margins are within `reach` of a kink as far as the others let it make sense: roughly, and to
    the end where no margin has moved so far that one of the others may have crossed."""
    enough = ENOUGH * tol
    found, n_iter, width = near.descend(near.first, width, max(enough, FURTHER * near.first.gap), max_iter)
    if len(near.Z) <= MANY_NEAR or np.abs(found.s - near.first.s).max() >= reach:
        return found, n_iter, width
    found, taken, width = _settle_near(near, found, width, enough, max_iter)
    return found, n_iter + taken, width


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
