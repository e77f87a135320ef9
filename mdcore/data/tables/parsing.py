"""Parse a text of known format into a data frame. Detection examines only the beginning, this module every line."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mdcore.basics.memory import free_memory
from mdcore.data.tables.cells import as_numbers, is_code, is_number, map_cells, present
from mdcore.data.tables.detection import Format, Record, Sheet
from mdcore.data.tables.leftovers import gap_codes, without_codes
from mdcore.data.tables.notes import Note, Notes, note
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.quantities import without_units

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[float], None]

BYTES_PER_BYTE = 13  # memory needed to read each byte of a file; the worst case is short words
LINES_NAMED = 8
NAMED = 3  # columns
UNNAMED = "column {}"
PART_LINES = 50_000  # lines to read at a time


def check_size(content: bytes, name: str) -> None:
    """Raise DataProblem if reading the file would need more memory than is free."""
    needed, available = BYTES_PER_BYTE * len(content), free_memory()
    if needed > available:
        head = content[: 2**16]
        lines = len(content) * head.count(b"\n") // max(len(head), 1)
        most = available // BYTES_PER_BYTE
        raise DataProblem(
            "large file", name, size=len(content), lines=lines, needed=needed, available=available, most=most
        )


def without_ragged_lines(sheet: Sheet, name: str, ragged: str, first_line: int) -> tuple[Sheet, Notes]:
    """Return the sheet with the same number of cells in every record, and notes on what was left out.

    Raise DataProblem if records have to be left out and `ragged` is not "leave out", or if the text cannot be parsed.
    Records are identified by the number of the line in which they end, as counted in an editor.
    """
    text, delimiter = sheet.text, sheet.delimiter.value
    if _is_surely_regular(text, delimiter):
        return sheet, ()
    widths: Counter[int] = Counter()
    lines_of: dict[int, list[int]] = {}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    begun = last = first_line
    record: Record = []
    try:
        for record in reader:
            if len(record) > 1 or (record and record[0].strip()):
                widths[len(record)] += 1
                kept = lines_of.setdefault(len(record), [])
                if len(kept) < LINES_NAMED:
                    kept.append(reader.line_num + first_line - 1)
            last, begun = begun, reader.line_num + first_line
    except csv.Error as error:
        raise DataProblem("no cells", f"{name}, line {begun}", error=str(error)) from None
    if record and record[-1] and text.endswith('"' + record[-1]):
        raise DataProblem("open quotation mark", f"{name}, line {last}")
    if len(widths) < 2:
        return sheet, ()
    usual, count = widths.most_common(1)[0]
    odd = sorted((line, width) for width, lines in lines_of.items() if width != usual for line in lines)[:LINES_NAMED]
    total = sum(widths.values()) - count
    found: dict[str, Any] = {"total": total, "lines": sum(widths.values()), "usual": usual, "named": odd}
    if ragged != "leave out":
        raise DataProblem("ragged lines", name, **found)
    even = replace(
        sheet,
        text=_records_of_width(text, delimiter, usual),
        records=[record for record in sheet.records if len(record) == usual],
    )
    return even, (note("ragged lines", **found),)


def _is_surely_regular(text: str, delimiter: str) -> bool:
    """Return whether all lines have the same number of cells, by a fast check that returns False when in doubt.

    It is about five times as fast as a CSV reader.
    """
    if '"' in text or delimiter == " " or _has_both_line_ends(text):
        return False
    end, first, usual = "\n" if "\n" in text else "\r", 0, -1
    while first < len(text):
        last = text.find(end, first)
        last = len(text) if last < 0 else last
        width = text.count(delimiter, first, last)
        if width != usual and text[first:last].strip(" \r\n"):
            if usual >= 0:
                return False
            usual = width
        first = last + 1
    return usual >= 0


def _has_both_line_ends(text: str) -> bool:
    """Return whether some lines end in a lone carriage return and others in a line feed."""
    return "\n" in text and text.count("\r") > text.count("\r\n")


def _records_of_width(text: str, delimiter: str, width: int) -> str:
    even = io.StringIO(newline="")
    writer = csv.writer(even, delimiter=delimiter)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    writer.writerows(record for record in reader if len(record) == width)
    return even.getvalue()


def column_names(first: Record | None, width: int) -> tuple[list[str], Notes]:
    """Return a different name for every column, and notes on names that had to be made up or changed."""
    given = [cell.strip() for cell in first] if first else [""] * width
    names, notes, taken = list[str](), list[Note](), {name for name in given if name}
    seen: Counter[str] = Counter()
    for number, name in enumerate(given, start=1):
        wanted = name or UNNAMED.format(number)
        seen[wanted] += 1
        new, copy = wanted, seen[wanted]
        while (copy > 1 or not name) and new in taken:
            copy = max(copy, 2)
            new = f"{wanted} ({copy})"
            copy += 1
        taken.add(new)
        names.append(new)
        if name and new != name:
            notes.append(note("renamed", number=number, name=name, new=new))
        elif first and not name:
            notes.append(note("named", number=number, new=new))
    if len(notes) > NAMED:
        notes[NAMED:] = [note("more names", number=len(notes) - NAMED)]
    return names, tuple(notes)


def parse(
    sheet: Sheet, name: str, names: Sequence[str], format: Format, progress: Progress, *, guess_codes: bool
) -> tuple[pd.DataFrame, dict[str, list[str]], Notes]:
    """Return the cells, as numbers in columns of numbers and as texts in others, the codes for missing values if they
    are to be guessed, with the columns in which they occur, and notes.

    `progress` is called with the share of the text that has been read, and may stop the reading by raising.
    """
    import pandas as pd

    header, decimal, missing = format.header.value, format.decimal.value, format.missing.value
    how = {
        "sep": format.delimiter.value,
        "decimal": decimal,
        "header": 0 if header else None,
        "names": range(len(names)),
        "index_col": False,
        "na_values": list(missing),
        "keep_default_na": False,
        "skipinitialspace": True,
        "low_memory": False,
    }
    words = _columns_of_words(sheet.records[1:] if header else sheet.records, len(names), decimal, missing)
    try:
        columns = _in_parts(sheet.text, how, words, progress)
    except pd.errors.ParserError as error:
        raise DataProblem("no cells", name, error=str(error)) from None
    texts, notes = dict[str, pd.Series](), list[Note]()
    for column in names:
        texts[column], more = _clean(columns.pop(0).rename(column), decimal, missing)
        notes += more
    cleaned = {column: without_units(cells, decimal) for column, cells in texts.items()}
    codes = gap_codes(pd.DataFrame(cleaned, copy=False)) if guess_codes else {}
    if codes:
        texts = {column: without_codes(cells, codes) for column, cells in texts.items()}
        cleaned = {column: without_units(cells, decimal) for column, cells in texts.items()}
    rewritten = [
        (column, *_example(texts[column], cells, decimal))
        for column, cells in cleaned.items()
        if cells is not texts[column]
    ]
    if rewritten:
        notes.append(note("quantities", examples=rewritten))
    empty = np.logical_and.reduce([cells.isna().to_numpy() for cells in cleaned.values()])
    if empty.any():
        notes.insert(0, note("empty rows", number=int(empty.sum())))
        cleaned = {column: cells[~empty].reset_index(drop=True) for column, cells in cleaned.items()}
    return pd.DataFrame(cleaned, copy=False), codes, tuple(notes)


def _columns_of_words(rows: Sequence[Record], width: int, decimal: str, missing: Sequence[str]) -> list[int]:
    """Return the indices of the columns in which some cell of the sample is not a number, or is a code such as 007."""
    columns = (present([row[j] for row in rows if j < len(row)], missing) for j in range(width))
    return [
        j
        for j, cells in enumerate(columns)
        if not all(is_number(cell, decimal) and not is_code(cell) for cell in cells)
    ]


def _in_parts(text: str, how: dict[str, Any], words: Sequence[int], progress: Progress) -> list[pd.Series]:
    """Return the columns, read in parts, since the reader needs several times the memory of what it reads.

    If a column has numbers in some parts and texts in others, the text is read again with that column as texts.
    """
    import pandas as pd

    stream = Slices(text)
    with pd.read_csv(stream, dtype=dict.fromkeys(words, str), chunksize=PART_LINES, **how) as parts:
        read = []
        for frame in parts:
            read.append(deque(frame[j] for j in how["names"]))  # so that each column can be freed separately
            progress(stream.share)
    columns: list[pd.Series] = []
    for j in how["names"]:
        pieces = [part.popleft() for part in read]
        mixed = {piece.dtype.kind in "biufc" for piece in pieces if piece.notna().any()}
        bools = {piece.dtype.kind == "b" for piece in pieces}
        if len(mixed) > 1 or len(bools) > 1:
            return _in_parts(text, how, sorted({*words, j}), progress)
        columns.append(pd.concat(pieces, ignore_index=True))
    return columns


class Slices(io.TextIOBase):
    """A stream that reads a text in memory without copying the whole."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        first = self.at
        self.at = len(self.text) if size is None or size < 0 else min(first + size, len(self.text))
        return self.text[first : self.at]

    @property
    def share(self) -> float:
        """Share of the text that has been read."""
        return self.at / max(len(self.text), 1)


def _clean(column: pd.Series, decimal: str, missing: Sequence[str]) -> tuple[pd.Series, list[Note]]:
    """Return the column with texts stripped of blanks, and infinite or huge numbers as missing, with notes on these."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(column) or not is_numeric_dtype(column):
        return map_cells(column, lambda cell: _stripped(str(cell), missing), object), []
    if column.dtype.kind in "iu":
        return column, []
    usable = as_numbers(column, decimal)
    lost = int(usable.isna().sum() - column.isna().sum())
    if not lost:
        return usable, []
    return usable, [note("too large", column=column.name, number=lost)]


def _example(texts: pd.Series, numbers: pd.Series, decimal: str) -> tuple[str, float | str]:
    """Return the first cell that was rewritten, and what it has become."""
    cells = zip(texts, numbers, strict=True)
    return next(
        (text, number)
        for text, number in cells
        if isinstance(text, str) and text != number and not is_number(text, decimal)
    )


def _stripped(cell: str, missing: Sequence[str]) -> str | float:
    text = cell.strip()
    return math.nan if text in missing else text
