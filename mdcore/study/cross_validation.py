"""Cross-validation inside a training part: the choice of parameters, and decision values for held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from mdcore.data.splitting import Rows
from mdcore.solvers.arrays import Array
from mdcore.study.fitting import inner_fitter
from mdcore.study.folds import Folds
from mdcore.study.plan import Candidate, Plan
from mdcore.study.scores import score_of
from mdcore.study.search import Lattice, Option, Point, ranked

Tick = Callable[[], None]
NOTHING: Array = np.empty(0)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The chosen option, one of `tried`, and its mean score over the folds; 0 and nan if nothing was to choose.

    `inner` is f of every training row from the fold that left it out: nan if no fold did, empty if not requested.
    """

    option: Option
    tried: int
    inner: Array
    score: float = np.nan


@dataclass(frozen=True, eq=False)
class Tried:
    """What became of the options: mean score over the folds, -inf if a fit failed, the reason for that, and f of
    the held-out rows, if requested."""

    scores: dict[Point, float] = field(default_factory=dict)
    inner: dict[Point, Array] = field(default_factory=dict)
    reasons: dict[Point, str] = field(default_factory=dict)


def choose(plan: Plan, candidate: Candidate, folds: Folds, rows: Rows, number: int, seed: int, tick: Tick) -> Chosen:
    """Return the option with the best mean score over folds of the training part; ties go to the simplest.

    Nothing outside of `rows` has an influence. The preparation is fitted anew in each fold, so that no held-out row
    influences it.
    """
    classes = np.unique(folds.data.y[rows])
    lattice, wanted = plan.lattice(candidate, len(classes)), plan.held_out and len(classes) == 2
    if not (lattice.is_choice or wanted):
        return Chosen(lattice.option(()), 0, NOTHING)
    part = plan.tuning_part(folds.data.y, rows, number) if lattice.is_choice else rows
    y = folds.data.y[part]
    if np.unique(y, return_counts=True)[1].min() < plan.folds:
        raise ValueError(f"A class has fewer than {plan.folds} of the {len(part)} rows on which parameters are chosen.")
    tried = Tried()
    while points := lattice.following(tried.scores):
        _try(plan, candidate, folds, part, seed, lattice, sorted(points), wanted, tried, tick)
    best = ranked(tried.scores)[0]
    if best in tried.reasons:
        raise ValueError(tried.reasons[best])
    inner = np.full(len(rows) if wanted else 0, np.nan)
    if wanted:
        inner[np.isin(rows, part)] = tried.inner[best]
    if not lattice.is_choice:
        return Chosen(lattice.option(best), 0, inner)
    return Chosen(lattice.option(best), len(tried.scores), inner, tried.scores[best])


def _try(
    plan: Plan,
    candidate: Candidate,
    folds: Folds,
    rows: Rows,
    seed: int,
    lattice: Lattice,
    points: Sequence[Point],
    wanted: bool,
    tried: Tried,
    tick: Tick,
) -> None:
    """Fit the options of some points to every fold, those with the same kernel one after the other."""
    options = {point: lattice.option(point) for point in points}
    reached: dict[Point, list[float]] = {point: [] for point in points}
    for point in points if wanted else ():
        tried.inner[point] = np.full(len(rows), np.nan)
    for fold in folds.of(candidate, rows, seed):
        for _, group in groupby(points, lambda point: (options[point].several, options[point].width)):
            alike = [point for point in group if point not in tried.reasons]
            fit = inner_fitter(plan, candidate, fold, options[alike[0]]) if alike else None
            for point in alike:
                assert fit is not None
                try:
                    f, classes = fit(options[point])
                except ValueError as error:
                    tried.reasons[point] = str(error)
                    continue
                finally:
                    tick()
                if wanted:
                    tried.inner[point][fold.held_out] = f
                reached[point].append(score_of(plan.criterion, fold.prepared.y_new, f, classes, 0))
    for point in points:
        # Equal scores added in another order differ in the last bit; rounding restores the tie.
        tried.scores[point] = -np.inf if point in tried.reasons else round(float(np.mean(reached[point])), 9)
