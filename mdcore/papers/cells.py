"""The cells of a run. The identity of a cell covers everything that its result depends on."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache

from mdcore.basics.versions import package_versions
from mdcore.papers.code import code_of
from mdcore.papers.evaluation import Task
from mdcore.papers.protocol import TableMethod, TableProtocol, TableSet
from mdcore.papers.sets import Rows

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Cell:
    """A task with the fingerprints of its data and code, and the `conditions` of its table as JSON.

    `position` orders a run: all cells of one split before the next, so that the whole table fills evenly.
    """

    id: str
    task: Task
    fingerprint: str
    conditions: str
    code: str
    fits: int
    position: int


def cells_of(table: TableProtocol, sets: Mapping[str, Rows], methods: Sequence[str], splits: int | None) -> list[Cell]:
    """Return the cells of a table for these sets and methods. `splits=None` means as many splits as the paper has."""
    made = []
    code = {key: code_of(table, table.method(key)) for key in methods}
    for name, rows in sets.items():
        table_set = table.set(name)
        for key in methods:
            if (table_set.name, key) not in table.printed:
                continue  # the paper prints no value either
            method = table.method(key)
            for split in range(table_set.splits if splits is None else splits):
                made.append(_cell(table, table_set, method, rows, split, code[key]))
    ordered = sorted(made, key=lambda cell: cell.task.split)
    return [replace(cell, position=place) for place, cell in enumerate(ordered)]


def _cell(table: TableProtocol, table_set: TableSet, method: TableMethod, rows: Rows, split: int, code: str) -> Cell:
    task = Task(table.paper, table.table, table_set.name, method.key, split)
    conditions = {
        "kernel": table.kernel,
        "gamma": table.gamma,
        "bias": table.bias,
        "folds": table.folds,
        "measure": table.measure,
        "train": table_set.train,
        "method": asdict(method),
    }
    plain = json.dumps(conditions, sort_keys=True)
    whole = json.dumps([task.to_json(), plain, rows.fingerprint, code])
    identity = hashlib.sha256(whole.encode()).hexdigest()
    return Cell(identity, task, rows.fingerprint, plain, code, method.fits(table.folds), 0)


@cache
def environment() -> dict[str, str]:
    """Return the facts besides the cell that a result may depend on: package versions, Python, operating system,
    processor."""
    found = package_versions(PACKAGES)
    found |= {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    return found | {"processor": _processor(), "processors": str(os.cpu_count())}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as told:
            names = [line.partition(":")[2].strip() for line in told if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor()
