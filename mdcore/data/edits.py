"""Manual edits of a dataset: points added, moved, flipped and dropped.

The text form needs no escaping in a URL: `a_0.12_-0.5_1~m_12_0.5_0.3~f_4~d_7` adds a point of class 1 at (0.12, -0.5),
moves row 12 to (0.5, 0.3), flips row 4 and drops row 7. Row ids refer to the unedited dataset; added rows get the ids
n, n + 1, ..., and later edits may refer to them. No edit renumbers a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from mdcore.basics.text import quoted
from mdcore.data.dataset import Dataset

# Squares of such coordinates in a kernel do not overflow. From 1e16 on, Python would write a + in the exponent, which a
# URL turns into a space.
COORDINATE_LIMIT = 1e12

_COORDINATES = f"[-{COORDINATE_LIMIT:g}, {COORDINATE_LIMIT:g}]"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
_INDEX = re.compile(r"[0-9]{1,9}")
_GRAMMAR = "a_<x>_<y>_<label>, m_<row>_<x>_<y>, f_<row> or d_<row>"


@dataclass(frozen=True)
class Add:
    """Add a point; `label` is an index into the dataset's classes."""

    x: float
    y: float
    label: int

    def __str__(self) -> str:
        return f"a_{_number_text(self.x)}_{_number_text(self.y)}_{self.label}"


@dataclass(frozen=True)
class Move:
    row: int
    x: float
    y: float

    def __str__(self) -> str:
        return f"m_{self.row}_{_number_text(self.x)}_{_number_text(self.y)}"


@dataclass(frozen=True)
class Flip:
    """Give a row the label of the other class."""

    row: int

    def __str__(self) -> str:
        return f"f_{self.row}"


@dataclass(frozen=True)
class Drop:
    row: int

    def __str__(self) -> str:
        return f"d_{self.row}"


Edit = Add | Move | Flip | Drop


def format(edits: Iterable[Edit]) -> str:
    return "~".join(map(str, edits))


def parse(text: str) -> tuple[Edit, ...]:
    """Return the edits in `text`; `apply` checks whether they fit a dataset."""
    return tuple(_parse_piece(piece) for piece in text.split("~")) if text else ()


def apply(dataset: Dataset, edits: Iterable[Edit]) -> tuple[Dataset, frozenset[int]]:
    """Return the edited dataset, and the ids of dropped rows, which remain in it so that no id changes."""
    edits = tuple(edits)
    if not edits:
        return dataset, frozenset()
    added = sum(isinstance(edit, Add) for edit in edits)
    X = np.vstack([dataset.X, np.zeros((added, dataset.d))])
    codes = np.concatenate([dataset.codes, np.zeros(added, dtype=np.intp)])
    dropped = set()
    rows = dataset.n

    for edit in edits:
        _check(edit, dataset, rows)
        match edit:
            case Add(x, y, label):
                X[rows], codes[rows] = (x, y), label
                rows += 1
            case Move(row, x, y):
                X[row] = x, y
            case Flip(row):
                codes[row] = 1 - codes[row]
            case Drop(row):
                dropped.add(row)

    return replace(dataset, X=X, y=np.array(dataset.classes)[codes]), frozenset(dropped)


def _check(edit: Edit, dataset: Dataset, rows: int) -> None:
    """Raise ValueError if the edit does not fit the dataset, which has `rows` rows when the edit is applied."""
    classes = len(dataset.classes)
    if isinstance(edit, Add | Move):
        if dataset.d != 2:
            raise ValueError(
                f"edit {edit}: points can be added and moved in two dimensions only; {dataset.name} has {dataset.d} "
                "features. Remove the edit or choose a two-dimensional source."
            )
        if not all(abs(value) <= COORDINATE_LIMIT for value in (edit.x, edit.y)):
            raise ValueError(f"edit {edit}: coordinates must be numbers in {_COORDINATES}.")
    if isinstance(edit, Add):
        if not 0 <= edit.label < classes:
            raise ValueError(
                f"edit {edit}: the label must be the index of a class, 0 to {classes - 1} in {dataset.name}; "
                f"got {edit.label}."
            )
    elif not 0 <= edit.row < rows:
        raise ValueError(f"edit {edit}: row must be in [0, {rows - 1}] at this point; got {edit.row}.")
    if isinstance(edit, Flip) and classes != 2:
        raise ValueError(
            f"edit {edit}: a label can be flipped between two classes only; {dataset.name} has {classes}. "
            "Keep two of them, or remove the edit."
        )


def _parse_piece(piece: str) -> Edit:
    match piece.split("_"):
        case ["a", x, y, label]:
            return Add(_number(x, piece), _number(y, piece), _index(label, "label", piece))
        case ["m", row, x, y]:
            return Move(_index(row, "row", piece), _number(x, piece), _number(y, piece))
        case ["f", row]:
            return Flip(_index(row, "row", piece))
        case ["d", row]:
            return Drop(_index(row, "row", piece))
    raise ValueError(f"edits: cannot read {quoted(piece)}; an edit is {_GRAMMAR}, and edits are joined by ~.")


def _number(text: str, piece: str) -> float:
    if not _NUMBER.fullmatch(text) or abs(float(text)) > COORDINATE_LIMIT:
        raise ValueError(
            f"edits: in {quoted(piece)}, a coordinate must be a number in {_COORDINATES}; got {quoted(text)}."
        )
    return float(text)


def _index(text: str, what: str, piece: str) -> int:
    if not _INDEX.fullmatch(text):
        raise ValueError(f"edits: in {quoted(piece)}, the {what} must be an integer, 0 or more; got {quoted(text)}.")
    return int(text)


def _number_text(value: float) -> str:
    """Return the shortest text that parses to the same number."""
    return repr(float(value))
