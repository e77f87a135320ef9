"""Paired tests of two methods over splits: the papers' t-test, and a corrected one that allows for overlapping
splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import GROUPS, RANDOM, TIME
from mdcore.study.comparison import Comparison
from mdcore.study.references import MAJORITY

Array = NDArray[np.float64]

CONFIDENCE = 0.95
DIGITS = 12  # to which differences of scores are rounded; the rest is rounding error
ROUNDING_ERROR = 12**-0.5  # standard deviation of the error of rounding to whole steps, in steps
EQUIVALENT = 0.01
"""Differences of up to one point of a score count as equivalent."""
WHY_TWO_TESTS = (
    "The plain paired t-test, as in the papers, treats the splits as independent samples. They are not: any two of "
    "them share most of their training rows, so the differences vary less than those of fresh samples would, and the "
    "test finds differences that are not there. The corrected resampled t-test (Nadeau and Bengio, 2003) multiplies "
    "the variance of the differences by 1/n + (test rows)/(training rows) instead of 1/n for n splits, so that many "
    "splits alone do not make a difference significant."
)

WHAT_TESTS_SAY = {
    RANDOM: "The tests apply to other splits of these rows, and to new rows drawn in the same way.",
    GROUPS: "The tests apply to new groups like these. The independent observations are the groups, not the rows; the "
    "correction measures the overlap in rows, which is unreliable with few large groups: with fewer than about ten "
    "groups, do not rely on p-values.",
    TIME: "The tests apply to the windows of time that were tried, and to later ones only if nothing drifts. The "
    "windows do not overlap and the training rows grow, while the correction is meant for random splits: read the "
    "results as a description of these windows.",
}


@dataclass(frozen=True)
class PairedTest:
    """Student's t for the mean of paired differences, its two-sided p-value, and the confidence interval for the
    mean."""

    t: float
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Practical:
    """Probabilities that the first is better by more than EQUIVALENT, that neither is, and that the second is."""

    first: float
    neither: float
    second: float


@dataclass(frozen=True)
class Difference:
    """`first` minus `second` over the splits that both have; a win is a split on which the first is better.

    `adjusted` is the corrected p-value after Holm's adjustment for all pairs tested together.
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
    """Return the tests of every pair of methods that have at least two splits in common."""
    return _tested(comparison, score, combinations(comparison.keys, 2))


def against_majority(comparison: Comparison, score: str) -> list[Difference]:
    """Return the tests of every method against predicting the majority class."""
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
    """Return p-values adjusted for tests made together: they control the probability of any false positive (Holm,
    1979)."""
    order = np.argsort(p)
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(np.asarray(p)[order] * factors))
    return [float(value) for value in adjusted]


def difference(
    first: str, second: str, values: Array, *, n_train: float, n_test: float, unit: float = 1.0
) -> Difference:
    """Return the tests of paired differences. `unit` is their scale: 1 for shares, 100 for percentages.

    Equal differences in all splits do not mean certainty, because scores are shares of few rows. The standard error is
    then at least that of a share of as many test rows or, if all differences are 0, that of rounding to a single row.
    """
    values = values.round(DIGITS)  # 0.9 - 0.8 and 0.8 - 0.7 must be equal
    n, factor = len(values), corrected_factor(len(values), n_train, n_test)
    least = 0.0
    if values.min() == values.max():
        d = min(abs(values[0]) / unit, 1.0)  # at least this share of the test rows is classified differently
        least = unit * (float(np.sqrt(factor * d * (1.0 - d) / n_test)) if d else ROUNDING_ERROR / (n_test + n_train))
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
        practical=practical(values, factor, least, EQUIVALENT * unit),
        adjusted=corrected.p,
    )


def corrected_factor(n: int, n_train: float, n_test: float) -> float:
    """Return the variance of a mean over n overlapping splits, in units of the variance over the splits; without
    overlap it would be 1/n."""
    return 1.0 / n + n_test / n_train


def standard_error(values: Array, factor: float, least: float = 0.0) -> float:
    """Return the standard error of the mean, at least `least`, if its variance is `factor` times that of the values."""
    return max(least, float(np.sqrt(factor * values.var(ddof=1))))


def practical(values: Array, factor: float, least: float = 0.0, rope: float = EQUIVALENT) -> Practical:
    """Return the correlated t-test of Benavoli, Corani, Demšar and Zaffalon (2017): the posterior probabilities that
    the difference is above, within or below ±`rope`, with the variance of the corrected test."""
    from scipy.stats import t as student

    mean, error = float(values.mean()), standard_error(values, factor, least)
    if error == 0.0:
        return Practical(float(mean > rope), float(-rope <= mean <= rope), float(mean < -rope))
    low, high = student.cdf([(-rope - mean) / error, (rope - mean) / error], len(values) - 1)
    return Practical(float(1.0 - high), float(high - low), float(low))


def paired_test(values: Array, factor: float, least: float = 0.0) -> PairedTest:
    """Return a t-test with n - 1 degrees of freedom.

    The variance of the mean is `factor` times the variance of the differences, and its square root at least `least`.
    """
    from scipy.stats import t as student

    mean, n, error = float(values.mean()), len(values), standard_error(values, factor, least)
    if error == 0.0:
        return PairedTest(float(np.sign(mean)) * np.inf if mean else 0.0, 0.0 if mean else 1.0, mean, mean)
    half = float(student.ppf((1.0 + CONFIDENCE) / 2.0, n - 1)) * error
    return PairedTest(mean / error, float(2.0 * student.sf(abs(mean) / error, n - 1)), mean - half, mean + half)
