"""A folder of CSV files as data sources with the keys `folder:<name>`.

Each file has a header line, its labels in the column `target` (or the last column), and empty cells for missing values.
The environment variable MARGIN_LAB_DATA names the folder. It is read when a source is requested, not at import.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mdcore.basics.text import count
from mdcore.data.dataset import Dataset
from mdcore.data.source import EVERY_CLASS, KEEP, Source
from mdcore.data.tables.cells import MISSING, as_numbers, as_texts, is_number
from mdcore.data.tables.columns import Choices, class_order, propose
from mdcore.data.tables.pipeline import to_dataset
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.reading import Table, read_table
from mdcore.spec import Choice

if TYPE_CHECKING:
    import pandas as pd

VARIABLE = "MARGIN_LAB_DATA"
PREFIX = "folder:"
TARGET = "target"
MOST_PAIRED = 30  # with more classes, there would be too many pairs to choose from
GAPS = Choice(
    name="gaps",
    symbol="missing values",
    default="rows",
    options=("rows", "columns"),
    help="What to leave out because of missing values: the rows or the columns. On Compare, they can be imputed.",
)


@dataclass(frozen=True)
class Outline:
    """The description of a file that a source needs before the whole file is parsed."""

    features: int
    n: int
    target: str
    classes: tuple[str, ...]
    planar: bool


def folder_files() -> dict[str, Path]:
    """Return the CSV files of the folder by key; empty if no folder is set."""
    named = os.environ.get(VARIABLE)
    if not named:
        return {}
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise DataProblem("not a folder", "data folder", variable=VARIABLE, named=named)
    return {PREFIX + path.stem: path for path in sorted(folder.glob("*.csv"))}


def folder_sources() -> Mapping[str, Source]:
    """Return the sources for the usable files in the folder; for other files `folder_source` raises the reason."""
    found = {}
    with suppress(DataProblem):
        for key in folder_files():
            with suppress(ValueError):
                found[key] = folder_source(key)
    return found


def folder_source(key: str) -> Source:
    """Return the source with the given key."""
    path = _path(key)
    state = path.stat()
    return _source(key, path, state.st_mtime_ns, state.st_size)


def read_file(key: str) -> Table:
    """Read the file with the given key as a table."""
    path = _path(key)
    return read_table(path.read_bytes(), path.name)


def _path(key: str) -> Path:
    files = folder_files()
    wanted = f"{key.removeprefix(PREFIX)}.csv"
    if key in files:
        return files[key]
    if not os.environ.get(VARIABLE):
        raise DataProblem("no folder", key, variable=VARIABLE, wanted=wanted)
    raise DataProblem("not in the folder", key, wanted=wanted, files=list(files))


@lru_cache(maxsize=256)
def _source(key: str, path: Path, modified: int, size: int) -> Source:
    """Return the source for a file, cached by modification time and size, so that a changed file is a new source."""
    outline = _outline(path)
    ways = _ways_to_keep(outline.classes)
    summary = f"{outline.n:,} examples, {count(outline.features, 'feature')}; from {path.name} in the data folder."

    def make(keep: str, gaps: str) -> Dataset:
        table = read_table(path.read_bytes(), path.name)
        proposed = propose(table, outline.target)
        choices = replace(proposed, missing="drop", test=0.0, **ways[keep])
        dataset = to_dataset(table, choices if gaps == GAPS.default else _without_gaps(table, choices))
        return replace(dataset, name=key, title=path.stem, note=summary)

    keep = Choice(KEEP, "classes", EVERY_CLASS, tuple(ways), "Classes to keep: all, two, or one against the rest.")
    return Source(key, path.stem, summary, (keep, GAPS), make, "standard", outline.planar)


def _outline(path: Path) -> Outline:
    found = _plain_columns(path)
    frame, labels = _all_columns(path) if found is None else found
    target = str(labels.name)
    present = labels.dropna().str.strip()
    numbers = as_numbers(present, ".")
    classes = as_texts(numbers if numbers.notna().all() else present).unique()
    if len(classes) < 2:
        raise DataProblem("fewer than two classes", f"{path.name}, {target}")
    first = frame.drop(columns=target).iloc[0]
    planar = len(first) == 2 and all(is_number(str(cell), ".") for cell in first)
    return Outline(len(first), len(labels), target, tuple(sorted(classes, key=class_order)), planar)


def _plain_columns(path: Path) -> tuple[pd.DataFrame, pd.Series] | None:
    """Return the first row and the labels of a file in UTF-8 with commas; None for others, which are slower to read."""
    import pandas as pd

    try:
        first = pd.read_csv(path, nrows=1, dtype=str, keep_default_na=False)
        target = _target(first)
        labels = pd.read_csv(path, usecols=[target], dtype=str, na_values=list(MISSING), keep_default_na=False)[target]
    except ValueError:
        return None
    return (first, labels) if len(first.columns) > 1 and all(name == str(name).strip() for name in first) else None


def _all_columns(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    frame = read_table(path.read_bytes(), path.name).frame
    return frame, as_texts(frame[_target(frame)])


def _target(frame: pd.DataFrame) -> str:
    return TARGET if TARGET in frame.columns else str(frame.columns[-1])


def _ways_to_keep(classes: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return the options of `keep`, each with the choices that it stands for."""
    ways: dict[str, dict[str, Any]] = {EVERY_CLASS: {}}
    if len(classes) > 2:
        ways |= {f"{name} vs rest": {"positive": name, "rest": True} for name in classes}
    if 2 < len(classes) <= MOST_PAIRED:
        ways |= {",".join(pair): {"classes": pair} for pair in combinations(classes, 2)}
    return ways


def _without_gaps(table: Table, choices: Choices) -> Choices:
    gaps = [column.name for column in table.columns if column.missing and column.name != choices.target]
    return replace(choices, dropped=tuple(dict.fromkeys([*choices.dropped, *gaps])))
