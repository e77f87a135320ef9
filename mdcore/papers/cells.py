"""The cells of a run, each with an identity that says everything its result depends on."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from mdcore.papers.protocol import Protocol, TableMethod, TableSet
from mdcore.papers.sets import Rows
from mdcore.papers.trial import Task

CODE = ("solvers", "methods", "kernels.py", "margin.py", "space.py", "data/preparation.py")
CODE_OF_PAPERS = ("papers/selection.py", "papers/hinge.py", "papers/trial.py", "papers/margin_table.py")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Cell:
    """A task and what it stands on. `position` orders a run: split after split, so that all of a table grows."""

    id: str
    task: Task
    fingerprint: str
    protocol: str
    fits: int
    position: int


def cells_of(table: Protocol, sets: Mapping[str, Rows], methods: Sequence[str], splits: int | None) -> list[Cell]:
    """Return the cells that a table has for these sets and methods, `splits` of the printed number at most."""
    made = []
    for name, rows in sets.items():
        entry = table.set(name)
        for key in methods:
            if (entry.name, key) not in table.printed:
                continue  # the paper has no figure either
            method = table.method(key)
            for split in range(entry.splits if splits is None else splits):
                made.append(_cell(table, entry, method, rows, split))
    ordered = sorted(made, key=lambda cell: cell.task.split)
    return [Cell(c.id, c.task, c.fingerprint, c.protocol, c.fits, place) for place, c in enumerate(ordered)]


def _cell(table: Protocol, entry: TableSet, method: TableMethod, rows: Rows, split: int) -> Cell:
    task = Task(table.paper, table.table, entry.name, method.key, split)
    conditions = {
        "kernel": table.kernel,
        "gamma": table.gamma,
        "bias": table.bias,
        "folds": table.folds,
        "measure": table.measure,
        "train": entry.train,
        "method": asdict(method),
    }
    plain = json.dumps(conditions, sort_keys=True)
    whole = json.dumps([task.to_json(), plain, rows.fingerprint, code_digest()])
    identity = hashlib.sha256(whole.encode()).hexdigest()
    return Cell(identity, task, rows.fingerprint, plain, method.fits(table.folds), 0)


@cache
def code_digest() -> str:
    """Of what computes a result, its comments and docstrings left out: a word changed there changes nothing here."""
    digest = hashlib.sha256()
    for path in _sources():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and _is_text(body[0]):
                body[0] = ast.Pass()
        digest.update(ast.unparse(tree).encode())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    package = Path(str(files("mdcore")))
    for name in (*CODE, *CODE_OF_PAPERS):
        place = package.joinpath(name)
        yield from sorted(place.rglob("*.py")) if place.is_dir() else [place]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@cache
def environment() -> dict[str, str]:
    """Return what a result may depend on beside its cell."""
    found = {name: version(name) for name in PACKAGES}
    found |= {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    return found | {"processor": _processor(), "processors": str(os.cpu_count()), "code": code_digest()}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as told:
            names = [line.partition(":")[2].strip() for line in told if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor()
