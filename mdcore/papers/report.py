"""A paper's table as a store holds it: own and printed values, the number of splits, and the failures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.papers.protocol import Printed, TableProtocol
from mdcore.papers.sets import difference
from mdcore.papers.store import Store

Array = NDArray[np.float64]

WITHIN = 2.0  # means within this many printed standard deviations count as reproduced


@dataclass(frozen=True)
class TableRequest:
    """The part of a table that was requested. `splits=None` means as many splits as the paper has."""

    paper: str
    table: int
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    splits: int | None

    def to_json(self) -> str:
        return json.dumps(self.__dict__, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> TableRequest:
        told = json.loads(text)
        return cls(**told | {name: tuple(told[name]) for name in ("datasets", "methods")})


@dataclass(frozen=True, eq=False)
class TableEntry:
    """One number of the printed table: the results of a method on a set.

    `values` by split are in the paper's unit; `wanted` is the number of planned splits.
    """

    dataset: str
    method: str
    values: dict[int, float]
    wanted: int
    printed: Printed | None
    failures: tuple[str, ...]
    unconverged: int
    nondeterministic: int
    fits: int
    seconds: float
    n_train: int
    n_test: int
    cells: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def ordered(self) -> Array:
        """The values ordered by split, so that their mean does not depend on the order of computation."""
        return np.array([self.values[split] for split in sorted(self.values)])

    @property
    def mean(self) -> float | None:
        return float(self.ordered.mean()) if self.values else None

    @property
    def deviation(self) -> float | None:
        return float(self.ordered.std(ddof=1)) if self.n > 1 else None

    @property
    def difference(self) -> float | None:
        return None if self.mean is None or self.printed is None else self.mean - self.printed.mean

    def in_errors(self, printed_splits: int) -> float | None:
        """Return the difference in units of its standard error, or None if a deviation is missing or the error is 0."""
        if self.difference is None or self.deviation is None or self.printed is None or self.printed.deviation is None:
            return None
        error = sqrt(self.deviation**2 / self.n + self.printed.deviation**2 / printed_splits)
        return self.difference / error if error > 0.0 else None

    @property
    def within(self) -> bool | None:
        """Whether the means differ by at most two printed standard deviations; None if that is unknown."""
        if self.difference is None or self.printed is None or self.printed.deviation is None:
            return None
        return abs(self.difference) <= WITHIN * self.printed.deviation + 1e-12


@dataclass(frozen=True, eq=False)
class TableReport:
    """A table with sets as rows and methods as columns.

    `differs` describes how the shape of a set deviates from the printed one, and `others` counts the cells of other
    versions.
    """

    protocol: TableProtocol
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    entries: dict[tuple[str, str], TableEntry]
    differs: dict[str, str]
    others: int

    @property
    def complete(self) -> bool:
        return all(entry.n == entry.wanted for entry in self.entries.values())

    @property
    def in_order(self) -> list[TableEntry]:
        """The entries row by row, as a table lists them."""
        places = product(self.datasets, self.methods)
        return [self.entries[place] for place in places if place in self.entries]

    def entry(self, dataset: str, method: str) -> TableEntry | None:
        return self.entries.get((dataset, method))

    def common(self, dataset: str, first: str, second: str) -> tuple[Array, Array]:
        """Return the values of both methods on the splits that both have."""
        a, b = self.entries.get((dataset, first)), self.entries.get((dataset, second))
        if a is None or b is None:
            return np.empty(0), np.empty(0)
        shared = sorted(a.values.keys() & b.values.keys())
        return np.array([a.values[s] for s in shared]), np.array([b.values[s] for s in shared])


def report(store: Store, table: TableProtocol, run: str | None = None) -> TableReport:
    """Return the results of a run or, without a run, the stored results of all splits.

    An entry uses one version of code, data and protocol: the version with most finished splits, or the latest of
    several. The cells of other versions are only counted.
    """
    cells = store.rows(
        "SELECT cell.*, value, converged, finished, seconds + selection_seconds AS took, result.fits AS made, "
        "n_train, n_test, n, features + constant AS features, classes, "
        "(SELECT reason FROM failure WHERE failure.cell = cell.id ORDER BY at DESC LIMIT 1) AS reason, "
        "(SELECT count(*) FROM nondeterminism AS other WHERE other.cell = cell.id) AS others "
        "FROM cell JOIN dataset USING (fingerprint) LEFT JOIN result ON result.cell = cell.id "
        "WHERE paper = ? AND tab = ? AND (? IS NULL OR id IN (SELECT cell FROM run_cell WHERE run = ?)) "
        "ORDER BY dataset, method, split, cell.rowid",
        *(table.paper, table.table, run, run),
    )
    groups: dict[tuple[str, str], list[Any]] = {}
    for cell in cells:
        groups.setdefault((cell["dataset"], cell["method"]), []).append(cell)
    groups = {key: _version_shown(group) for key, group in groups.items()}
    used = [cell for group in groups.values() for cell in group]
    entries = {
        key: _entry(table, key, group, len(group) if run else table.sets[key[0]].splits)
        for key, group in groups.items()
    }
    shapes = {cell["dataset"]: (cell["n"], cell["features"], cell["classes"]) for cell in used}
    said = {name: difference(table.set(name).printed, *shape) for name, shape in shapes.items()}
    return TableReport(
        protocol=table,
        datasets=tuple(name for name in table.sets if any(d == name for d, _ in groups)),
        methods=tuple(key for key in table.methods if any(m == key for _, m in groups)),
        entries=entries,
        differs={name: text for name, text in said.items() if text},
        others=len(cells) - len(used),
    )


def _version_shown(cells: Sequence[Any]) -> list[Any]:
    """Return the cells of the version of code, data and protocol with most finished splits.

    Of several, return the version with the latest result, or, without results, the version planned last.
    """
    versions: dict[tuple[str, ...], list[Any]] = {}
    for cell in cells:
        versions.setdefault((cell["code"], cell["fingerprint"], cell["protocol"]), []).append(cell)

    def rank(group: Sequence[Any]) -> tuple[int, float]:
        finished = [cell["finished"] for cell in group if cell["state"] == "done"]
        return len(finished), max(finished, default=0.0)

    return max(reversed(versions.values()), key=rank)


def _entry(table: TableProtocol, key: tuple[str, str], cells: Sequence[Any], wanted: int) -> TableEntry:
    failed = [cell["reason"] or "no reason given" for cell in cells if cell["state"] == "failed"]
    done = [cell for cell in cells if cell["state"] == "done"]
    return TableEntry(
        dataset=key[0],
        method=key[1],
        values={cell["split"]: table.unit * cell["value"] for cell in done},
        wanted=wanted,
        printed=table.printed.get(key),
        failures=tuple(dict.fromkeys(failed)),
        unconverged=sum(not cell["converged"] for cell in done),
        nondeterministic=sum(cell["others"] for cell in cells),
        fits=sum(cell["made"] for cell in done),
        seconds=sum(cell["took"] for cell in done),
        n_train=done[0]["n_train"] if done else 0,
        n_test=done[0]["n_test"] if done else 0,
        cells=tuple(cell["id"] for cell in done),
    )
