"""Common impurities in tables: sums in the last line, codes for missing values, one name in several spellings."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mdcore.data.tables.kinds import LEVELS, Column
from mdcore.data.tables.notes import Note, note

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

GAP_CODES = (-9, -99, -999, -9999, -99999)
TIMES = 3  # if other numbers are negative, a code lies below all of them by more than this multiple of their range
_SUM = re.compile(
    r"(grand |sub)?totals?|sums?|(gesamt)?summe|gesamt|insgesamt|somme|totale|итого|всего|合計|总计", re.I
)
SUMS_TO = 0.01  # relative tolerance of a sum, for rounding


def without_leftovers(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Note]]:
    """Return the rows that hold values, and notes on the rows left out."""
    notes, repeated = list[Note](), _repeats_names(frame)
    if repeated.any():
        notes.append(note("repeated names", number=int(repeated.sum())))
        frame = frame[~repeated].reset_index(drop=True)
    if _ends_in_sum(frame):
        notes.append(note("sums", name=frame.iloc[-1].dropna().iloc[0]))
        frame = frame.iloc[:-1]
    return frame, notes


def _repeats_names(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return a mask of the rows that repeat the column names, as in concatenated files."""
    repeated = np.ones(len(frame), dtype=bool)
    for name in frame.columns:
        repeated &= (frame[name] == name).to_numpy()
        if not repeated.any():
            break
    return repeated


def _ends_in_sum(frame: pd.DataFrame) -> bool:
    """Return whether the last row is named a sum in its first cell and is the sum of most columns of numbers."""
    if len(frame) < 3:
        return False
    last = frame.iloc[-1].dropna()
    if last.empty or not isinstance(last.iloc[0], str) or not _SUM.fullmatch(last.iloc[0].strip(" :")):
        return False
    numbers = frame.select_dtypes("number")
    sums, said = numbers.iloc[:-1].sum(), numbers.iloc[-1]
    close = ((sums - said).abs() <= SUMS_TO * sums.abs())[(sums != 0) & said.notna()]
    return bool(len(close) and close.mean() > 0.5)


def gap_codes(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the numbers that stand for missing values, such as -999, with the columns in which they do.

    Such a number occurs several times and lies far below all others, in every column that contains it.
    """
    numbers = frame.select_dtypes("number")
    found: dict[str, list[str]] = {}
    lowest = set(numbers.min())
    for code in (code for code in GAP_CODES if code in lowest):
        names = [str(name) for name, there in (numbers == code).any().items() if there]
        if all(_is_code(numbers[name].to_numpy(dtype=np.float64), code) for name in names):
            found[str(code)] = names
    return found


def without_codes(cells: pd.Series, codes: Collection[str]) -> pd.Series:
    """Return a column in which the cells that hold one of the codes, as a number or as a text, are missing."""
    numbers = [float(code) for code in codes]
    return cells.mask(cells.isin([*codes, *map(str, numbers)] if cells.dtype.kind == "O" else numbers))


def _is_code(values: Any, code: int) -> bool:
    others = values[~np.isnan(values) & (values != code)]
    if not len(others) or (values == code).sum() < 2 or others.min() < code:
        return False
    return bool(others.min() >= 0 or others.min() - code > TIMES * np.ptp(others))


def odd_cell_notes(columns: Sequence[Column]) -> list[Note]:
    """Return a note on cells that are not numbers in columns of numbers, if there are any."""
    found = [(column.name, column.odd, column.examples) for column in columns if column.odd]
    return [note("not numbers", columns=found)] if found else []


def case_notes(frame: pd.DataFrame, columns: Sequence[Column]) -> list[Note]:
    """Return a note for every category with levels that differ only in case."""
    notes = []
    for column in columns:
        if column.kind != "category" or column.distinct > LEVELS or column.numbers:
            continue
        by_letters: dict[str, list[str]] = {}
        for level in sorted(frame[column.name].dropna().unique()):
            by_letters.setdefault(level.casefold(), []).append(level)
        alike = [levels for levels in by_letters.values() if len(levels) > 1]
        if alike:
            notes.append(note("case", column=column.name, levels=alike))
    return notes
