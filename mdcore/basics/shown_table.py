"""Tables as people read them: every column has a head, the meaning of the head, and a way in which its cells are
written, the same on a page, in a report and in a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from mdcore.basics.text import NONE, label_text, percent, steady

Kind = Literal["text", "wide", "number", "whole", "share", "bar"]
Row = Mapping[Any, Any]
Text = Callable[[Any], str]


def plain(value: Any) -> str:
    return steady(value) if isinstance(value, float) else label_text(value)


TEXTS: Mapping[Kind, Text] = {"whole": "{:,.0f}".format, "share": partial(percent, digits=2)}


@dataclass(frozen=True)
class Column:
    """A column of a table: its head, the meaning of the head, and the kind of its cells.

    `text` writes a cell where the kind is not enough. `spread` names the entry of a row that follows behind "±".
    """

    title: str
    meaning: str
    kind: Kind = "text"
    pinned: bool = False
    text: Text | None = None
    spread: str = ""

    def write(self, value: Any, row: Row) -> str:
        """Return the text of a cell; a missing number is a dash, a missing spread is left out."""
        text, spread = self.text or TEXTS.get(self.kind, plain), row.get(self.spread)
        if is_missing(value):
            return NONE
        return text(value) if is_missing(spread) else f"{text(value)} ± {text(spread)}"


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


@dataclass(frozen=True, eq=False)
class ShownTable:
    """Rows with the columns that are shown of them."""

    columns: Mapping[str, Column]
    rows: Sequence[Row]

    @property
    def texts(self) -> list[dict[str, str]]:
        """The texts of the cells by column, row by row."""
        return [{name: column.write(row.get(name), row) for name, column in self.columns.items()} for row in self.rows]

    @property
    def lines(self) -> list[list[str]]:
        """The heads, and below them the texts of the cells."""
        return [[column.title for column in self.columns.values()], *(list(texts.values()) for texts in self.texts)]
