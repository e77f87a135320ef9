"""Numbers with something beside them: $1,234.50, 45 %, 70 kg, (12.3) for a negative one, 1 234,5."""

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
MOSTLY = 0.95  # of the cells that are there
LONGEST = 40  # signs
SAMPLE_CELLS = 1000
FEWEST = 11  # fewer different ones, as 36 months and 60 months, are as well told apart by their names


def quantity(cell: str) -> tuple[str, str] | None:
    """Return the number as it is written and what stands beside it; None where a cell is no such thing."""
    if len(cell) > LONGEST:
        return None
    match = _QUANTITY.fullmatch(_THOUSANDS.sub("", cell.strip().translate(_SPACES)))
    if match is None or (match["sign"] == "(") != bool(match["close"]) or (match["sign"] and match["inner"]):
        return None
    sign = "-" if "-" in (match["sign"], match["inner"]) or match["close"] else ""
    return sign + match["number"], (match["before"] or "") + (match["after"] or "").strip()


def number_in(cell: str) -> str:
    """Return the number that a cell holds beside something else, else the cell."""
    found = quantity(cell)
    return found[0] if found else cell


def without_units(column: pd.Series, decimal: str, fewest: int = FEWEST) -> pd.Series:
    """Return a column of texts as numbers, if nearly all are numbers with one and the same thing beside them, and so
    many of them different; else as it is."""
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
