"""Numbers with a unit or another notation: $1,234.50, 45 %, 70 kg, (12.3) for -12.3, 1 234,5."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mdcore.data.tables.cells import as_numbers, is_code, is_number, map_cells, share

if TYPE_CHECKING:
    import pandas as pd

_MONEY = "[$€£¥₽₹₩₺]|USD|EUR|GBP|JPY|CHF|RUB|INR|CNY|CAD|AUD|SEK|NOK|DKK|PLN|CZK"
_QUANTITY = re.compile(
    rf"(?P<sign>[-+(]?) ?(?P<before>{_MONEY})? ?(?P<inner>[-+]?)(?P<number>[\d.,]+(?:[eE][-+]?\d+)?)"
    r" ?(?P<after>[^\d\s().,:/+-][^\d()]{0,11})?(?P<close>\)?)"
)
_THOUSANDS = re.compile(r"(?<=\d)[ '’](?=\d{3}(?!\d))")
_SPACES = str.maketrans({"\u2212": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "})
MOSTLY = 0.95  # smallest share of quantities among the cells that are not missing
LONGEST = 40  # characters
SAMPLE_CELLS = 1000
FEWEST = 11  # fewest different quantities; fewer, such as 36 months and 60 months, serve as well as a category


def quantity(cell: str) -> tuple[str, str] | None:
    """Return the number in a cell, as text, and its unit, which may be empty; None if the cell is not a quantity."""
    if len(cell) > LONGEST:
        return None
    match = _QUANTITY.fullmatch(_THOUSANDS.sub("", cell.strip().translate(_SPACES)))
    if match is None or (match["sign"] == "(") != bool(match["close"]) or (match["sign"] and match["inner"]):
        return None
    sign = "-" if "-" in (match["sign"], match["inner"]) or match["close"] else ""
    return sign + match["number"], (match["before"] or "") + (match["after"] or "").strip()


def number_in(cell: str) -> str:
    """Return the number in a cell, without a unit, or the cell if it is not a quantity."""
    found = quantity(cell)
    return found[0] if found else cell


def without_units(column: pd.Series, decimal: str, fewest: int = FEWEST) -> pd.Series:
    """Return a column of texts without units, as numbers if every cell then is one.

    The column is returned unchanged unless nearly all cells are quantities with the same unit or notation, at least
    `fewest` of them different.
    """
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column):
        return column
    cells = column.dropna()
    if share(quantity(cell) is not None for cell in cells.iloc[:SAMPLE_CELLS]) < MOSTLY:
        return column
    quantities = {cell: found for cell in cells.unique() if (found := quantity(cell)) and _is_usable(found[0], decimal)}
    units = {unit for _, unit in quantities.values()}
    plain = all(cell == number for cell, (number, _) in quantities.items())
    if plain or len(units) > 1 or len(quantities) < fewest or cells.isin(quantities).mean() < MOSTLY:
        return column
    texts = map_cells(column, lambda cell: quantities.get(str(cell), (cell,))[0], object)
    return as_numbers(texts, decimal) if cells.isin(quantities).all() else texts


def _is_usable(number: str, decimal: str) -> bool:
    return is_number(number, decimal) and not is_code(number)
