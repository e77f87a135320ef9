"""Margins over splits: cumulative curves with bands, and the results of every single example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.margin import PARTS, Part, Scale
from mdcore.study.comparison import Comparison, unit_of

Array = NDArray[np.float64]

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


def margin_axis(comparison: Comparison, scale: Scale, keys: Sequence[str] = (), parts: Sequence[Part] = PARTS) -> Array:
    """Return thresholds that cover the margins of some methods, by default of all, except the outermost thousandth at
    each end."""
    ends: list[Any] = []
    for key in keys or comparison.with_margins:
        for part in parts:
            ends += [margins.quantile(q) for margins in comparison.margins(key, part, scale) for q in (0.001, 0.999)]
    if not ends:
        return np.linspace(-1.0, 1.0, POINTS)
    low, high = float(np.min(ends)), float(np.max(ends))
    pad = 0.02 * (high - low) or 0.5
    return np.linspace(low - pad, high + pad, POINTS)


def band(comparison: Comparison, key: str, part: Part, scale: Scale, t: Array) -> Band:
    """Return the band of P(margin <= t) over the splits."""
    return Band.of(t, np.array([margins.cdf(t) for margins in comparison.margins(key, part, scale)]))


def held_out_curves(comparison: Comparison, scale: Scale) -> list[dict[str, Band]]:
    """Return the bands of the test margins by method, in groups whose margins have the same unit: methods that measure
    in different spaces, and those without distances, stand alone."""
    groups: dict[object, list[str]] = {}
    for key in comparison.with_margins:
        unit = unit_of(comparison, key, scale)
        alone = unit == "votes" or (unit != scale) or (scale == "geometric" and comparison.rulers_differ)
        groups.setdefault(key if alone else unit, []).append(key)
    found = []
    for keys in groups.values():
        t = margin_axis(comparison, scale, keys, ("test",))
        found.append({key: band(comparison, key, "test", scale, t) for key in keys})
    return found


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
