"""Significance tests: within a set over the splits, as in the papers, and across sets, as the literature recommends.

Within a set: the papers' paired t-test, and the corrected test that allows for overlapping training sets. Across sets:
Friedman's test on the ranks, Wilcoxon's signed-rank test of every pair with Holm's correction, and Nemenyi's critical
difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mdcore.papers.table_report import Counts, TableReport, Tally
from mdcore.solvers.arrays import Array
from mdcore.study.differences import CONFIDENCE, Difference, difference, holm

LEVEL = 1.0 - CONFIDENCE


@dataclass(frozen=True)
class Ranking:
    """Mean ranks (best first), Friedman's p, Nemenyi's critical difference, and the pairs with adjusted p (smallest
    first), over the sets that all methods have."""

    methods: tuple[str, ...]
    ranks: dict[str, float]
    sets: tuple[str, ...]
    p: float
    critical: float
    pairs: dict[tuple[str, str], float]

    def groups(self) -> list[tuple[str, ...]]:
        """Return the maximal groups of methods whose ranks differ by at most the critical difference."""
        found: list[tuple[str, ...]] = []
        for i, first in enumerate(self.methods):
            near = [m for m in self.methods[i:] if self.ranks[m] - self.ranks[first] <= self.critical]
            if len(near) > 1 and not any(set(near) <= set(group) for group in found):
                found.append(tuple(near))
        return found


def paired(report: TableReport, dataset: str, first: str, second: str) -> Difference | None:
    """Return the tests over the splits that both methods have, or None for fewer than two splits."""
    a, b = report.common(dataset, first, second)
    if len(a) < 2:
        return None
    entry = report.entries[dataset, first]
    unit = report.protocol.unit
    return difference(first, second, a - b, n_train=entry.n_train, n_test=entry.n_test, unit=unit)


def tallies(report: TableReport) -> tuple[Tally, ...]:
    """Compare the reference with every other method over the sets on which both have at least two splits."""
    reference = report.protocol.reference
    others = [method for method in report.methods if method != reference]
    if report.protocol.measure != "accuracy" or reference not in report.methods:
        return ()
    compared = {m: [paired(report, dataset, reference, m) for dataset in report.datasets] for m in others}
    found = {method: [test for test in tests if test is not None] for method, tests in compared.items()}
    return tuple(
        Tally(m, _counts(tests, lambda d: d.plain.p), _counts(tests, lambda d: d.corrected.p))
        for m, tests in found.items()
        if tests
    )


def _counts(found: Sequence[Difference], p: Callable[[Difference], float]) -> Counts:
    signs = [0 if p(each) >= LEVEL else 1 if each.mean > 0 else -1 for each in found]
    return signs.count(1), signs.count(0), signs.count(-1)


def ranking(report: TableReport) -> Ranking | None:
    """Rank the methods over the sets that all of them have. Return None for fewer than two methods or three sets."""
    sets = tuple(d for d in report.datasets if all(_mean(report, d, m) is not None for m in report.methods))
    if len(report.methods) < 2 or len(sets) < 3:
        return None
    means = np.array([[_mean(report, d, m) for m in report.methods] for d in sets], dtype=np.float64).round(12)
    return rank_methods(report.methods, sets, means)


def rank_methods(methods: Sequence[str], sets: Sequence[str], means: Array) -> Ranking:
    """Rank the methods from their means, one row for each set; larger is better."""
    from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon

    n, k = means.shape
    ranks = rankdata(-means, axis=1).mean(axis=0)
    spread = bool((means != means[:, :1]).any())
    p = float(friedmanchisquare(*means.T).pvalue) if k > 2 and spread else np.nan
    raw = {}
    for i, j in combinations(range(k), 2):
        gaps = means[:, i] - means[:, j]
        raw[methods[i], methods[j]] = float(wilcoxon(gaps).pvalue) if gaps.any() else 1.0
    q = float(studentized_range.ppf(CONFIDENCE, k, np.inf)) / np.sqrt(2.0)
    order = np.argsort(ranks, kind="stable")
    return Ranking(
        methods=tuple(methods[i] for i in order),
        ranks={method: float(rank) for method, rank in zip(methods, ranks, strict=True)},
        sets=tuple(sets),
        p=p,
        critical=float(q * np.sqrt(k * (k + 1) / (6.0 * n))),
        pairs=dict(sorted(zip(raw, holm(list(raw.values())), strict=True), key=lambda pair: pair[1])),
    )


def _mean(report: TableReport, dataset: str, method: str) -> float | None:
    entry = report.entry(dataset, method)
    return None if entry is None else entry.mean
