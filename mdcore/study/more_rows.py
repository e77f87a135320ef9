"""Would more data help? The score against the number of training rows, on the same test rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mdcore.data.preparation import stratified
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.data import Data
from mdcore.study.differences import NAMEABLE
from mdcore.study.part import estimator, prepared
from mdcore.study.scores import area_under_curve, confusion, scores
from mdcore.study.selection import predicted

SHARES = (0.125, 0.25, 0.5)  # of the rows fitted on; all of them are in the comparison already
SPLITS = 5  # at most
LEAST = 10  # rows


@dataclass(frozen=True)
class Step:
    """A method's score with so many rows to fit on, over the splits."""

    key: str
    rows: int
    score: Spread


@dataclass(frozen=True)
class Growth:
    """The steps of one method, fewest rows first, and what the last doubling of the rows brought, split by split."""

    steps: tuple[Step, ...]
    gain: Spread

    @property
    def rises(self) -> bool:
        """Is the last doubling's gain surely above 0, and worth naming?"""
        error = self.gain.deviation / np.sqrt(SPLITS)
        return bool(self.gain.mean > max(NAMEABLE, 2 * error))


def growth(data: Data, comparison: Comparison, key: str, score: str) -> Growth:
    """With the parameters of every split; rows are left out at random, the classes in proportion."""
    plan, done = comparison.plan, comparison.of(key)[:SPLITS]
    method = plan.candidate(key).method
    reached: dict[float, list[float]] = {share: [] for share in SHARES}
    sizes: dict[float, int] = {}
    for result in done:
        rows, test = plan.parts(method, data.y, result.split, data.along)
        for share in SHARES:
            n = round(share * len(rows))
            if n < max(LEAST, 2 * len(comparison.classes)):
                continue
            sizes[share] = n
            part, _ = prepared(data, plan, plan.candidate(key), rows[stratified(data.y[rows], n, plan.seed)], test)
            with threadpool_limits(limits=1), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = estimator(plan, plan.candidate(key), part, result.params).fit(part.X_fit, part.y_fit)
            f = model.decision_function(part.X_new)
            counts = confusion(part.y_new, predicted(model, f), model.classes_)
            positive = len(counts) - 1 if plan.positive is None else int(np.searchsorted(model.classes_, plan.positive))
            auc = area_under_curve(part.y_new, f, model.classes_) if score == "auc" else np.nan
            reached[share].append(scores(counts, auc, positive)[score])
    whole = [result.scores[score] for result in done]
    steps = [Step(key, sizes[share], spread(np.array(values))) for share, values in reached.items() if values]
    steps.append(Step(key, done[0].n_fit, spread(np.array(whole))))
    half = reached[SHARES[-1]]
    gains = np.array(whole[: len(half)]) - np.array(half) if half else np.array([])
    return Growth(tuple(steps), spread(gains))


def growths(data: Data, comparison: Comparison, score: str) -> Iterator[Growth]:
    return (growth(data, comparison, key, score) for key in comparison.keys_done)


def verdict(comparison: Comparison, found: list[Growth]) -> str:
    """Whether more rows would help, in a sentence."""
    rising = [comparison.names[one.steps[0].key] for one in found if one.rises]
    if not rising:
        return "More rows like these would hardly help: the last doubling gained nothing worth naming, for any method."
    best = max(one.gain.mean for one in found)
    return (
        f"More rows would help {', '.join(rising)}: the last doubling gained up to {100 * best:.1f} points, and the "
        "curve still rises."
    )
