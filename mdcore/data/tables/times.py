"""Find the columns by which rows can be ordered in time: dates, and numbers with the name and the range of times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from mdcore.basics.memo import cached_while_alive
from mdcore.data.tables.cells import as_numbers, is_clock
from mdcore.data.tables.kinds import Column
from mdcore.data.tables.reading import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

_YEAR = re.compile(r"year|yr|jahr|année|annee|anno|año|ano|jaar|år|rok", re.I)
_MOMENT = re.compile(r"(.*[ _.-])?(time|timestamp|datetime|epoch|unix ?time|ts|date|created|updated|at)", re.I)
_COUNTED = re.compile(
    r"t|time|timestamp|tick|step|second|minute|hour|day|week|month|quarter|period|round|zeit|tag", re.I
)
YEARS = (1800, 2200)
MOMENTS = ((5e8, 4e9), (5e11, 4e12))  # seconds and milliseconds since 1970, of 1985 to 2096
FEWEST = 10  # different times, at least


@cached_while_alive
def time_columns(table: Table, target: str) -> tuple[str, ...]:
    """Return the names of the columns, other than the target, that hold a time in every row."""
    return tuple(c.name for c in table.columns if c.name != target and not c.missing and _is_time(table, c))


def _is_time(table: Table, column: Column) -> bool:
    if column.kind == "date":
        return not is_clock(str(table.frame[column.name].iloc[0]))  # a time of day recurs every day
    if not column.numbers or column.distinct < FEWEST:
        return False
    name, values = column.name.strip(), as_numbers(table.frame[column.name], table.decimal).to_numpy()
    if _YEAR.fullmatch(name):
        return column.whole and _within(values, *YEARS)
    if _MOMENT.fullmatch(name) and any(_within(values, *span) for span in MOMENTS):
        return True
    return bool(_COUNTED.fullmatch(name)) and bool((np.diff(values) >= 0).all())


def _within(values: NDArray[np.float64], low: float, high: float) -> bool:
    return bool(((values >= low) & (values <= high)).all())
