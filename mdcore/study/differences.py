"""Paired tests of two methods over splits: the papers' t-test, and a corrected one that allows for overlapping
splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mdcore.data.splitting import GROUPS
from mdcore.solvers.arrays import Array
from mdcore.study.comparison import Comparison
from mdcore.study.references import MAJORITY

CONFIDENCE = 0.95
LEVEL = 1.0 - CONFIDENCE
DIGITS = 12  # to which differences of scores are rounded; the rest is rounding error
ROUNDING_ERROR = 12**-0.5  # standard deviation of the error of rounding to whole steps, in steps
EQUIVALENT = 0.01
"""Differences of up to one point of a score count as equivalent."""


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

    `adjusted` is the corrected p-value after Holm's adjustment for all pairs tested together; `low` and `high` are the
    ends of the corrected interval that holds for all these pairs at once (Bonferroni).
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
    low: float
    high: float

    @property
    def is_significant(self) -> bool:
        return self.adjusted < LEVEL

    @property
    def favours_first(self) -> bool:
        return self.is_significant and self.mean > 0


@dataclass(frozen=True)
class Overlap:
    """What a test of a mean over splits assumes about them: the mean numbers of independent observations in the
    training and in the test part, and the degrees of freedom."""

    n_train: float
    n_test: float
    freedom: int

    def factor(self, n: int) -> float:
        return corrected_factor(n, self.n_train, self.n_test)


def overlap(comparison: Comparison, splits: Sequence[int]) -> Overlap:
    """Return the overlap of some splits, counted in rows or, where groups are kept together, in groups."""
    parts, along = [comparison.splits[split] for split in splits], comparison.along
    freedom = len(splits) - 1
    if comparison.plan.kind == GROUPS and along is not None:
        parts = [(np.unique(along[train]), np.unique(along[test])) for train, test in parts]
        freedom = min(freedom, len(np.unique(along)) - 1)
    n_train, n_test = np.mean([[len(part) for part in pair] for pair in parts], axis=0)
    return Overlap(float(n_train), float(n_test), freedom)


def family(comparison: Comparison, score: str) -> list[Difference]:
    """Return the tests of all pairs, each with at least two splits in common: the methods among each other, and each
    against predicting the majority class.

    There are none before all planned splits are done: a test that is read while results come in, or after a stop at a
    moment of one's choice, finds too much.
    """
    if not comparison.complete:
        return []
    pairs = [
        (*pair, *shared_values(comparison, score, *pair)) for pair in combinations((*comparison.keys, MAJORITY), 2)
    ]
    tested = [pair for pair in pairs if len(pair[-1]) > 1]
    found = []
    for first, second, values, splits in tested:
        seen = overlap(comparison, splits)
        found.append(
            difference(
                first,
                second,
                values,
                n_train=seen.n_train,
                n_test=seen.n_test,
                freedom=seen.freedom,
                pairs=len(tested),
            )
        )
    adjusted = holm([d.corrected.p for d in found])
    return [replace(d, adjusted=p) for d, p in zip(found, adjusted, strict=True)]


def differences(comparison: Comparison, score: str) -> list[Difference]:
    """Return the tests of the methods among each other."""
    return [d for d in family(comparison, score) if d.second != MAJORITY]


def shared_values(comparison: Comparison, score: str, first: str, second: str) -> tuple[Array, list[int]]:
    """Return the differences of a score on the splits that two methods share, and these splits."""
    a, b = comparison.by_split(first, score), comparison.by_split(second, score)
    shared = [split for split in sorted(a.keys() & b.keys()) if np.isfinite(a[split] - b[split])]
    return np.array([a[split] - b[split] for split in shared]), shared


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for tests made together: they control the probability of any false positive (Holm,
    1979)."""
    order = np.argsort(p)
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(np.asarray(p)[order] * factors))
    return [float(value) for value in adjusted]


def difference(
    first: str,
    second: str,
    values: Array,
    *,
    n_train: float,
    n_test: float,
    unit: float = 1.0,
    freedom: int | None = None,
    pairs: int = 1,
) -> Difference:
    """Return the tests of paired differences, one of `pairs` tested together. `unit` is their scale: 1 for shares, 100
    for percentages. `freedom` is the number of degrees of freedom if it is not that of independent splits.

    Equal differences in all splits do not mean certainty, because scores are shares of few rows. The standard error is
    then at least that of a share of as many test rows or, if all differences are 0, that of rounding to a single row.
    """
    values = values.round(DIGITS)  # 0.9 - 0.8 and 0.8 - 0.7 must be equal
    n, factor = len(values), corrected_factor(len(values), n_train, n_test)
    least = 0.0
    if values.min() == values.max():
        d = min(abs(values[0]) / unit, 1.0)  # at least this share of the test rows is classified differently
        least = unit * (float(np.sqrt(factor * d * (1.0 - d) / n_test)) if d else ROUNDING_ERROR / (n_test + n_train))
    corrected = paired_test(values, factor, least, freedom=freedom)
    together = paired_test(values, factor, least, freedom=freedom, confidence=1.0 - (1.0 - CONFIDENCE) / pairs)
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
        practical=practical(values, factor, least, EQUIVALENT * unit, freedom),
        adjusted=min(1.0, pairs * corrected.p),
        low=together.low,
        high=together.high,
    )


def corrected_factor(n: int, n_train: float, n_test: float) -> float:
    """Return the variance of a mean over n overlapping splits, in units of the variance over the splits; without
    overlap it would be 1/n."""
    return 1.0 / n + n_test / n_train


def standard_error(values: Array, factor: float, least: float = 0.0) -> float:
    """Return the standard error of the mean, at least `least`, if its variance is `factor` times that of the values."""
    return max(least, float(np.sqrt(factor * values.var(ddof=1))))


def practical(
    values: Array, factor: float, least: float = 0.0, rope: float = EQUIVALENT, freedom: int | None = None
) -> Practical:
    """Return the correlated t-test of Benavoli, Corani, Demšar and Zaffalon (2017): the posterior probabilities that
    the difference is above, within or below ±`rope`, with the variance of the corrected test."""
    from scipy.stats import t as student

    mean, error = float(values.mean()), standard_error(values, factor, least)
    if error == 0.0:
        return Practical(float(mean > rope), float(-rope <= mean <= rope), float(mean < -rope))
    low, high = student.cdf([(-rope - mean) / error, (rope - mean) / error], freedom or len(values) - 1)
    return Practical(float(1.0 - high), float(high - low), float(low))


def paired_test(
    values: Array, factor: float, least: float = 0.0, *, freedom: int | None = None, confidence: float = CONFIDENCE
) -> PairedTest:
    """Return a t-test with `freedom` degrees of freedom, by default n - 1.

    The variance of the mean is `factor` times the variance of the differences, and its square root at least `least`.
    """
    from scipy.stats import t as student

    mean, error = float(values.mean()), standard_error(values, factor, least)
    freedom = freedom or len(values) - 1
    if error == 0.0:
        return PairedTest(float(np.sign(mean)) * np.inf if mean else 0.0, 0.0 if mean else 1.0, mean, mean)
    half = float(student.ppf((1.0 + confidence) / 2.0, freedom)) * error
    return PairedTest(mean / error, float(2.0 * student.sf(abs(mean) / error, freedom)), mean - half, mean + half)
