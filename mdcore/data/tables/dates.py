"""Dates as numbers: recurring parts such as month and hour, or the number of days elapsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.tables.cells import is_clock, map_cells

if TYPE_CHECKING:
    import pandas as pd

SOME_DAY = "1970-01-01"  # used for times of day, which would otherwise get the date on which the file is read
PARTS = ("year", "month", "day of the week", "hour")
ELAPSED = "days"


def day_comes_first(column: pd.Series) -> bool:
    """Return whether the day comes before the month in dates such as 3.4.2020 and 03/04/2020.

    It does if more cells can be parsed that way; if equally many, it does if there are points.
    """
    first, second = (int(_parsed(column, dayfirst).isna().sum()) for dayfirst in (True, False))
    return first < second or (first == second and bool(column.astype(str).str.contains(".", regex=False).any()))


def days(column: pd.Series, dayfirst: bool) -> NDArray[np.float64]:
    """Return the days since 1970, with a fraction; NaN for cells that are not dates."""
    moments = _parsed(column, dayfirst)
    seconds = moments.to_numpy(dtype="datetime64[ns]").astype(np.int64) / 1e9
    return np.where(moments.isna(), np.nan, seconds / 86400.0)


def date_numbers(X: pd.DataFrame, way: str, dayfirst: dict[str, bool]) -> NDArray[np.float64]:
    """Return columns of dates as numbers: for each, the days elapsed or, with `way="parts"`, four parts."""
    if way == "elapsed":
        return np.column_stack([days(X[name], dayfirst[name]) for name in X.columns])
    made = []
    for name in X.columns:
        moments = _parsed(X[name], dayfirst[name]).dt
        made += [moments.year, moments.month, moments.day_of_week, moments.hour]
    return np.column_stack([np.asarray(part, dtype=np.float64) for part in made])


def date_names(transformer: Any, columns: list[str]) -> list[str]:
    """Return the names of the columns that `date_numbers` makes."""
    way = transformer.kw_args["way"]
    return [f"{name}, {part}" for name in columns for part in (PARTS if way == "parts" else (ELAPSED,))]


def _parsed(column: pd.Series, dayfirst: bool) -> pd.Series:
    import pandas as pd

    dated = map_cells(column, lambda cell: f"{SOME_DAY} {cell}" if is_clock(str(cell)) else cell, object)
    moments = pd.to_datetime(dated, errors="coerce", format="mixed", dayfirst=dayfirst, utc=True)
    return moments.dt.tz_localize(None)
