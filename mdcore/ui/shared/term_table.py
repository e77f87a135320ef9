"""Tables whose column heads are explained in a popover below: a column without an explanation cannot be shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import pandas as pd
import streamlit as st

from mdcore.basics.shown_table import Column, Kind, Row, ShownTable
from mdcore.basics.text import NONE
from mdcore.ui.shared.drawing import THREE
from mdcore.ui.shared.stacked_rows import show_stacked
from mdcore.ui.shared.terms import show_terms

CELLS: Mapping[Kind, Any] = {
    "text": st.column_config.Column,
    "wide": partial(st.column_config.Column, width=240),  # two long names
    "number": partial(st.column_config.NumberColumn, format=THREE),
    "whole": partial(st.column_config.NumberColumn, format="%d"),
    "share": partial(st.column_config.NumberColumn, format="percent"),
    "bar": partial(st.column_config.ProgressColumn, format="%.1f %%", min_value=0, max_value=100),  # of per cents
}
SHORT = 40  # the most rows of a table that is shown whole
FEW = 3  # columns that fit on a phone


def show_table(table: ShownTable) -> None:
    term_table(table.rows, table.columns)


def term_table(rows: Sequence[Row] | pd.DataFrame, columns: Mapping[str, Column], **options: Any) -> Any:
    """Show the given columns of a table, and below it the meaning of their heads; return the result of st.dataframe.

    A short table is shown whole. On a phone, where it would be too wide, it is one block for each row instead, named by
    the pinned columns, unless its rows can be selected.
    """
    frame = pd.DataFrame(rows, columns=list(columns))
    config = {
        name: CELLS[column.kind](column.title, help=column.meaning, pinned=column.pinned or None)
        for name, column in columns.items()
    }
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


def in_words(meanings: Mapping[str, str], numbers: Collection[str] = ()) -> dict[str, Column]:
    """Return columns whose heads are their names; columns in `numbers` are shown with three significant digits."""
    return {name: Column(name, meaning, "number" if name in numbers else "text") for name, meaning in meanings.items()}
