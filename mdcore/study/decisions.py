"""Thresholds for unequal costs of errors, and probabilities: chosen on held-out rows of the training part, never on
test rows.

For comparisons of two classes whose plan has `held_out`. f is the decision value; larger values mean the positive
class. Choices are made on `inner` rows only, and evaluated on test rows only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.margins.distribution import MarginDistribution, Scale, rescale
from mdcore.solvers.arrays import Array
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.evaluation import Result
from mdcore.study.plan import Plan
from mdcore.study.scores import ROUNDING

Calibration = Literal["sigmoid", "isotonic"]

BINS = 10  # of the reliability curve, with equal numbers of rows


@dataclass(frozen=True, eq=False)
class Split:
    """Decision values and the positive rows among the held-out training rows (`inner`) and the test rows."""

    inner: Array
    inner_positive: NDArray[np.bool_]
    test: Array
    test_positive: NDArray[np.bool_]
    norm: float
    unit: float  # standard deviation of the held-out decision values; makes thresholds of different splits comparable


@dataclass(frozen=True)
class AtThreshold:
    """Confusion counts on the test rows of one split, with the positive class predicted for f > threshold."""

    threshold: float
    missed: int
    alarms: int
    found: int
    passed: int

    def cost(self, ratio: float) -> float:
        """Return the mean cost of a row: 1 for a false alarm, `ratio` for a missed positive."""
        return (ratio * self.missed + self.alarms) / (self.missed + self.alarms + self.found + self.passed)


def decisions(comparison: Comparison, result: Result) -> Split:
    """Return the decision values of one split, with signs such that larger values mean the positive class."""
    if len(comparison.classes) != 2:
        raise ValueError("Costs, thresholds and probabilities need two classes.")
    if not len(result.inner):
        raise ValueError("Nothing was held out inside the training part: compare with held_out=True in the plan.")
    plan = comparison.plan
    rows, test = plan.parts(plan.candidate(result.key), comparison.y, result.split, comparison.along)
    inner, inner_positive = held_out_decisions(plan, comparison.classes, result.inner, comparison.y[rows])
    test_positive = comparison.y[test] == plan.positive_class(comparison.classes)
    f = np.where(test_positive, result.test, -result.test)
    return Split(inner, inner_positive, f, test_positive, result.norm, float(inner.std()) or 1.0)


def held_out_decisions(
    plan: Plan, classes: NDArray[Any], inner: Array, y: NDArray[Any]
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the decision values of the rows that some fold held out, larger for the positive class, and whether each
    row is positive."""
    known = np.isfinite(inner)
    return plan.sign(classes) * inner[known], (y == plan.positive_class(classes))[known]


def best_threshold(split: Split, ratio: float) -> float:
    """Return the threshold of least cost on the held-out rows, half-way between two decision values; ties go to the
    threshold nearest to 0."""
    order = np.argsort(split.inner)
    f, positive = split.inner[order], split.inner_positive[order]
    missed = np.concatenate([[0], np.cumsum(positive)])
    alarms = np.concatenate([[0], np.cumsum(~positive)])
    cost = ratio * missed + (alarms[-1] - alarms)
    ends = np.concatenate([[f[0] - split.unit], (f[1:] + f[:-1]) / 2, [f[-1] + split.unit]])
    apart = np.diff(f) > ROUNDING * np.abs(f).max()  # no cut between values that differ only by rounding
    cuts = np.concatenate([[True], apart, [True]])
    cost = np.where(cuts, cost, np.inf)
    cheapest = np.flatnonzero(cost <= cost.min() + 1e-12)
    return float(ends[cheapest[np.argmin(np.abs(ends[cheapest]))]])


def reach(splits: Sequence[Split]) -> tuple[float, float]:
    """Return the range of thresholds, in units of each split, that covers every chosen threshold and every test
    decision."""
    low = min(min(split.inner.min() / split.unit - 1, split.test.min() / split.unit) for split in splits)
    high = max(max(split.inner.max() / split.unit + 1, split.test.max() / split.unit) for split in splits)
    return float(np.floor(10 * low) / 10), float(np.ceil(10 * high) / 10)


def at_threshold(split: Split, threshold: float) -> AtThreshold:
    predicted, positive = split.test > threshold, split.test_positive
    return AtThreshold(
        threshold,
        missed=int((positive & ~predicted).sum()),
        alarms=int((~positive & predicted).sum()),
        found=int((positive & predicted).sum()),
        passed=int((~positive & ~predicted).sum()),
    )


@dataclass(frozen=True, eq=False)
class Costs:
    """One method over all splits: counts at the thresholds, their cost, the cost at threshold 0, and the cost of the
    better constant prediction."""

    splits: tuple[AtThreshold, ...]
    cost: Spread
    at_zero: Spread
    constant: Spread

    @property
    def counts(self) -> NDArray[np.intp]:
        """Confusion matrix summed over all splits: true classes in rows, predicted classes in columns, the positive
        class last."""
        return np.asarray(np.sum([[[s.passed, s.alarms], [s.missed, s.found]] for s in self.splits], axis=0))


def costs(comparison: Comparison, key: str, ratio: float, shift: float | None = None) -> Costs:
    """Return the costs at the thresholds chosen on held-out rows for the cost ratio, or at `shift` units of every
    split."""
    return costs_of([decisions(comparison, result) for result in comparison.of(key)], ratio, shift)


def costs_of(parts: Sequence[Split], ratio: float, shift: float | None = None) -> Costs:
    """Return the costs, as `costs` does, from decision values."""
    chosen = [best_threshold(p, ratio) if shift is None else shift * p.unit for p in parts]
    there = tuple(at_threshold(p, t) for p, t in zip(parts, chosen, strict=True))
    zero = [at_threshold(p, 0.0).cost(ratio) for p in parts]
    never = [min(ratio * p.test_positive.mean(), (~p.test_positive).mean()) for p in parts]
    return Costs(
        there, spread(np.array([t.cost(ratio) for t in there])), spread(np.array(zero)), spread(np.array(never))
    )


def class_margins(split: Split, threshold: float, scale: Scale) -> tuple[MarginDistribution, MarginDistribution]:
    """Return the test margins of the negative and of the positive class; a threshold shifts them in opposite
    directions. Without a boundary they are functional margins."""
    if np.isnan(split.norm):
        scale = "functional"
    margins = np.where(split.test_positive, split.test - threshold, threshold - split.test)
    values = rescale(margins, split.norm, scale)
    return MarginDistribution(values[~split.test_positive], scale), MarginDistribution(
        values[split.test_positive], scale
    )


def roc(split: Split) -> tuple[Array, Array, Array]:
    """Return false positive rate, true positive rate and precision for every threshold, in descending order."""
    order = np.argsort(-split.test, kind="stable")
    positive, f = split.test_positive[order], split.test[order]
    found, alarms = np.cumsum(positive), np.cumsum(~positive)
    last = np.concatenate([f[1:] < f[:-1], [True]])
    found, alarms = found[last], alarms[last]
    zero = np.zeros(1)
    precision = found / (found + alarms)
    return (
        np.concatenate([zero, alarms / max(alarms[-1], 1)]),
        np.concatenate([zero, found / max(found[-1], 1)]),
        np.concatenate([precision[:1], precision]),
    )


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Predicted probabilities of the positive class for the test rows of every split, and the spread of their scores.

    `brier_of_share` is the Brier score of always predicting the share of positive rows.
    """

    predicted: tuple[Array, ...]
    positive: tuple[NDArray[np.bool_], ...]
    brier: Spread
    log_loss: Spread
    brier_of_share: Spread


def probabilities(comparison: Comparison, key: str, how: Calibration) -> Probabilities:
    """Convert decision values to probabilities with a map that is fitted to held-out training rows, never to test
    rows."""
    from sklearn.metrics import brier_score_loss, log_loss

    predicted, positive, brier, loss, plain = [], [], [], [], []
    for result in comparison.of(key):
        split = decisions(comparison, result)
        p = calibrator(split.inner, split.inner_positive, how)(split.test)
        predicted.append(p)
        positive.append(split.test_positive)
        brier.append(brier_score_loss(split.test_positive, p))
        loss.append(log_loss(split.test_positive, p, labels=[False, True]))
        share = np.full(len(p), split.inner_positive.mean())
        plain.append(brier_score_loss(split.test_positive, share))
    spreads = (spread(np.array(values)) for values in (brier, loss, plain))
    return Probabilities(tuple(predicted), tuple(positive), *spreads)


def calibrator(f: Array, positive: NDArray[np.bool_], how: Calibration) -> Any:
    """Return scikit-learn's map from decision values to probabilities: Platt's sigmoid or isotonic regression."""
    from sklearn.calibration import _SigmoidCalibration
    from sklearn.isotonic import IsotonicRegression

    model = _SigmoidCalibration() if how == "sigmoid" else IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return model.fit(f, positive.astype(float)).predict


def reliability(found: Probabilities) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return, for bins of equal size, the mean predicted probability, the share of positive rows, and the number of
    rows."""
    p, positive = np.concatenate(found.predicted), np.concatenate(found.positive)
    order = np.argsort(p, kind="stable")
    bins = [part for part in np.array_split(order, BINS) if len(part)]
    predicted = np.array([p[part].mean() for part in bins])
    return predicted, np.array([positive[part].mean() for part in bins]), np.array([len(part) for part in bins])
