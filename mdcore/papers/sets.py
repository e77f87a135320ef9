"""The data behind a row of a table: loaded by name, compared with the printed shape, identified by a fingerprint."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from mdcore.basics.memo import LRUCache
from mdcore.data import DataProblem, Dataset, load_dataset, propose, read_openml, to_dataset
from mdcore.data.source import KEEP
from mdcore.data.sources.catalogue import SOURCES
from mdcore.data.sources.folder import PREFIX, VARIABLE, folder_files, read_file
from mdcore.data.sources.papers import PaperSet
from mdcore.papers.protocol import TableProtocol, TableSet

Shape = tuple[int, int, int]  # rows, features, classes


class Changed(ValueError):
    """The data found under a name are no longer those of the stored cell."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A data set without its `constant` columns. `differs` describes how its shape deviates from the printed one."""

    name: str
    dataset: Dataset
    fingerprint: str
    constant: int
    differs: str

    @property
    def shape(self) -> Shape:
        return self.dataset.n, self.dataset.d + self.constant, len(self.dataset.classes)


_READ: LRUCache[Rows] = LRUCache(capacity=64)


def rows_of(table_set: TableSet) -> Rows:
    """Return the rows of a set. Raise DataProblem if they are not available."""
    if table_set.unavailable:
        raise DataProblem("cannot be rerun", table_set.name, why=table_set.unavailable)
    return _READ.get(
        (table_set.printed, table_set.first, *table_set.options.items(), _state(table_set)), lambda: _read(table_set)
    )


def _state(table_set: TableSet) -> tuple[Path, int, int] | None:
    """Return path, modification time and size of the set's file, so that a changed file is read again; None without a
    file."""
    path = folder_files().get(table_set.printed.catalogue_key)
    return None if path is None else (path, path.stat().st_mtime_ns, path.stat().st_size)


def _read(table_set: TableSet) -> Rows:
    dataset = _load(table_set)
    if table_set.first is not None:
        X, y = dataset.X[: table_set.first], dataset.y[: table_set.first]
        dataset = replace(dataset, X=X, y=y)
    constant = _constant_columns(table_set) if dataset.d < table_set.printed.features else 0
    rows = Rows(table_set.name, dataset, fingerprint(dataset), constant, "")
    return replace(rows, differs=difference(table_set.printed, rows.shape))


def local_sets(table: TableProtocol) -> dict[str, Rows]:
    """Return the sets of a table that are on this machine, in the table's order, without a request to OpenML."""
    found = {}
    for name, table_set in table.sets.items():
        if is_local(table_set):
            with suppress(DataProblem):
                found[name] = rows_of(table_set)
    return found


def is_local(table_set: TableSet) -> bool:
    """Return whether scikit-learn or the data folder has the set; otherwise it may be at OpenML."""
    return table_set.printed.catalogue_key in SOURCES or table_set.printed.catalogue_key in folder_files()


def fingerprint(dataset: Dataset) -> str:
    """Return a hash of the features and the class codes, in the order of the rows."""
    digest = hashlib.sha256(repr(dataset.X.shape).encode())
    digest.update(dataset.X.astype("<f8").tobytes())
    digest.update(dataset.codes.astype("<i8").tobytes())
    return digest.hexdigest()


def check_fingerprint(rows: Rows, expected: str) -> None:
    if rows.fingerprint != expected:
        raise Changed(
            f"{rows.name}: the data have changed since this cell was planned (fingerprint {rows.fingerprint[:12]}, "
            f"planned {expected[:12]}). Run the same command again to plan cells for the current data; earlier "
            "results are kept."
        )


def _load(table_set: TableSet) -> Dataset:
    shape = table_set.printed
    if is_local(table_set):
        return load_dataset(shape.catalogue_key, **table_set.options)
    file = f"{shape.catalogue_key.removeprefix(PREFIX)}.csv" if shape.catalogue_key else ""
    if not shape.openml:
        raise DataProblem("not here", table_set.name, variable=VARIABLE, file=file)
    try:
        table = read_openml(shape.openml)
    except DataProblem as problem:
        raise DataProblem("not here", table_set.name, variable=VARIABLE, file=file, problem=problem) from None
    positive, _, rest = table_set.options.get(KEEP, "").partition(" vs ")
    choices = replace(propose(table), missing="drop", test=0.0)
    return to_dataset(table, replace(choices, positive=positive, rest=True) if rest else choices)


def difference(printed: PaperSet, shape: Shape) -> str:
    """Describe how a shape deviates from the printed one; return "" if it does not."""
    found = dict(zip(("rows", "features", "classes"), shape, strict=True))
    expected = {name: getattr(printed, name) for name in found}
    differing = (name for name in found if found[name] != expected[name])
    return ", ".join(f"{found[name]:,} {name} instead of {expected[name]:,}" for name in differing)


def _constant_columns(table_set: TableSet) -> int:
    """Return the number of constant columns in the set's file, which are not features here."""
    key = table_set.printed.catalogue_key
    return sum(column.kind == "constant" for column in read_file(key).columns) if key in folder_files() else 0
