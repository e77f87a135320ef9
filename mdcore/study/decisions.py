"""What if errors cost differently? Thresholds and probabilities, chosen on held-out rows of the training part.

Every function takes a Result of two classes whose plan had `held_out`; f is the decision, +1 the second class. What is
chosen, is chosen on `inner`; what is told, is told of test rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.margin import MarginDistribution, Scale, rescale
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.scores import ROUNDING
from mdcore.study.trial import Result

Array = NDArray[np.float64]
Calibration = Literal["sigmoid", "isotonic"]

BINS = 10  # of the reliability curve, with the same number of rows each


@dataclass(frozen=True, eq=False)
class Split:
    """Decisions and whether a row is of the positive class: of the held-out training rows, and of the test rows."""

    inner: Array
    inner_positive: NDArray[np.bool_]
    test: Array
    test_positive: NDArray[np.bool_]
    norm: float
    unit: float  # the standard deviation of the decisions held out: thresholds of several splits are told in it


@dataclass(frozen=True)
class AtThreshold:
    """Test rows of one split when the positive class is said where f > threshold."""

    threshold: float
    missed: int
    alarms: int
    found: int
    passed: int

    def cost(self, ratio: float) -> float:
        """For each row; a false alarm costs 1 and a missed positive `ratio`."""
        return (ratio * self.missed + self.alarms) / (self.missed + self.alarms + self.found + self.passed)


def decisions(comparison: Comparison, result: Result) -> Split:
    """Return the decisions of one split, turned so that the positive class is above."""
    if len(comparison.classes) != 2:
        raise ValueError("Costs, thresholds and probabilities are of two classes.")
    if not len(result.inner):
        raise ValueError("Nothing was held out inside the training part: compare with held_out, or with a grid.")
    plan = comparison.plan
    rows, test = plan.parts(plan.candidate(result.key).method, comparison.y, result.split, comparison.along)
    positive = comparison.classes[-1] if plan.positive is None else plan.positive
    way = 1.0 if positive == comparison.classes[1] else -1.0
    known = np.isfinite(result.inner)
    inner, inner_positive = way * result.inner[known], (comparison.y[rows] == positive)[known]
    test_positive = comparison.y[test] == positive
    f = np.where(test_positive, result.test, -result.test)
    return Split(inner, inner_positive, f, test_positive, result.norm, float(inner.std()) or 1.0)


def best_threshold(split: Split, ratio: float) -> float:
    """Of least cost on the rows held out, half-way between two decisions; of equally cheap ones the nearest to 0."""
    order = np.argsort(split.inner)
    f, positive = split.inner[order], split.inner_positive[order]
    missed = np.concatenate([[0], np.cumsum(positive)])
    alarms = np.concatenate([[0], np.cumsum(~positive)])
    cost = ratio * missed + (alarms[-1] - alarms)
    ends = np.concatenate([[f[0] - split.unit], (f[1:] + f[:-1]) / 2, [f[-1] + split.unit]])
    apart = np.diff(f) > ROUNDING * np.abs(f).max()  # decisions that rounding alone tells apart are on one side
    cuts = np.concatenate([[True], apart, [True]])
    cost = np.where(cuts, cost, np.inf)
    cheapest = np.flatnonzero(cost <= cost.min() + 1e-12)
    return float(ends[cheapest[np.argmin(np.abs(ends[cheapest]))]])


def reach(splits: Sequence[Split]) -> tuple[float, float]:
    """Return the range of thresholds, in spreads of f, that holds every one chosen and every test decision."""
    low = min(min(split.inner.min() / split.unit - 1, split.test.min() / split.unit) for split in splits)
    high = max(max(split.inner.max() / split.unit + 1, split.test.max() / split.unit) for split in splits)
    return float(np.floor(10 * low) / 10), float(np.ceil(10 * high) / 10)


def at_threshold(split: Split, threshold: float) -> AtThreshold:
    said, positive = split.test > threshold, split.test_positive
    return AtThreshold(
        threshold,
        missed=int((positive & ~said).sum()),
        alarms=int((~positive & said).sum()),
        found=int((positive & said).sum()),
        passed=int((~positive & ~said).sum()),
    )


@dataclass(frozen=True, eq=False)
class Costs:
    """One method over all splits: the rows at the thresholds, their cost, and that of never and always saying it."""

    splits: tuple[AtThreshold, ...]
    cost: Spread
    at_zero: Spread
    constant: Spread

    @property
    def counts(self) -> NDArray[np.intp]:
        """All splits together: the other class and the positive one, in rows as they are, in columns as said."""
        return np.sum([[[s.passed, s.alarms], [s.missed, s.found]] for s in self.splits], axis=0)


def costs(comparison: Comparison, key: str, ratio: float, shift: float | None = None) -> Costs:
    """At the thresholds that the rows held out choose for the cost ratio, or at `shift` units of every split."""
    return costs_of([decisions(comparison, result) for result in comparison.of(key)], ratio, shift)


def costs_of(parts: Sequence[Split], ratio: float, shift: float | None = None) -> Costs:
    """Likewise, of splits whose decisions are at hand."""
    chosen = [best_threshold(p, ratio) if shift is None else shift * p.unit for p in parts]
    there = tuple(at_threshold(p, t) for p, t in zip(parts, chosen, strict=True))
    zero = [at_threshold(p, 0.0).cost(ratio) for p in parts]
    never = [min(ratio * p.test_positive.mean(), (~p.test_positive).mean()) for p in parts]
    return Costs(
        there, spread(np.array([t.cost(ratio) for t in there])), spread(np.array(zero)), spread(np.array(never))
    )


def class_margins(split: Split, threshold: float, scale: Scale) -> tuple[MarginDistribution, MarginDistribution]:
    """Test margins of the other and of the positive class: a threshold moves one against the other."""
    margins = np.where(split.test_positive, split.test - threshold, threshold - split.test)
    values = rescale(margins, split.norm, scale)
    return MarginDistribution(values[~split.test_positive], scale), MarginDistribution(
        values[split.test_positive], scale
    )


def roc(split: Split) -> tuple[Array, Array, Array]:
    """False alarms and found positives as shares, and precision, for every threshold from high to low."""
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


# Probabilities


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Of the positive class, for the test rows of every split; each split's Brier score and log loss."""

    predicted: tuple[Array, ...]
    positive: tuple[NDArray[np.bool_], ...]
    brier: Spread
    log_loss: Spread
    brier_of_share: Spread


def probabilities(comparison: Comparison, key: str, how: Calibration) -> Probabilities:
    """Decisions to probabilities, by a map fitted to the held-out rows of the training part, never to test rows."""
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
    """Return the map from decisions to probabilities, scikit-learn's: Platt's sigmoid, or a monotone step function."""
    from sklearn.calibration import _SigmoidCalibration
    from sklearn.isotonic import IsotonicRegression

    model = _SigmoidCalibration() if how == "sigmoid" else IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return model.fit(f, positive.astype(float)).predict


def reliability(found: Probabilities) -> tuple[Array, Array, NDArray[np.intp]]:
    """Bins of as many rows each: the mean probability said, the share that is positive, and the rows."""
    p, positive = np.concatenate(found.predicted), np.concatenate(found.positive)
    order = np.argsort(p, kind="stable")
    bins = [part for part in np.array_split(order, BINS) if len(part)]
    said = np.array([p[part].mean() for part in bins])
    return said, np.array([positive[part].mean() for part in bins]), np.array([len(part) for part in bins])
