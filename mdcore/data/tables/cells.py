"""Recognise what a single cell holds: a number, a date, a missing value, or words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

# Words that are labels or categories in some files ("-", "none", "unknown") are not listed: in a column of numbers they
# count as missing anyway, and in a column of words they are kept.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?")

LARGEST = 1e100  # largest usable number, so that sums of squares do not overflow

_NUMBER = {
    ".": re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"),
    ",": re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?|[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?"),
}
_OTHER = {".": ",", ",": "."}  # the thousands separator, if any, for each decimal sign
_CODE = re.compile(r"0\d+")
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?(Z|[+-]\d{2}:?\d{2})?"
_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}([-/.])\d{1,2}\1\d{2,4}"
_MONTH = r"(?:19|20)\d{2}-(?:0[1-9]|1[0-2])"
_DATE = re.compile(rf"(?:{_DAY})(?:[T ]{_CLOCK})?|{_MONTH}|{_CLOCK}", re.I)


def is_number(cell: str, decimal: str) -> bool:
    """Return whether a cell is a number with this decimal sign, with the other sign between thousands or none."""
    return _NUMBER[decimal].fullmatch(cell.strip()) is not None


def is_number_in_any_notation(cell: str) -> bool:
    """Return whether a cell is a number with one of the decimal signs."""
    return any(is_number(cell, decimal) for decimal in _NUMBER)


def is_code(cell: str) -> bool:
    """Return whether a cell has digits after a leading zero, as in 007: a name, since a number would lose the zeros."""
    return _CODE.fullmatch(cell.strip()) is not None


def is_date(cell: str) -> bool:
    return _DATE.fullmatch(cell.strip()) is not None


def is_clock(cell: str) -> bool:
    """Return whether a cell is a time of day without a date."""
    return re.fullmatch(_CLOCK, cell.strip(), re.I) is not None


def share(wanted: Iterable[bool]) -> float:
    """Return the share of True among the values; 0 if there are none."""
    answers = list(wanted)
    return sum(answers) / len(answers) if answers else 0.0


def present(cells: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return the cells that are not missing, stripped of surrounding blanks."""
    stripped = (cell.strip() for cell in cells)
    return [cell for cell in stripped if cell not in missing]


def as_numbers(column: pd.Series, decimal: str) -> pd.Series:
    """Return a column as floats, with NaN for cells that are not numbers in this notation, or are beyond ±LARGEST."""
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
    """Return a column as texts, with whole numbers written without a decimal point; missing cells remain missing."""
    return map_cells(column, _text, object)


def map_cells(column: pd.Series, make: Callable[[object], object], kind: type) -> pd.Series:
    """Apply `make` to every cell that is not missing, but only once to equal cells, since few are usually different."""
    import pandas as pd

    codes, different = pd.factorize(column.astype(object))
    made: NDArray[Any] = np.array([*map(make, different), math.nan], dtype=kind)
    return pd.Series(made[codes], index=column.index, name=column.name, dtype=kind)


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
