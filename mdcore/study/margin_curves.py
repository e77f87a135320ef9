"""Margins over splits: cumulative curves with bands, and the results of every single example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.margins.distribution import PARTS, MarginDistribution, Part, Scale
from mdcore.solvers.arrays import Array
from mdcore.study.comparison import Comparison, unit_of

BAND = (0.1, 0.9)  # the quantiles over the splits between which a band lies
POINTS = 201


@dataclass(frozen=True, eq=False)
class Band:
    """Pointwise median and BAND quantiles of curves over the splits."""

    x: Array
    low: Array
    middle: Array
    high: Array

    @classmethod
    def of(cls, x: Array, curves: Array) -> Self:
        """Return the band of curves, one in each row."""
        low, middle, high = np.quantile(curves, (BAND[0], 0.5, BAND[1]), axis=0)
        return cls(x, low, middle, high)


def margin_axis(comparison: Comparison, scale: Scale) -> Array:
    """Return thresholds that cover the margins of all methods, except the outermost thousandth at each end."""
    keys = comparison.with_margins
    return _axis([margins for key in keys for part in PARTS for margins in comparison.margins(key, part, scale)])


def band(comparison: Comparison, key: str, part: Part, scale: Scale, t: Array) -> Band:
    """Return the band of P(margin <= t) over the splits."""
    return _band(comparison.margins(key, part, scale), t)


def held_out_curves(comparison: Comparison) -> list[dict[str, Band]]:
    """Return the bands of the test margins by method, in groups whose margins have the same unit: distances if they
    have one ruler, else each method's own units. Votes, and functional margins of models without a boundary beside
    distances, stand alone."""
    groups: dict[object, dict[str, list[MarginDistribution]]] = {}
    for key in comparison.with_margins:
        unit = unit_of(comparison, key, "geometric")
        alone = unit == "votes" or (unit != "geometric" and comparison.one_ruler)
        margins = (
            comparison.margins(key, "test", "geometric") if comparison.one_ruler else _in_own_units(comparison, key)
        )
        groups.setdefault(key if alone else "", {})[key] = margins
    found = []
    for group in groups.values():
        t = _axis([one for margins in group.values() for one in margins])
        found.append({key: _band(margins, t) for key, margins in group.items()})
    return found


def _in_own_units(comparison: Comparison, key: str) -> list[MarginDistribution]:
    """Return the test margins of every split over the mean size of its training margins: shapes without a unit."""
    parts = (comparison.margins(key, part, "geometric") for part in PARTS)
    return [
        MarginDistribution(test.values / (float(np.abs(train.values).mean()) or 1.0), test.scale)
        for train, test in zip(*parts, strict=True)
    ]


def _axis(distributions: Sequence[MarginDistribution]) -> Array:
    ends: list[Any] = [margins.quantile(q) for margins in distributions for q in (0.001, 0.999)]
    if not ends:
        return np.linspace(-1.0, 1.0, POINTS)
    low, high = float(np.min(ends)), float(np.max(ends))
    pad = 0.02 * (high - low) or 0.5
    return np.linspace(low - pad, high + pad, POINTS)


def _band(margins: Sequence[MarginDistribution], t: Array) -> Band:
    return Band.of(t, np.array([one.cdf(t) for one in margins]))


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows that were tested at least once. By method: mean test margin, and share of wrong test predictions."""

    rows: NDArray[np.intp]
    tested: NDArray[np.intp]
    margin: dict[str, Array]
    wrong: dict[str, Array]


def examples(comparison: Comparison, scale: Scale) -> JudgedRows:
    """Return the tested rows, sorted so that rows misclassified most often by most methods come first."""
    n = len(comparison.y)
    tests = [test for _, test in comparison.splits]
    tested = np.zeros(n, dtype=np.intp)
    margin, wrong = {}, {}
    for key in comparison.keys:
        done = comparison.of(key)
        count, total, errors = np.zeros(n, dtype=np.intp), np.zeros(n), np.zeros(n)
        for result, margins in zip(done, comparison.margins(key, "test", scale), strict=True):
            values = margins.values
            rows = tests[result.split]
            count[rows] += 1
            total[rows] += values
            errors[rows] += values <= 0
        with np.errstate(invalid="ignore"):
            margin[key], wrong[key] = total / count, errors / count
        tested = np.maximum(tested, count)
    rows = np.flatnonzero(tested)
    worst = np.mean([np.nan_to_num(wrong[key][rows]) for key in comparison.keys], axis=0)
    typical = np.mean([np.nan_to_num(margin[key][rows]) for key in comparison.keys], axis=0)
    rows = rows[np.lexsort((typical, -worst))]
    return JudgedRows(
        rows, tested[rows], {key: m[rows] for key, m in margin.items()}, {key: w[rows] for key, w in wrong.items()}
    )
