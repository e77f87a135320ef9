"""Tables whose column heads are explained in a popover below: a column without an explanation cannot be shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import pandas as pd
import streamlit as st

from mdcore.basics.text import NONE, label_text, steady
from mdcore.ui.shared.drawing import THREE
from mdcore.ui.shared.stacked_rows import show_stacked
from mdcore.ui.shared.terms import show_terms

NUMBER = partial(st.column_config.NumberColumn, format=THREE)
WHOLE = partial(st.column_config.NumberColumn, format="%d")
SHARE = partial(st.column_config.NumberColumn, format="percent")
SHORT = 40  # the most rows of a table that is shown whole
FEW = 3  # columns that fit on a phone

Row = Mapping[str, Any]
Text = Callable[[Any], str]


@dataclass(frozen=True)
class Column:
    """A column of a table: its head, the meaning of the head, and the Streamlit column type of its cells.

    `text` writes a cell where the type is not enough. `spread` names the entry of a row that follows behind "±".
    """

    title: str
    meaning: str
    cells: Callable[..., Any] = st.column_config.Column
    pinned: bool = False
    text: Text | None = None
    spread: str = ""

    @property
    def drawn(self) -> Any:
        """The column as a Streamlit column configuration."""
        return self.cells(self.title, help=self.meaning, pinned=self.pinned or None)

    def write(self, value: Any, row: Row) -> str:
        """Return the text of a cell; a missing number is a dash, a missing spread is left out."""
        text, spread = self.text or _plain, row.get(self.spread)
        if pd.isna(value):
            return NONE
        return text(value) if spread is None or pd.isna(spread) else f"{text(value)} ± {text(spread)}"


METHOD = Column("Method", "What is fitted. The page Methods says what each minimises.", pinned=True)
WITH_SPREAD = "Mean ± standard deviation over the splits."


def term_table(rows: Sequence[Row] | pd.DataFrame, columns: Mapping[str, Column], **options: Any) -> Any:
    """Show the given columns of a table, and below it the meaning of their heads; return the result of st.dataframe.

    A short table is shown whole. On a phone, where it would be too wide, it is one block for each row instead, named by
    the pinned columns, unless its rows can be selected.
    """
    frame = pd.DataFrame(rows, columns=list(columns))
    config = {name: column.drawn for name, column in columns.items()}
    entries = () if isinstance(rows, pd.DataFrame) else rows
    short = len(frame) <= SHORT
    options = {"height": "content"} | options if short else options
    shown = st.dataframe(
        _written(frame, entries, columns), hide_index=True, column_config=config, placeholder=NONE, **options
    )
    if short and "on_select" not in options and len(columns) > FEW:
        _stack(entries or [dict(zip(columns, cells, strict=True)) for cells in frame.itertuples(index=False)], columns)
    show_terms({column.title: column.meaning for column in columns.values()})
    return shown


def _written(frame: pd.DataFrame, rows: Sequence[Row], columns: Mapping[str, Column]) -> Any:
    """Return the table with the texts of the columns that write their own; spreads are entries of `rows`."""
    own = {name: column for name, column in columns.items() if column.text}
    if not own:
        return frame
    table = frame.style.format({name: column.text for name, column in own.items()}, na_rep=NONE)
    for name, column in own.items():
        for at, row in enumerate(rows if column.spread else ()):
            table = table.format(partial(column.write, row=row), subset=pd.IndexSlice[[at], [name]], na_rep=NONE)
    return table


def _stack(rows: Sequence[Row], columns: Mapping[str, Column]) -> None:
    names = {name for name, column in columns.items() if column.pinned} or {next(iter(columns))}
    blocks = []
    for row in rows:
        texts = {name: column.write(row.get(name), row) for name, column in columns.items()}
        cells = [(columns[name].title, text) for name, text in texts.items() if name not in names and text != NONE]
        titles = [_title(columns[name], row.get(name), text) for name, text in texts.items() if name in names]
        blocks.append((" · ".join(titles), cells))
    show_stacked(blocks)


def _title(column: Column, value: Any, text: str) -> str:
    """Return the part of a block's name from one cell; a number stands behind the head of its column."""
    return f"{column.title} = {text}" if isinstance(value, Real) else text


def _plain(value: Any) -> str:
    return steady(value) if isinstance(value, float) else label_text(value)


def in_words(meanings: Mapping[str, str], numbers: Collection[str] = ()) -> dict[str, Column]:
    """Return columns whose heads are their names; columns in `numbers` are shown with three significant digits."""
    return {
        name: Column(name, meaning, NUMBER) if name in numbers else Column(name, meaning)
        for name, meaning in meanings.items()
    }
