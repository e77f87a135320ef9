"""Is one method better than another? Paired tests over splits, the papers' and the one that allows for overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mdcore.study.comparison import Comparison
from mdcore.study.references import MAJORITY
from mdcore.study.splits import GROUPS, RANDOM, TIME

Array = NDArray[np.float64]

CONFIDENCE = 0.95
DIGITS = 12  # of a difference of scores; what lies behind them is rounding
ROUNDED = 12**-0.5  # deviation of what rounding to whole steps takes away, in steps
NAMEABLE = 0.01
"""A difference of up to one point of a score is called none."""
WHY_TWO_TESTS = (
    "The plain paired t-test, as in the papers, treats the splits as independent samples. They are not: any two of "
    "them share most of their training rows, so the differences vary less than those of fresh samples would, and the "
    "test finds differences that are not there. The corrected resampled t-test (Nadeau and Bengio, 2003) multiplies "
    "the variance of the differences by 1/n + (test rows)/(training rows) instead of 1/n, n the number of splits: many "
    "splits alone do not make it sure."
)

WHAT_TESTS_SAY = {
    RANDOM: "The tests speak of other splits of these rows, and of new rows drawn as these were.",
    GROUPS: "The tests speak of new groups like these. There are as many independent observations as groups, not as "
    "rows; the correction takes the share of rows for testing as the overlap, which few large groups make unsure: with "
    "fewer than about ten groups believe no p-value.",
    TIME: "The tests speak of the windows of time that were tried, and of later ones only if nothing drifts. The "
    "windows do not overlap and the training rows grow, so the correction, made for random splits, is no more than "
    "careful: read it as a description of these windows.",
}


@dataclass(frozen=True)
class PairedTest:
    """Student's t for the mean of paired differences, its two-sided p, and the interval for the mean."""

    t: float
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Practical:
    """How probable it is, after these splits, that one is better by more than NAMEABLE, or that neither is."""

    first: float
    neither: float
    second: float


@dataclass(frozen=True)
class Difference:
    """`first` minus `second` over the splits that both have. A win is a split on which the first is better.

    `adjusted` is the corrected p after Holm, for all pairs tested together.
    """

    first: str
    second: str
    splits: int
    mean: float
    deviation: float
    wins: int
    ties: int
    losses: int
    corrected: PairedTest
    plain: PairedTest
    practical: Practical
    adjusted: float


def differences(comparison: Comparison, score: str) -> list[Difference]:
    """Return every pair of methods that have two splits or more in common."""
    return _tested(comparison, score, combinations(comparison.keys, 2))


def against_majority(comparison: Comparison, score: str) -> list[Difference]:
    """Return every method minus what always saying the majority class reaches."""
    return _tested(comparison, score, ((key, MAJORITY) for key in comparison.keys))


def _tested(comparison: Comparison, score: str, pairs: Iterable[tuple[str, str]]) -> list[Difference]:
    found = []
    for first, second in pairs:
        a, b = comparison.by_split(first, score), comparison.by_split(second, score)
        shared = [split for split in sorted(a.keys() & b.keys()) if np.isfinite(a[split] - b[split])]
        if len(shared) < 2:
            continue
        values = np.array([a[split] - b[split] for split in shared])
        sizes = [[len(part) for part in comparison.splits[split]] for split in shared]
        n_train, n_test = np.mean(sizes, axis=0)
        found.append(difference(first, second, values, n_train=n_train, n_test=n_test))
    adjusted = holm([d.corrected.p for d in found])
    return [replace(d, adjusted=p) for d, p in zip(found, adjusted, strict=True)]


def holm(p: Sequence[float]) -> list[float]:
    """p-values of tests made together, each adjusted so that the chance of any false one stays as said (Holm, 1979)."""
    order = np.argsort(p)
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(np.asarray(p)[order] * factors))
    return [float(value) for value in adjusted]


def difference(
    first: str, second: str, values: Array, *, n_train: float, n_test: float, unit: float = 1.0
) -> Difference:
    """Return the tests of one row of paired differences; `unit` is what they call a share of one, as 100 for percents.

    Differences that are all alike are not certain: shares of few rows are coarse, so that the error is at least that of
    counting as many rows, or what rounding to a single row makes of none.
    """
    values = values.round(DIGITS)  # 0.9 - 0.8 and 0.8 - 0.7 are the same difference
    n, factor = len(values), 1.0 / len(values) + n_test / n_train
    least = 0.0
    if values.min() == values.max():
        d = min(abs(values[0]) / unit, 1.0)  # of the test rows at least, one is right and the other wrong: so many vary
        least = unit * (float(np.sqrt(factor * d * (1.0 - d) / n_test)) if d else ROUNDED / (n_test + n_train))
    corrected = paired_test(values, factor, least)
    return Difference(
        first=first,
        second=second,
        splits=n,
        mean=float(values.mean().round(DIGITS)),
        deviation=float(values.std(ddof=1)),
        wins=int((values > 0).sum()),
        ties=int((values == 0).sum()),
        losses=int((values < 0).sum()),
        corrected=corrected,
        plain=paired_test(values, 1.0 / n),
        practical=practical(values, factor, least, NAMEABLE * unit),
        adjusted=corrected.p,
    )


def practical(values: Array, factor: float, least: float = 0.0, rope: float = NAMEABLE) -> Practical:
    """Return the correlated t-test of Benavoli, Corani, Demšar and Zaffalon (2017): Student's t about the mean
    difference, its variance that of the corrected test, over what is better, equivalent and worse."""
    from scipy.stats import t as student

    mean, error = float(values.mean()), max(least, float(np.sqrt(factor * values.var(ddof=1))))
    if error == 0.0:
        return Practical(float(mean > rope), float(-rope <= mean <= rope), float(mean < -rope))
    low, high = student.cdf([(-rope - mean) / error, (rope - mean) / error], len(values) - 1)
    return Practical(float(1.0 - high), float(high - low), float(low))


def paired_test(values: Array, factor: float, least: float = 0.0) -> PairedTest:
    """t with n - 1 degrees of freedom, the variance of the mean taken as `factor` times that of the differences; its
    error is `least` or more."""
    from scipy.stats import t as student

    mean, n = float(values.mean()), len(values)
    error = max(least, float(np.sqrt(factor * values.var(ddof=1))))
    if error == 0.0:
        return PairedTest(float(np.sign(mean)) * np.inf if mean else 0.0, 0.0 if mean else 1.0, mean, mean)
    half = float(student.ppf((1.0 + CONFIDENCE) / 2.0, n - 1)) * error
    return PairedTest(mean / error, float(2.0 * student.sf(abs(mean) / error, n - 1)), mean - half, mean + half)
