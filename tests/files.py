"""Tables as text, shared by the tests of reading."""

from __future__ import annotations

from collections.abc import Sequence

from mdcore.data import Table, read_table
from mdcore.data.tables.wording import sentence

ROWS = [["a", "b", "c"], ["1.5", "x", "yes"], ["2.25", "y", "no"], ["-3", "x", "no"], ["4", "y", "yes"]]


def text(rows: Sequence[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    return "".join(delimiter.join(row) + end for row in rows)


def read(rows: Sequence[Sequence[str]] | str, **options) -> Table:
    content = rows if isinstance(rows, str) else text(rows)
    return read_table(content.encode(), "file.csv", **options)


def told(table: Table) -> tuple[str, ...]:
    """Return the notes on a table in words."""
    return tuple(map(sentence, table.notes))


def kinds(table: Table) -> dict[str, str]:
    return {column.name: column.kind for column in table.columns}


def column_file(name: str, cells: Sequence[str]) -> str:
    """Return a file with a column between a number and a target."""
    return text([["v0", name, "label"]] + [[f"{j * 0.37 % 1:.3f}", cell, "pq"[j % 2]] for j, cell in enumerate(cells)])
