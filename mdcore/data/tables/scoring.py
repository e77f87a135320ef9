"""New rows for a model that was fitted on a table: the same columns, read in the same way, with notes on oddities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdcore.data.tables.cells import as_numbers, as_texts
from mdcore.data.tables.columns import Choices
from mdcore.data.tables.notes import Note, note
from mdcore.data.tables.pipeline import inputs
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.quantities import without_units
from mdcore.data.tables.reading import Table, read_table
from mdcore.data.tables.wording import sentence

if TYPE_CHECKING:
    import pandas as pd


def read_alike(content: bytes, name: str, table: Table) -> Table:
    """Return the table in a file, read in the format of the given table if that is from a file."""
    options = dict(table.origin.options) if table.origin.kind == "file" else {}
    return read_table(content, name, **options)


def new_inputs(table: Table, choices: Choices, new: Table) -> tuple[pd.DataFrame, list[str]]:
    """Return the columns that the model takes, for every row of another table, and notes on unexpected cells.

    Raise DataProblem if columns are missing, or if cells are and the model does not impute them.
    """
    import pandas as pd

    known = inputs(table, choices)
    missing = [name for name in known.columns if name not in new.frame.columns]
    if missing:
        raise DataProblem("columns missing", new.name, missing=missing, columns=list(known.columns))
    made, notes = {}, list[Note]()
    for name in known.columns:
        cells = new.frame[name]
        numeric = choices.kind(str(name)) == "numeric"
        made[name] = as_numbers(without_units(cells, new.decimal, 1), new.decimal) if numeric else as_texts(cells)
        lost = int(made[name].isna().sum() - cells.isna().sum())
        if lost:
            notes.append(note("lost", column=name, number=lost))
        gaps = int(made[name].isna().sum())
        if gaps and choices.missing == "drop":
            raise DataProblem("rows without a value", new.name, number=gaps, column=name)
        if choices.kind(str(name)) == "category":
            strange = set(made[name].dropna()) - set(known[name].dropna())
            if strange:
                notes.append(note("new levels", column=name, levels=sorted(strange)))
        elif numeric:
            low, high = known[name].min(), known[name].max()
            outside = int(((made[name] < low) | (made[name] > high)).sum())
            if outside:
                notes.append(note("outside", column=name, number=outside, low=low, high=high))
    return pd.DataFrame(made), [sentence(each) for each in notes]
