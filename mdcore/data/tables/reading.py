"""Read a text file as a table: every format option is detected, has a reason, and can be overridden."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mdcore.data.dataset import Dataset
from mdcore.data.tables import detection
from mdcore.data.tables.cells import MISSING
from mdcore.data.tables.detection import DECIMALS, DELIMITERS, Finding, Format, Sheet
from mdcore.data.tables.encodings import decode
from mdcore.data.tables.kinds import Column, describe, guess_target
from mdcore.data.tables.leftovers import case_notes, odd_cell_notes, without_leftovers
from mdcore.data.tables.notes import Notes, note
from mdcore.data.tables.parsing import check_size, column_names, parse, without_ragged_lines
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.surrounding_lines import (
    with_matching_header,
    without_footnotes,
    without_second_line,
    without_titles,
)

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

Ragged = Literal["refuse", "leave out"]

_EXCEL_HINT = re.compile(r"\"?sep=(.)\"?\r?\n", re.I)


@dataclass(frozen=True)
class Origin:
    """The origin of a table, sufficient to read it again: a file with its format, OpenML, or the catalogue."""

    kind: Literal["file", "openml", "catalogue"]
    name: str
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """A table with the description of its columns.

    `frame` has numbers in columns of numbers and texts in others, with NaN for missing cells; its rows are numbered
    from 0 in the order of the file, and it must not be changed. `content` holds the bytes of the file, or None if the
    table is not from a file.
    """

    name: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    target: Finding[str]
    origin: Origin
    format: Format | None = None
    notes: Notes = ()
    content: bytes | None = None

    @property
    def n(self) -> int:
        return len(self.frame)

    @property
    def decimal(self) -> str:
        return self.format.decimal.value if self.format else "."

    def column(self, name: str) -> Column:
        """Return the column with this name; raise DataProblem, which lists the columns, if there is none."""
        if name not in self._by_name:
            raise DataProblem("unknown column", self.name, column=name, columns=list(self._by_name))
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}


def read_table(
    content: bytes,
    name: str,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] | None = None,
    ragged: Ragged = "refuse",
    progress: Callable[[float], None] = lambda share: None,
) -> Table:
    """Read a table from the content of a file. Options left as None are detected.

    With `ragged="leave out"`, lines with too many or too few cells are left out, which `notes` reports. `progress` is
    called with the share of the text that has been read, and may stop the reading by raising.
    """
    _require_bytes(content, name)
    _check_options(name, delimiter, decimal)
    if not content.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise DataProblem("empty file", name)
    check_size(content, name)
    text, encoded = decode(content, name, encoding)
    sheet, named, before = _lay_out(text, name, delimiter, header, ragged)
    del text  # as large as the file
    found, sign = sheet.records, sheet.delimiter.value
    _check_shape(found, sign, name)
    signs = _given(decimal) or detection.find_decimal(found, sign)
    spelled = _find_missing(found) if missing is None else Finding(tuple(missing), "chosen")
    titled = _given(header) or named or detection.find_header(found, signs.value, spelled.value)
    if titled.value and len(found) == 1:
        raise DataProblem("header alone", name)
    how = Format(encoded, sheet.delimiter, signs, titled, spelled, ragged)
    frame, how, after = _read_frame(sheet, name, how, progress, guess_codes=missing is None)
    origin = Origin("file", name, tuple(how.options().items()))
    table = make_table(name, frame, origin, format=how)
    notes = (*before, *after, *odd_cell_notes(table.columns), *case_notes(frame, table.columns))
    return replace(table, notes=notes, content=content)


def _lay_out(
    text: str, name: str, delimiter: str | None, header: bool | None, ragged: Ragged
) -> tuple[Sheet, Finding[bool] | None, Notes]:
    """Return the text without what surrounds names and rows, the header if the line of names had to be mended, and
    notes."""
    text = text.removeprefix("\ufeff")
    hint = _EXCEL_HINT.match(text)
    if hint:
        text = text[hint.end() :]
    said = Finding(hint[1], "first line") if hint else None
    sheet = detection.find_sheet(text, _given(delimiter) or said, name)
    sheet, titles = without_titles(sheet, header)
    sheet, footnotes = without_footnotes(sheet)
    sheet, mended = with_matching_header(sheet, header)
    sheet, left_out = without_ragged_lines(sheet, name, ragged, first_line=2 if hint else 1)
    sheet, units = without_second_line(sheet, header)
    named = Finding(True, "other width") if mended else None
    return sheet, named, (*titles, *footnotes, *mended, *left_out, *units)


def _read_frame(
    sheet: Sheet, name: str, how: Format, progress: Callable[[float], None], *, guess_codes: bool
) -> tuple[pd.DataFrame, Format, Notes]:
    """Return the rows, the format with the codes for missing values that were guessed, and notes."""
    first, width = sheet.records[0] if how.header.value else None, len(sheet.records[0])
    names, renamed = column_names(first, width)
    frame, codes, cleaned = parse(sheet, name, names, how, progress, guess_codes=guess_codes)
    if codes:
        how = replace(how, missing=Finding((*MISSING, *codes), "codes", {"found": how.missing, "codes": codes}))
        cleaned = (*cleaned, note("gap codes", codes=codes))
    frame, leftovers = without_leftovers(frame)
    empty = _count_empty_last(frame, first)
    if empty:
        names, renamed = column_names(first and first[:-empty], width - empty)
        frame = frame[names]
        cleaned = (*cleaned, note("empty columns", number=empty))
    return frame, how, (*renamed, *cleaned, *leftovers)


def as_file(table: Table) -> Table:
    """Return the table if it is from a file, else the same table as read from a CSV file of its contents."""
    if table.content is not None:
        return table
    content = table.frame.to_csv(index=False).encode()
    return read_table(
        content, f"{table.name}.csv", encoding="utf-8", delimiter=",", decimal=".", header=True, missing=("",)
    )


def make_table(
    name: str,
    frame: pd.DataFrame,
    origin: Origin,
    *,
    target: Finding[str] | None = None,
    format: Format | None = None,
) -> Table:
    """Return a table made from a frame, with its columns described and, unless given, its target guessed."""
    decimal = format.decimal.value if format else "."
    columns = tuple(describe(frame[column], decimal) for column in frame.columns)
    return Table(name, frame, columns, target or guess_target(columns, len(frame)), origin, format)


def table_of(dataset: Dataset, options: tuple[tuple[str, Any], ...] = ()) -> Table:
    """Return a catalogue dataset as a table, with the target as its last column."""
    import pandas as pd

    names, _ = column_names([*dataset.features, "class"], dataset.d + 1)
    frame = pd.DataFrame(dataset.X, columns=names[:-1]).assign(**{names[-1]: dataset.y})
    known = Finding(names[-1], "catalogue")
    return make_table(dataset.title or dataset.name, frame, Origin("catalogue", dataset.name, options), target=known)


def _given(value: T | None) -> Finding[T] | None:
    return None if value is None else Finding(value, "chosen")


def _require_bytes(content: object, name: str) -> None:
    if not isinstance(content, bytes | bytearray):
        raise DataProblem("not bytes", name, type=type(content).__name__)


def _check_options(name: str, delimiter: str | None, decimal: str | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DataProblem("illegal delimiter", name, delimiter=delimiter, common=list(DELIMITERS.values()))
    if decimal is not None and decimal not in DECIMALS:
        raise DataProblem("illegal decimal sign", name, sign=decimal)


def _check_shape(found: list[detection.Record], delimiter: str, name: str) -> None:
    if not found:
        raise DataProblem("no rows", name)
    if len(found[0]) == 1:
        column, delimiter = found[0][0].strip()[:40], DELIMITERS.get(delimiter, repr(delimiter))
        raise DataProblem("one column", name, column=column, delimiter=delimiter)


def _count_empty_last(frame: pd.DataFrame, first: Sequence[str] | None) -> int:
    """Return the number of last columns with neither a name in the `first` line nor a value; one column stays."""
    names, count = frame.columns, 0
    while (
        count < len(names) - 1 and not (first and first[-1 - count].strip()) and frame[names[-1 - count]].isna().all()
    ):
        count += 1
    return count


def _find_missing(found: list[detection.Record]) -> Finding[tuple[str, ...]]:
    cells = [cell.strip() for record in found for cell in record]
    return Finding(MISSING, "spellings", {"seen": {cell: cells.count(cell) for cell in MISSING if cell in cells}})
