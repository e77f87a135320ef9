"""Detect how a text represents a table: delimiter, decimal sign, header; every finding has a reason."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from mdcore.data.tables.cells import is_number, is_number_in_any_notation, present, share
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.quantities import number_in

T = TypeVar("T")
Record = list[str]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
DECIMALS = {".": "point", ",": "comma"}
TRIED = (",", ";", "\t", "|")  # a space, which occurs in many texts, is only a last resort

SAMPLE_LENGTH = 2**18
SAMPLE_RECORDS = 200
SAMPLE_LINES = 5
LONG_SAMPLE = 2**22
MOST_COLUMNS = 30_000


@dataclass(frozen=True)
class Finding(Generic[T]):
    """A value that was detected or chosen, with the kind of its reason and the reason's figures."""

    value: T
    kind: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Format:
    """The format of a file. `read_table(content, name, **format.options())` reads it again in the same way."""

    encoding: Finding[str]
    delimiter: Finding[str]
    decimal: Finding[str]
    header: Finding[bool]
    missing: Finding[tuple[str, ...]]
    ragged: str

    def options(self) -> dict[str, Any]:
        return {
            "encoding": self.encoding.value,
            "delimiter": self.delimiter.value,
            "decimal": self.decimal.value,
            "header": self.header.value,
            "missing": self.missing.value,
            "ragged": self.ragged,
        }


def sample(text: str) -> str:
    """Return the beginning of a text up to a line end: about SAMPLE_LENGTH characters, but at least SAMPLE_LINES lines.

    A text of fewer lines is returned up to LONG_SAMPLE characters.
    """
    end = "\n" if "\n" in text else "\r"
    least = 0
    for _ in range(SAMPLE_LINES):
        least = text.find(end, least) + 1
        if least == 0:
            return text[:LONG_SAMPLE]
    return text[: max(least, text.rfind(end, 0, SAMPLE_LENGTH))]


def records(text: str, delimiter: str) -> list[Record]:
    """Return the first SAMPLE_RECORDS records that are not blank, or those before a record that cannot be parsed."""
    found: list[Record] = []
    with suppress(csv.Error):
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True):
            if any(cell.strip() for cell in record):
                found.append(record)
            if len(found) == SAMPLE_RECORDS:
                break
    return found


@dataclass(frozen=True, eq=False)
class Sheet:
    """A text as lines of cells: its delimiter, and its first records, which are parsed once.

    What changes the text changes the records alike.
    """

    text: str
    delimiter: Finding[str]
    records: list[Record]

    @property
    def width(self) -> int:
        """The number of cells that most records have; 0 without records."""
        return Counter(map(len, self.records)).most_common(1)[0][0] if self.records else 0


def find_sheet(text: str, delimiter: Finding[str] | None, name: str) -> Sheet:
    """Return a text with its delimiter, found if it is not given, and its records."""
    head, parsed = sample(text[:SAMPLE_LENGTH]), None
    if delimiter is None:
        delimiter, parsed = find_delimiter(head)
    check_width(text, delimiter.value, name)
    begin = sample(text)
    return Sheet(text, delimiter, parsed if parsed and begin == head else records(begin, delimiter.value))


def check_width(text: str, delimiter: str, name: str) -> None:
    """Raise DataProblem if the file has more columns than can be described and fitted in reasonable time."""
    end = text.find("\n")
    width = text.count(delimiter, 0, None if end < 0 else end) + 1
    if delimiter != " " and width > MOST_COLUMNS:
        raise DataProblem("too many columns", f"{name}, line 1", cells=width, most=MOST_COLUMNS)


def find_delimiter(text: str) -> tuple[Finding[str], list[Record]]:
    """Return the delimiter that gives the largest share of records of equal length, then the largest of clean cells,
    and these records."""
    parsed = {delimiter: records(text, delimiter) for delimiter in TRIED}
    rated = {delimiter: _quality(found) for delimiter, found in parsed.items()}
    best = max(TRIED, key=rated.__getitem__)
    same, _, width = rated[best]
    if same == 0:
        spaced = records(text, " ")
        widths = {len(row) for row in spaced[1:]}
        numbers = share(is_number_in_any_notation(cell) for row in spaced[1:] for cell in row)
        if len(widths) == 1 and max(widths) > 1 and numbers >= 0.5:
            return Finding(" ", "spaces split", {"cells": max(widths)}), spaced
        return Finding(",", "unsplit"), parsed[","]
    return Finding(best, "splits", {"share": same, "cells": width}), parsed[best]


def _quality(found: Sequence[Record]) -> tuple[float, float, int]:
    """Return the share of records of the most frequent length, the share of clean cells, and that length."""
    width, count = Counter(map(len, found)).most_common(1)[0] if found else (1, 0)
    clean = share(_is_clean(cell) for record in found[1:] or found for cell in record)
    return (count / len(found) if width > 1 else 0.0, clean, width)


def _is_clean(cell: str) -> bool:
    return is_number_in_any_notation(cell) or not any(other in cell for other in TRIED)


def find_decimal(found: Sequence[Record], delimiter: str) -> Finding[str]:
    """Return the decimal sign of the numbers with a fraction.

    Commas that may separate thousands, as in 1,234, are taken to do so if other numbers have decimal points, or if
    commas separate the cells.
    """
    cells = [number_in(cell.strip()) for record in found for cell in record]
    points = [cell for cell in cells if "." in cell and is_number(cell, ".")]
    commas = [cell for cell in cells if "," in cell and is_number(cell, ",")]
    figures = {"points": len(points), "commas": len(commas), "point": points[:1], "comma": commas[:1]}
    if not commas:
        return Finding(".", "no commas", figures)
    sure_points, sure_commas = (
        [cell for cell in given if not is_number(cell, other)] for given, other in ((points, ","), (commas, "."))
    )
    if not sure_commas and (sure_points or delimiter == ","):
        return Finding(".", "commas separate thousands", figures)
    sign = "," if len(sure_commas) >= len(sure_points) else "."
    return Finding(sign, "commas and points", figures)


def find_header(found: Sequence[Record], decimal: str, missing: Sequence[str]) -> Finding[bool]:
    """Return whether the first record names the columns: words above numbers, or words that do not recur below."""
    first, rest = found[0], found[1:]
    if not rest:
        return Finding(not any(is_number(cell, decimal) for cell in first), "one line")
    columns = [present([record[j] for record in rest if j < len(record)], missing) for j in range(len(first))]
    numeric = [j for j, cells in enumerate(columns) if share(is_number(cell, decimal) for cell in cells) > 0.9]
    titled = [j for j in numeric if first[j].strip() not in missing and not is_number(first[j], decimal)]
    if titled:
        return Finding(True, "a word above numbers", {"word": first[titled[0]].strip()})
    if _is_numbering(first):
        return Finding(True, "columns numbered")
    if _are_years(first, columns):
        return Finding(True, "years")
    if numeric:
        return Finding(False, "numbers above numbers")
    words = [cell.strip() for cell in first]
    named = len(set(words)) == len(words) and all(words)
    if named and not any(word in cells for word, cells in zip(words, columns, strict=True)):
        return Finding(True, "no word recurs")
    return Finding(False, "words recur" if named else "a column has no name")


def _are_years(first: Record, columns: Sequence[Record]) -> bool:
    """Return whether the record holds three whole numbers or more in steps of one, as years are, beside words that do
    not come again in their columns."""
    numbers = [cell.strip() for cell in first if is_number(cell, ".")]
    words = [(cell.strip(), below) for cell, below in zip(first, columns, strict=True) if not is_number(cell, ".")]
    counted = len(numbers) > 2 and all(cell.isdecimal() for cell in numbers)
    if not counted or not words or any(word in below or not word for word, below in words):
        return False
    return bool((np.diff([float(cell) for cell in numbers]) == 1.0).all())


def _is_numbering(first: Record) -> bool:
    """Return whether the record's numbers, besides any words, are 0, 1, 2, ... or 1, 2, 3, ..., as generated names."""
    numbers = [cell.strip() for cell in first if is_number(cell, ".")]
    return len(numbers) > 2 and numbers in ([str(j + start) for j in range(len(numbers))] for start in (0, 1))
