"""Is one method better than another? Paired tests over splits, the papers' and the one that allows for overlap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mdcore.study.comparison import Comparison

Array = NDArray[np.float64]

CONFIDENCE = 0.95
WHY_TWO_TESTS = (
    "The plain paired t-test, as in the papers, treats the splits as independent samples. They are not: any two of "
    "them share most of their training rows, so the differences vary less than those of fresh samples would, and the "
    "test finds differences that are not there. The corrected resampled t-test (Nadeau and Bengio, 2003) multiplies "
    "the variance of the differences by 1/n + n_test/n_train instead of 1/n: many splits alone do not make it sure."
)


@dataclass(frozen=True)
class PairedTest:
    """Student's t for the mean of paired differences, its two-sided p, and the interval for the mean."""

    t: float
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """`first` minus `second` over the splits that both have. A win is a split on which the first is better."""

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


def differences(comparison: Comparison, score: str) -> list[Difference]:
    """Every pair of methods that have two splits or more in common."""
    found = []
    for first, second in combinations(comparison.keys, 2):
        a = {result.split: result for result in comparison.of(first)}
        b = {result.split: result for result in comparison.of(second)}
        shared = sorted(a.keys() & b.keys())
        if len(shared) < 2:
            continue
        values = np.array([a[split].scores[score] - b[split].scores[score] for split in shared])
        one = a[shared[0]]
        found.append(difference(first, second, values, n_train=one.n_train, n_test=len(one.test)))
    return found


def difference(first: str, second: str, values: Array, *, n_train: int, n_test: int) -> Difference:
    """The tests of one row of paired differences."""
    values = values.round(12)  # 0.9 - 0.8 and 0.8 - 0.7 are the same difference
    n = len(values)
    return Difference(
        first=first,
        second=second,
        splits=n,
        mean=float(values.mean()),
        deviation=float(values.std(ddof=1)),
        wins=int((values > 0).sum()),
        ties=int((values == 0).sum()),
        losses=int((values < 0).sum()),
        corrected=paired_test(values, 1.0 / n + n_test / n_train),
        plain=paired_test(values, 1.0 / n),
    )


def paired_test(values: Array, factor: float) -> PairedTest:
    """t with n - 1 degrees of freedom, the variance of the mean taken as `factor` times that of the differences."""
    from scipy.stats import t as student

    mean, n = float(values.mean()), len(values)
    error = float(np.sqrt(factor * values.var(ddof=1)))
    if error == 0.0:
        return PairedTest(float(np.sign(mean)) * np.inf if mean else 0.0, 0.0 if mean else 1.0, mean, mean)
    half = float(student.ppf((1.0 + CONFIDENCE) / 2.0, n - 1)) * error
    return PairedTest(mean / error, float(2.0 * student.sf(abs(mean) / error, n - 1)), mean - half, mean + half)
