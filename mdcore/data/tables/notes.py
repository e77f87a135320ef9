"""What happened to a table while it was read, as facts; `wording.py` puts them into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "titles",  # lines above the names were left out
    "footnotes",  # lines below the last row were left out
    "rows end in a delimiter",  # and the header line does not
    "header ends in a delimiter",  # and the rows do not
    "row names",  # the header line has no name for the first column
    "units",  # the second line was left out
    "two lines of names",
    "ragged lines",  # lines with too many or too few cells were left out
    "renamed",
    "named",
    "more names",  # the other columns that were renamed or named
    "empty rows",
    "quantities",  # numbers with a unit or in another notation were read as numbers
    "too large",  # infinite or huge numbers count as missing
    "gap codes",  # numbers that stand for missing values
    "repeated names",  # lines that repeat the column names were left out
    "sums",  # the last line was left out
    "empty columns",  # the last columns were left out
    "not numbers",  # cells of a column of numbers that count as missing
    "case",  # levels of a category that differ in case alone
    "lost",  # cells of rows to score that count as missing
    "new levels",  # of rows to score
    "outside",  # values of rows to score beyond those seen in fitting
]


@dataclass(frozen=True)
class Note:
    """A fact about the reading of a table: its kind and its figures."""

    kind: Kind
    figures: Mapping[str, Any] = field(default_factory=dict)


Notes = tuple[Note, ...]


def note(kind: Kind, **figures: Any) -> Note:
    return Note(kind, figures)
