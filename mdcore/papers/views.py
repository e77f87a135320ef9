"""Data of the papers' figures, read from a store without any new fit."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from mdcore.margins.distribution import PARTS, Part, over
from mdcore.papers.evaluation import unpack
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableReport
from mdcore.solvers.arrays import Array
from mdcore.study.margin_curves import Band

WIDTH = "γ"  # the width of the kernel, in the list of a method's parameters


@dataclass(frozen=True)
class Times:
    """Median seconds of a method on a set: the final fit, and the selection of its parameters."""

    fit: float
    selection: float


def margin_band(store: Store, report: TableReport, dataset: str, method: str, part: Part) -> Band | None:
    """Return the share of margins over ‖w‖, as in the papers, ≤ t over the stored splits, or None without margins."""
    samples = [
        np.sort(over(unpack(row[part]).astype(np.float64), row["norm"]))
        for row in _stored(store, report, dataset, method)
    ]
    samples = [sample for sample in samples if len(sample)]
    if not samples:
        return None
    t = np.linspace(min(s[0] for s in samples), max(s[-1] for s in samples), 201, dtype=np.float64)
    shares = np.array([np.searchsorted(sample, t, side="right") / len(sample) for sample in samples])
    return Band.of(t, shares)


def times(store: Store, report: TableReport) -> dict[tuple[str, str], Times]:
    """Return the median times by set and method."""
    found = {}
    for dataset, method in product(report.datasets, report.methods):
        rows = _stored(store, report, dataset, method) if report.entry(dataset, method) else []
        if rows:
            medians = (float(np.median([row[name] for row in rows])) for name in ("seconds", "selection_seconds"))
            found[dataset, method] = Times(*medians)
    return found


def parameters(report: TableReport, method: str) -> tuple[str, ...]:
    """Return the parameters chosen by cross-validation, with the width of the kernel last."""
    column = report.protocol.methods[method]
    names = tuple(name for name, values in column.grid.items() if len(values) > 1)
    return (*names, WIDTH) if len(column.widths) > 1 else names


def sensitivity(store: Store, report: TableReport, dataset: str, method: str, parameter: str) -> Band | None:
    """Return the cross-validation accuracy along one parameter, with the others as chosen, over the stored splits.

    γ is in units of the protocol's γ. Return None if no cross-validation is stored.
    """
    column = report.protocol.methods[method]
    values = column.widths if parameter == WIDTH else tuple(column.grid[parameter])
    curves = []
    for row in _stored(store, report, dataset, method):
        answers = json.loads(row["answers"]) if row["answers"] else {}
        if answers:
            curves.append(_curve(column.grid, answers, parameter) / answers["held_out"])
    return Band.of(np.array(values, dtype=np.float64), np.array(curves)) if curves else None


def splits_of(store: Store, report: TableReport, dataset: str, method: str) -> Iterator[dict[str, Any]]:
    """Yield number, identity, value and parameters of each stored split."""
    for row in _stored(store, report, dataset, method):
        yield {"split": row["split"], "cell": row["id"], "value": row["value"], "params": json.loads(row["params"])}


def stored_margins(store: Store, report: TableReport, dataset: str, method: str) -> Iterator[tuple[int, str, Array]]:
    """Yield the split's number, the part and the margins over ‖w‖, as in the papers, in row order, for each split
    and part stored."""
    for row in _stored(store, report, dataset, method):
        for part in PARTS:
            yield row["split"], part, over(unpack(row[part]).astype(np.float64), row["norm"])


def _curve(grid: Any, answers: dict[str, Any], parameter: str) -> Array:
    if parameter == WIDTH:
        return np.array(answers["right_by_width"], dtype=np.float64)
    right = np.array(answers["right"], dtype=np.float64).reshape([len(values) for values in grid.values()])
    axis = list(grid).index(parameter)
    best = np.unravel_index(int(np.argmax(right)), right.shape)
    return np.asarray(right[tuple(slice(None) if i == axis else at for i, at in enumerate(best))])


def _stored(store: Store, report: TableReport, dataset: str, method: str) -> list[sqlite3.Row]:
    """Return the results behind a figure, in the order of the splits."""
    return store.splits(report.entries[dataset, method].cells)
