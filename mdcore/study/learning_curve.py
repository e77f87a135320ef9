"""Learning curves: the score as a function of the number of training rows, on the same test rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.threads import libraries
from mdcore.data.splitting import GROUPS, Rows, stratified
from mdcore.solvers.arrays import Array
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.data import Data
from mdcore.study.differences import EQUIVALENT, ROUNDING_ERROR, corrected_factor, standard_error
from mdcore.study.fitting import fitted_model
from mdcore.study.folds import prepare_rows
from mdcore.study.plan import Plan
from mdcore.study.scores import score_of

SHARES = (0.125, 0.25, 0.5)  # of the training rows; the comparison already has all of them
SPLITS = 5  # at most
MIN_ROWS = 10  # rows


@dataclass(frozen=True)
class Step:
    """A method's score with a given number of training rows, over the splits."""

    key: str
    rows: int
    score: Spread


@dataclass(frozen=True)
class Growth:
    """The steps of one method, fewest rows first, and the gain of the last doubling of the rows over the splits."""

    steps: tuple[Step, ...]
    gain: Spread

    error: float
    """Standard error of the mean gain, corrected for the overlap of the splits."""
    sure: bool
    """Whether the gain of the last doubling, or of the last two together, is significantly above 0."""

    @property
    def rises(self) -> bool:
        """Whether the gain of the last doubling is worth naming and significant."""
        return bool(self.gain.mean > EQUIVALENT) and self.sure

    @property
    def flat(self) -> bool:
        """Whether the gain is clearly not worth naming; `rises` and `flat` are both false if it is uncertain."""
        return bool(self.gain.mean <= EQUIVALENT and self.gain.mean + 2 * self.error < 2 * EQUIVALENT)


def growth(data: Data, comparison: Comparison, key: str, score: str) -> Growth:
    """Return the learning curve of a method, with each split's parameters.

    Rows are left out at random with stratification, or by whole groups.
    """
    plan, done = comparison.plan, comparison.of(key)[:SPLITS]
    reached: dict[float, list[float]] = {share: [] for share in SHARES}
    sizes: dict[float, int] = {}
    for result in done:
        rows, test = plan.parts(plan.candidate(key), data.y, result.split, data.along)
        for share in SHARES:
            n = round(share * len(rows))
            if n < max(MIN_ROWS, 2 * len(comparison.classes)):
                continue
            some = rows[_subset(data, plan, rows, n)]
            prepared = prepare_rows(data, plan, plan.candidate(key), some, test)
            sizes[share] = len(prepared.y_fit)
            with libraries().limit(limits=1), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = fitted_model(plan, plan.candidate(key), prepared, result.params)
            f, classes = model.decision_function(prepared.X_new), model.classes_
            reached[share].append(score_of(score, prepared.y_new, f, classes, plan.positive_code(classes)))
    whole = [result.scores[score] for result in done]
    steps = [Step(key, sizes[share], spread(np.array(values))) for share, values in reached.items() if values]
    steps.append(Step(key, done[0].n_fit, spread(np.array(whole))))
    quarter, half = ((np.array(whole[: len(reached[share])]) - reached[share]) for share in SHARES[-2:])
    n_train, n_test = (len(part) for part in comparison.splits[0])
    error, both = (_error(gains, n_train, n_test) for gains in (half, quarter))
    gain = spread(half)
    sure = gain.mean > 2 * error or spread(quarter).mean > 2 * both
    return Growth(tuple(steps), gain, error, bool(sure))


def _error(gains: Array, n_train: int, n_test: int) -> float:
    """Return the standard error of the mean gain over overlapping splits; at least the resolution of a single row."""
    if len(gains) < 2:
        return float(np.inf)
    resolution = ROUNDING_ERROR / (n_train + n_test)
    return standard_error(gains, corrected_factor(len(gains), n_train, n_test), resolution)


def _subset(data: Data, plan: Plan, rows: Rows, n: int) -> Rows:
    """Return positions of n rows or, if splits keep groups together, of groups with about n rows in total."""
    along = data.along_of(rows) if plan.kind == GROUPS else None
    if along is None:
        return stratified(data.y[rows], n, plan.seed)
    groups, sizes = np.unique(along, return_counts=True)
    order = np.random.default_rng(plan.seed).permutation(len(groups))
    until = np.cumsum(sizes[order])
    last = int(np.searchsorted(until, n))
    while len(np.unique(data.y[rows[chosen := np.isin(along, groups[order[: last + 1]])]])) < len(np.unique(data.y)):
        last += 1  # until every class is in the training part
    return np.flatnonzero(chosen)


def growths(data: Data, comparison: Comparison, score: str) -> Iterator[Growth]:
    return (growth(data, comparison, key, score) for key in comparison.keys_done)


def verdict(comparison: Comparison, found: list[Growth]) -> str:
    """Return one sentence on whether more rows would help."""
    rising = [comparison.names[one.steps[0].key] for one in found if one.rises]
    if not rising:
        if all(one.flat for one in found):
            return "More rows like these would hardly help: the last doubling improved no method noticeably."
        most = max(found, key=lambda one: one.gain.mean if np.isfinite(one.gain.mean) else -np.inf)
        if not np.isfinite(most.gain.mean):
            return "Too few rows to tell whether more would help: half of them are too few to fit on."
        name, gain, give = comparison.names[most.steps[0].key], 100 * most.gain.mean, 200 * most.error
        return (
            f"It is not clear whether more rows would help: the last doubling gained up to {gain:.1f} points, give or "
            f"take {give:.1f}, for {name}."
        )
    best = max(one.gain.mean for one in found if one.rises)
    return (
        f"More rows would help {', '.join(rising)}: the last doubling gained up to {100 * best:.1f} points, and the "
        "curve still rises."
    )
