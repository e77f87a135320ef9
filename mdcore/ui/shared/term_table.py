"""Tables whose column heads are explained in a popover below: a column without an explanation cannot be shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from mdcore.text import NONE
from mdcore.ui.shared.drawing import THREE
from mdcore.ui.shared.terms import show_terms

NUMBER = partial(st.column_config.NumberColumn, format=THREE)
WHOLE = partial(st.column_config.NumberColumn, format="%d")
SHARE = partial(st.column_config.NumberColumn, format="percent")


@dataclass(frozen=True)
class Column:
    """A column of a table: its head, the meaning of the head, and the Streamlit column type of its cells."""

    title: str
    meaning: str
    cells: Callable[..., Any] = st.column_config.Column
    pinned: bool = False

    @property
    def drawn(self) -> Any:
        """The column as a Streamlit column configuration."""
        return self.cells(self.title, help=self.meaning, pinned=self.pinned or None)


METHOD = Column("Method", "What is fitted. The page Methods says what each minimises.", pinned=True)
SPREAD = Column("±", "The standard deviation over the splits of the mean to its left.")


def term_table(
    rows: Sequence[Mapping[str, Any]] | pd.DataFrame,
    columns: Mapping[str, Column],
    draw: Callable[[pd.DataFrame], Any] | None = None,
    **options: Any,
) -> Any:
    """Show the given columns of a table, and below it the meaning of their heads; return the result of st.dataframe.

    `draw` formats the table where the column types are not enough.
    """
    frame = pd.DataFrame(rows, columns=list(columns))
    config = {name: column.drawn for name, column in columns.items()}
    shown = st.dataframe(
        frame if draw is None else draw(frame), hide_index=True, column_config=config, placeholder=NONE, **options
    )
    show_terms({column.title: column.meaning for column in columns.values()})
    return shown


def written(forms: Mapping[str, str | Callable[[Any], str]]) -> Callable[[pd.DataFrame], Any]:
    """Return a function for the `draw` argument of `term_table` that formats columns by name; missing numbers become
    dashes."""
    return lambda frame: frame.style.format({name: form for name, form in forms.items() if name in frame}, na_rep=NONE)


def in_words(meanings: Mapping[str, str], numbers: Collection[str] = ()) -> dict[str, Column]:
    """Return columns whose heads are their names; columns in `numbers` are shown with three significant digits."""
    return {
        name: Column(name, meaning, NUMBER) if name in numbers else Column(name, meaning)
        for name, meaning in meanings.items()
    }
