"""Detect how a text file represents a table: encoding, delimiter, decimal sign, header; every finding has a reason."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from mdcore.data.tables.cells import is_number, is_number_in_any_notation, present, share
from mdcore.data.tables.encodings import ENCODINGS, guess_encoding
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.quantities import number_in
from mdcore.text import percent, quoted

T = TypeVar("T")
Record = list[str]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
DECIMALS = {".": "point", ",": "comma"}
TRIED = (",", ";", "\t", "|")  # a space, which occurs in many texts, is only a last resort

SAMPLE_BYTES = 2**18
SAMPLE_RECORDS = 200
SAMPLE_LINES = 5
LONG_SAMPLE = 2**22
LONGEST_LETTER = 4  # bytes
MOST_OTHERS = 3

_NOT_FOR_FILES = ("undefined", "punycode", "idna", "unicode-escape", "raw-unicode-escape")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SIGNATURES = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "an Excel workbook or another ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PAR1", "a Parquet file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"[{", "a JSON file"),
    (b'{"', "a JSON file"),
    (b"<!", "a web page"),
    (b"<html", "a web page"),
    (b"<?xml", "an XML file"),
    (b"@relation", "an ARFF file"),
    (b"@RELATION", "an ARFF file"),
)
SAVE_AS_TEXT = "Save the table as CSV (comma-separated values) and load that file."


@dataclass(frozen=True)
class Finding(Generic[T]):
    """A value that was detected or chosen, with the reason."""

    value: T
    reason: str


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


CHOSEN = "chosen by you"


def find_encoding(content: bytes, name: str) -> Finding[str]:
    """Return the encoding; raise DataProblem if the bytes are not text."""
    for signature, what in _SIGNATURES:
        if content.startswith(signature):
            raise DataProblem(f"This is {what}, not a CSV file.", name, SAVE_AS_TEXT)
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return Finding(encoding, "the file begins with its byte order mark")
    head = content[:SAMPLE_BYTES]
    even, odd = (bytes(half).count(0) / max(len(half), 1) for half in (head[::2], head[1::2]))
    if max(even, odd) > 0.4 and min(even, odd) < 0.1:
        order = "utf-16-le" if odd > even else "utf-16-be"
        return Finding(order, "every other byte is zero")
    _refuse_binary(head, name)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _older_encoding(content, error.start)
    if b"\x1b$" in head and content.isascii():
        return Finding("iso2022-jp", "the file has escape sequences of ISO-2022-JP")
    return Finding("utf-8", "plain ASCII" if content.isascii() else "all bytes are valid UTF-8")


def _older_encoding(content: bytes, first: int) -> Finding[str]:
    """Guess the encoding of a file that is not UTF-8, as its byte number `first` shows."""
    begin = content.rfind(b"\n", 0, first) + 1
    sample = content[begin if first >= SAMPLE_BYTES else 0 :][:SAMPLE_BYTES]
    encoding, others = guess_encoding(sample[: sample.rfind(b"\n") + 1] or sample, content)
    before, line = content[begin:first], content[begin : first + LONGEST_LETTER]
    letter = line.decode(encoding, "ignore")[len(before.decode(encoding, "ignore")) :][:1]
    number = content.count(b"\n", 0, first) + 1
    also = ", ".join(ENCODINGS[other] for other in others[:MOST_OTHERS])
    reason = f"not UTF-8: byte {content[first]:#04x} in line {number} is {letter!r} in {ENCODINGS[encoding]}"
    return Finding(encoding, f"{reason}. It could also be {also}" if also else reason)


def _refuse_binary(head: bytes, name: str) -> None:
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 27))
    if head.count(0) or controls > 0.01 * len(head):
        raise DataProblem(
            f"This file is not text: {controls:,} of the first {len(head):,} bytes are control characters.",
            name,
            SAVE_AS_TEXT,
        )


def decode(content: bytes, encoding: str, name: str) -> str:
    try:
        text = content.decode(_known(encoding))
    except LookupError:
        raise DataProblem(
            f"There is no encoding {quoted(encoding)}.",
            name,
            f"Choose one of {', '.join(ENCODINGS)}, or another encoding that Python supports.",
        ) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataProblem(
            f"Byte {content[error.start]:#04x} is not valid in the encoding {encoding}.",
            f"{name}, line {line}",
            "Choose another encoding, or have it detected.",
        ) from None
    if "\0" in text:
        raise DataProblem(f"In the encoding {encoding}, this file has zero bytes: it is not text.", name, SAVE_AS_TEXT)
    return text


def _known(encoding: str) -> str:
    """Return the codec's name; raise LookupError if there is none or it is not for text files, such as idna."""
    if not encoding.isprintable() or (codec := codecs.lookup(encoding)).name in _NOT_FOR_FILES:
        raise LookupError(encoding)
    return codec.name


def sample(text: str) -> str:
    """Return the beginning of a text up to a line end: about SAMPLE_BYTES characters, but at least SAMPLE_LINES lines.

    A text of fewer lines is returned up to LONG_SAMPLE characters.
    """
    end = "\n" if "\n" in text else "\r"
    least = 0
    for _ in range(SAMPLE_LINES):
        least = text.find(end, least) + 1
        if least == 0:
            return text[:LONG_SAMPLE]
    return text[: max(least, text.rfind(end, 0, SAMPLE_BYTES))]


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


def find_delimiter(text: str) -> Finding[str]:
    """Return the delimiter that gives the largest share of records of equal length, then the largest of clean cells."""

    def quality(delimiter: str) -> tuple[float, float, int]:
        found = records(text, delimiter)
        width, count = Counter(map(len, found)).most_common(1)[0] if found else (1, 0)
        clean = share(_is_clean(cell) for record in found[1:] or found for cell in record)
        return (count / len(found) if width > 1 else 0.0, clean, width)

    best = max(TRIED, key=quality)
    same, _, width = quality(best)
    if same == 0:
        rows = records(text, " ")[1:]
        widths = {len(row) for row in rows}
        numbers = share(is_number_in_any_notation(cell) for row in rows for cell in row)
        if len(widths) == 1 and max(widths) > 1 and numbers >= 0.5:
            return Finding(
                " ",
                f"no comma, semicolon, tab or bar splits the lines; spaces give {max(widths)} cells, mostly numbers",
            )
        return Finding(",", "no comma, semicolon, tab or bar splits the lines")
    lines = "every line" if same == 1 else f"{percent(same)} of the lines"
    return Finding(best, f"splits {lines} into {width} cells")


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
    with_point = f"{len(points):,} numbers have a point, such as {points[0]}" if points else "no number has a point"
    if not commas:
        return Finding(".", f"{with_point}; none has a comma" if points else "no number has a fraction")
    with_comma = f"{len(commas):,} numbers have a comma, such as {commas[0]}"
    sure_points, sure_commas = (
        [cell for cell in given if not is_number(cell, other)] for given, other in ((points, ","), (commas, "."))
    )
    if not sure_commas and (sure_points or delimiter == ","):
        return Finding(".", f"{with_point}; {with_comma}, which may separate thousands")
    sign = "," if len(sure_commas) >= len(sure_points) else "."
    return Finding(sign, f"{with_comma}; {with_point}")


def find_header(found: Sequence[Record], decimal: str, missing: Sequence[str]) -> Finding[bool]:
    """Return whether the first record names the columns: words above numbers, or words that do not recur below."""
    first, rest = found[0], found[1:]
    if not rest:
        return Finding(not any(is_number(cell, decimal) for cell in first), "there is only one line")
    columns = [present([record[j] for record in rest if j < len(record)], missing) for j in range(len(first))]
    numeric = [j for j, cells in enumerate(columns) if share(is_number(cell, decimal) for cell in cells) > 0.9]
    titled = [j for j in numeric if first[j].strip() not in missing and not is_number(first[j], decimal)]
    if titled:
        return Finding(True, f"the first line has a word, {first[titled[0]].strip()!r}, above a column of numbers")
    if _is_numbering(first):
        return Finding(True, "the first line numbers the columns")
    if _are_years(first, columns):
        return Finding(True, "the first line has words that do not recur, and consecutive numbers, such as years")
    if numeric:
        return Finding(False, "the first line has numbers in the same columns as the other lines")
    words = [cell.strip() for cell in first]
    named = len(set(words)) == len(words) and all(words)
    if named and not any(word in cells for word, cells in zip(words, columns, strict=True)):
        return Finding(True, "no word of the first line recurs in its column")
    return Finding(False, "words of the first line recur in their columns" if named else "not every column has a name")


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
