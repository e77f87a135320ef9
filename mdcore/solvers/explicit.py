"""Margin machines in explicit features: D unknowns for any number of rows. `margin_newton` states the problem.

A large sample is first solved on a small stratified part of its rows, which gives an initial w. Near the optimum most
margins are far from every kink of the loss: the dual variables of these rows no longer change, and their losses are
linear in w. The rows near a kink are then solved with the others' linear term held fixed, and if they are many, the
nearest of them first, in the same way. Afterwards all rows are evaluated again. The result does not rely on this: the
reported gap is that of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import over_budget
from mdcore.solvers.features import Features
from mdcore.solvers.losses import Loss
from mdcore.solvers.margin_newton import Machine, MarginProblem, Moments, Point, Start, first_width

FEW_ROWS, PART = 10_000, 8  # samples with more rows are first solved on one row in eight
ROUGH = 1e-3  # gap to which the part is solved
CLOSER, FINE = 0.3, 1e-6  # share of a start's gap to be left although the tolerance is larger, unless that is fine
CLOSE = 0.1  # gap below which rows far from a kink are held fixed
NEAR_SHARE, MOST_SHARE = 0.1, 0.5  # share of rows treated as near a kink: at first, and at most
FEW_CROSSED = 0.01  # double the share if more other rows than this, relative to the near rows, cross a kink
MOST_GAP = 0.3  # accept a point with a larger gap, but no more than this, for its lower primal value
STEPPED = 0.3  # share of the gap that steps on all rows leave, if there is no such point
ENOUGH = 0.9  # gap to which the near rows are solved, as a share of the tolerance,
FURTHER = 3e-2  # or of their initial gap, if that is larger
MANY_NEAR = 5_000  # of more near rows than this, the nearest are solved by themselves,
FEW_MOVED = 4e-4  # unless the margins of more than this share have moved as far as other rows are from a kink


@dataclass(frozen=True, eq=False)
class ExplicitSolution:
    """The point found by `solve_explicit`, with the number of steps."""

    point: Point
    n_iter: int
    converged: bool
    machine: Machine

    def start_for(self, loss: Loss) -> Start:
        """Return a start for another loss of the same rows: the same weights, and forces rescaled to that loss."""
        a, times = self.machine.problem.loss.scaled_forces(self.point.a, loss)
        drawn = None if times is None else self.machine.drawn(self.point)
        return Start(self.point.w, a, self.point.s, None if drawn is None or times is None else times * drawn)

    def moved_to(self, w: Array, s: Array, pulled: Array) -> ExplicitSolution:
        """Return the solution with the same dual variables, and more accurate weights, margins and S'u = `pulled`."""
        return replace(self, point=self.machine.certified(w, s, self.point, pulled))


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
    """Solve the problem of features Z and labels y; the last `free` features are not penalised.

    `start` is the initial point, if any; even if its gap is below `tol`, the solution is nearer, so that a picture with
    a rough tolerance follows a parameter that moves in small steps. `moments()` returns the moments of the rows, for
    callers that cache them.
    """
    machine = Machine(Z, y, problem, free, moments)
    begun = 0
    if start is None and len(Z) > max(FEW_ROWS, PART * Z.width):
        rows = stratified(y, len(Z) // PART)
        part = problem.of(rows)
        begin = solve_explicit(Z.take(rows), y[rows], part, free=free, tol=ROUGH, max_iter=max_iter)
        start, begun = Start(begin.point.w), begin.n_iter
    point = machine.at(Start(np.zeros(Z.width)) if start is None else start)
    warm, held = start is not None, start is not None and start.a is not None
    goal = min(tol, max(CLOSER * point.gap, FINE)) if warm else tol
    width = first_width(point, warm, held)
    if warm and len(Z) > FEW_ROWS and problem.loss.kinked and machine.metric is not None:
        point, n_iter, width = machine.descend(point, width, max(goal, CLOSE), max_iter)
        point, taken, _ = _settle_near(machine, point, width, goal, max_iter)
        begun, width = begun + n_iter + taken, first_width(point, warm, held=True)
    best, n_iter, _ = machine.descend(point, width, goal, max_iter)
    machine.rest()
    return ExplicitSolution(best, begun + n_iter, bool(best.gap <= tol), machine)


def stratified(y: Array, count: int, seed: int = 0) -> Index:
    """Return about `count` random row indices, ascending, stratified by class."""
    rng = np.random.default_rng(seed)
    parts = []
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        size = min(len(members), max(2, round(count * len(members) / len(y))))
        parts.append(rng.choice(members, size, replace=False))
    return np.sort(np.concatenate(parts))


def _settle_near(whole: Machine, at: Point, width: float, tol: float, max_iter: int) -> tuple[Point, int, float]:
    """Solve the rows near a kink and evaluate all rows, by turns, until the gap is `tol` or too many rows are near.

    Return the last point, the number of steps, and the width of the smoothing reached. Other rows that cross a kink can
    make the gap large although the weights are good, so a lower primal value counts as progress too, once. Without
    progress, take steps on all rows.
    """
    n_iter, loss, share, trusting = 0, whole.problem.loss, NEAR_SHARE, True
    while at.gap > tol and n_iter < max_iter and not over_budget():
        away = loss.distance_to_kink(at.s, at.a)
        count = max(int(share * len(away)), int((away == 0.0).sum()))
        if count > MOST_SHARE * len(away):
            break
        rows = np.sort(np.argpartition(away, count)[:count])
        found, taken, narrow = _solve_near(NearMachine(whole, at, rows), float(away[rows].max()), width, tol, max_iter)
        s = whole.scores(found.w)
        a = loss.forces_off_kinks(s)
        crossed = int(np.count_nonzero(a != at.a)) - int(np.count_nonzero(a[rows] != at.a[rows]))
        a[rows] = found.a
        looked = whole.beside(at, found.w, s, a)
        better = looked.gap < at.gap
        if not better and trusting and looked.gap < MOST_GAP:
            better, trusting = whole.beside(at, found.w, s, at.a).excess < at.excess, False
        if crossed > FEW_CROSSED * count or not better:
            share *= 2.0
        elif looked.gap < 0.5 * at.gap:
            share *= 0.5
        n_iter += taken
        if better:
            at, width = looked, narrow
        else:
            at, taken, width = whole.descend(at, width, max(tol, STEPPED * at.gap), max_iter)
            n_iter += taken
    return at, n_iter, width


def _solve_near(near: NearMachine, reach: float, width: float, tol: float, max_iter: int) -> tuple[Point, int, float]:
    """Solve the near rows, whose margins are within `reach` of a kink: first roughly, then by `_settle_near`.

    The second part is left out if the near rows are few, or if too many margins have moved by `reach`: then other rows
    may have crossed a kink, too.
    """
    enough = ENOUGH * tol
    found, n_iter, width = near.descend(near.first, width, max(enough, FURTHER * near.first.gap), max_iter)
    far = np.count_nonzero(np.abs(found.s - near.first.s) >= reach)
    if len(near.Z) <= MANY_NEAR or far > FEW_MOVED * len(near.Z):
        return found, n_iter, width
    found, taken, width = _settle_near(near, found, width, enough, max_iter)
    return found, n_iter + taken, width


class NearMachine(Machine):
    """The problem of some rows, with the dual variables of all others fixed at a point; `first` is that point."""

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
        split = self.problem.loss.value_and_disagreement(s, a)[1]
        return Point(w, s, a, a, split + self.defect(w, s, r), split, self._size, r)
