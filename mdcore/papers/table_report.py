"""A paper's table with own and printed values, the number of splits, and the failures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from mdcore.papers.protocol import Printed, TableProtocol
from mdcore.papers.sets import Shape, difference
from mdcore.solvers.arrays import Array

Counts = tuple[int, int, int]  # sets on which the reference is significantly better, tied, or significantly worse

WITHIN = 2.0  # means within this many printed standard deviations count as reproduced


@dataclass(frozen=True, eq=False)
class TableEntry:
    """One number of the printed table: the results of a method on a set, in the paper's unit.

    A split is named by its random seed; `seeds` are the finished ones of `wanted`. `difference` is from the printed
    mean. `values` and `cells`, by seed, and the numbers of rows are missing from published results.
    """

    dataset: str
    method: str
    printed: Printed | None
    seeds: tuple[int, ...]
    wanted: int
    mean: float | None
    deviation: float | None
    difference: float | None
    standard_errors: float | None
    failures: tuple[str, ...]
    unconverged: int
    nondeterministic: int
    values: Mapping[int, float] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    n_train: int = 0
    n_test: int = 0

    @property
    def n(self) -> int:
        return len(self.seeds)

    @property
    def within(self) -> bool | None:
        """Whether the means differ by at most two printed standard deviations; None if that is unknown."""
        if self.difference is None or self.printed is None or self.printed.deviation is None:
            return None
        return abs(self.difference) <= WITHIN * self.printed.deviation + 1e-12


@dataclass(frozen=True)
class Tally:
    """The paper's method against another, by the paired and by the corrected t-test, on sets with two common splits."""

    method: str
    paired: Counts
    corrected: Counts


@dataclass(frozen=True, eq=False)
class TableReport:
    """A table with sets as rows and methods as columns.

    `shapes` are those of the sets, and `others` counts the cells of other versions. `averages` are the mean values over
    the sets, by method, if all have the same splits of the same sets.
    """

    protocol: TableProtocol
    entries: Mapping[tuple[str, str], TableEntry]
    shapes: Mapping[str, Shape]
    others: int
    tallies: tuple[Tally, ...] = ()
    averages: Mapping[str, float] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        return tuple(name for name in self.protocol.sets if any(d == name for d, _ in self.entries))

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(key for key in self.protocol.methods if any(m == key for _, m in self.entries))

    @property
    def differs(self) -> dict[str, str]:
        """Descriptions of how shapes of sets deviate from the printed ones."""
        said = {name: difference(self.protocol.set(name).printed, shape) for name, shape in self.shapes.items()}
        return {name: text for name, text in said.items() if text}

    @property
    def in_order(self) -> list[TableEntry]:
        """The entries row by row, as a table lists them."""
        places = product(self.datasets, self.methods)
        return [self.entries[place] for place in places if place in self.entries]

    def entry(self, dataset: str, method: str) -> TableEntry | None:
        return self.entries.get((dataset, method))

    def part(self, datasets: Collection[str], methods: Collection[str]) -> TableReport:
        """Return the entries of some sets and methods. The tests of a part are not known."""
        kept = {(d, m): entry for (d, m), entry in self.entries.items() if d in datasets and m in methods}
        if len(kept) == len(self.entries):
            return self
        shapes = {name: shape for name, shape in self.shapes.items() if name in datasets}
        found = replace(self, entries=kept, shapes=shapes, tallies=())
        return replace(found, averages=averages(found))

    def common(self, dataset: str, first: str, second: str) -> tuple[Array, Array]:
        """Return the values of both methods on the splits that both have."""
        a, b = self.entries.get((dataset, first)), self.entries.get((dataset, second))
        if a is None or b is None:
            return np.empty(0), np.empty(0)
        shared = sorted(a.values.keys() & b.values.keys())
        return np.array([a.values[s] for s in shared]), np.array([b.values[s] for s in shared])


def averages(report: TableReport) -> dict[str, float]:
    """Return the mean over the sets of each method, if all methods have the same splits of the same sets."""
    counts = {entry.n for entry in report.in_order}
    whole = len(report.entries) == len(report.datasets) * len(report.methods)
    if report.protocol.measure != "accuracy" or len(counts) != 1 or 0 in counts or not whole:
        return {}
    means = {m: [e.mean or 0.0 for e in report.in_order if e.method == m] for m in report.methods}
    return {method: sum(values) / len(values) for method, values in means.items()}
