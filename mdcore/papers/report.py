"""The report of a paper's table as a store holds it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from mdcore.papers.protocol import Printed, TableProtocol
from mdcore.papers.run_plan import RunPlan
from mdcore.papers.significance import tallies
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableEntry, TableReport, averages

Place = tuple[str, str]


def report(store: Store, table: TableProtocol, plan: RunPlan | None = None) -> TableReport:
    """Return the results of a plan's cells or, without a plan, the stored results of all splits.

    An entry uses one version of code, data and protocol: the version with most finished splits, or the latest of
    several. The cells of other versions are only counted.
    """
    planned = plan.cells if plan else ()
    wanted = Counter((cell.task.dataset, cell.task.method) for cell in planned)
    groups: dict[Place, list[sqlite3.Row]] = {place: [] for place in wanted}
    for cell in store.cells(table, [cell.id for cell in planned] if plan else None):
        groups.setdefault((cell["dataset"], cell["method"]), []).append(cell)
    used = {place: _version_shown(cells) for place, cells in groups.items()}
    shapes = {name: rows.shape for name, rows in plan.sets.items()} if plan else {}
    shapes |= {c["dataset"]: (c["n"], c["features"], c["classes"]) for cells in used.values() for c in cells}
    entries = {
        place: _entry(table, place, cells, wanted[place] if plan else table.sets[place[0]].splits)
        for place, cells in used.items()
    }
    others = sum(map(len, groups.values())) - sum(map(len, used.values()))
    found = TableReport(table, entries, shapes, others)
    return replace(found, tallies=tallies(found), averages=averages(found))


def _version_shown(cells: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """Return the cells of the version of code, data and protocol with most finished splits.

    Of several, return the version with the latest result, or, without results, the version planned last.
    """
    versions: dict[tuple[str, ...], list[sqlite3.Row]] = {}
    for cell in cells:
        versions.setdefault((cell["code"], cell["fingerprint"], cell["protocol"]), []).append(cell)

    def rank(group: Sequence[sqlite3.Row]) -> tuple[int, float]:
        finished = [cell["finished"] for cell in group if cell["state"] == "done"]
        return len(finished), max(finished, default=0.0)

    return max(reversed(versions.values()), key=rank, default=[])


def _entry(table: TableProtocol, place: Place, cells: Sequence[sqlite3.Row], wanted: int) -> TableEntry:
    failed = [cell["reason"] or "no reason given" for cell in cells if cell["state"] == "failed"]
    done = [cell for cell in cells if cell["state"] == "done"]  # ordered by split, so that the mean is always the same
    values = {cell["split"]: table.unit * cell["value"] for cell in done}
    ordered, printed = np.array([*values.values()]), table.printed.get(place)
    mean = float(ordered.mean()) if done else None
    deviation = float(ordered.std(ddof=1)) if len(done) > 1 else None
    difference = None if mean is None or printed is None else mean - printed.mean
    return TableEntry(
        dataset=place[0],
        method=place[1],
        printed=printed,
        seeds=tuple(values),
        wanted=wanted,
        mean=mean,
        deviation=deviation,
        difference=difference,
        standard_errors=_in_errors(difference, deviation, len(done), printed, table.set(place[0]).splits),
        failures=tuple(dict.fromkeys(failed)),
        unconverged=sum(not cell["converged"] for cell in done),
        nondeterministic=sum(cell["others"] for cell in cells),
        values=values,
        cells=tuple(cell["id"] for cell in done),
        n_train=done[0]["n_train"] if done else 0,
        n_test=done[0]["n_test"] if done else 0,
    )


def _in_errors(
    difference: float | None, deviation: float | None, n: int, printed: Printed | None, printed_splits: int
) -> float | None:
    """Return the difference in units of its standard error, or None if a deviation is missing or the error is 0."""
    if difference is None or deviation is None or printed is None or printed.deviation is None:
        return None
    error = sqrt(deviation**2 / n + printed.deviation**2 / printed_splits)
    return difference / error if error > 0.0 else None
