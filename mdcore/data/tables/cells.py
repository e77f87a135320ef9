"""What a single cell can be: a number, a date, a missing value, or words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

# Words that are labels or categories in some file ("-", "none", "unknown") are not here: between numbers they count as
# missing anyway, and a column of words keeps them.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?")

LARGEST = 1e100  # of a number that can be used: sums of squares stay far from overflow

_NUMBER = {
    ".": re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"),
    ",": re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?|[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?"),
}
_OTHER = {".": ",", ",": "."}  # what divides thousands, if anything does
_CODE = re.compile(r"0\d+")
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?(Z|[+-]\d{2}:?\d{2})?"
_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}([-/.])\d{1,2}\1\d{2,4}"
_MONTH = r"(?:19|20)\d{2}-(?:0[1-9]|1[0-2])"
_DATE = re.compile(rf"(?:{_DAY})(?:[T ]{_CLOCK})?|{_MONTH}|{_CLOCK}", re.I)


def is_number(cell: str, decimal: str) -> bool:
    """Return whether a cell is a number with this decimal sign, thousands divided by the other sign or not at all."""
    return _NUMBER[decimal].fullmatch(cell.strip()) is not None


def is_code(cell: str) -> bool:
    """Digits after a leading zero, as in 007: a name, whose zeros a number would lose."""
    return _CODE.fullmatch(cell.strip()) is not None


def is_date(cell: str) -> bool:
    return _DATE.fullmatch(cell.strip()) is not None


def is_clock(cell: str) -> bool:
    """Return whether a cell is a time of an unnamed day."""
    return re.fullmatch(_CLOCK, cell.strip(), re.I) is not None


def share(wanted: Iterable[bool]) -> float:
    """Return the share of True, 0 where there is nothing."""
    answers = list(wanted)
    return sum(answers) / len(answers) if answers else 0.0


def present(cells: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return the cells without the missing ones, without blanks around them."""
    stripped = (cell.strip() for cell in cells)
    return [cell for cell in stripped if cell not in missing]


def as_numbers(column: pd.Series, decimal: str) -> pd.Series:
    """Return a column as floats: missing where a cell is no number in this notation, or one beyond ±LARGEST."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=math.nan)
        numbers = np.where(np.abs(numbers) <= LARGEST, numbers, math.nan)
        return pd.Series(numbers, index=column.index, name=column.name)
    return map_cells(column, lambda cell: _number(_text(cell), decimal), np.float64)


def _number(cell: str, decimal: str) -> float:
    if not is_number(cell, decimal):
        return math.nan
    value = float(cell.replace(_OTHER[decimal], "").replace(decimal, "."))
    return value if abs(value) <= LARGEST else math.nan


def as_texts(column: pd.Series) -> pd.Series:
    """Return a column as texts, missing cells as they are; whole numbers have no point."""
    return map_cells(column, _text, object)


def map_cells(column: pd.Series, make: Callable[[object], object], kind: type) -> pd.Series:
    """Return what is made of every cell that is there; of equal ones once, as few are different as a rule."""
    import pandas as pd

    codes, different = pd.factorize(column.astype(object))
    made: NDArray[Any] = np.array([*map(make, different), math.nan], dtype=kind)
    return pd.Series(made[codes], index=column.index, name=column.name, dtype=kind)


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
