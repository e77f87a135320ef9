"""From text to a frame, once its format is known. Detection looks at the beginning, this at every line."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import psutil

from mdcore.data.tables.cells import LARGEST, as_numbers, is_code, is_number, map_cells, present
from mdcore.data.tables.detection import Record, records, sample
from mdcore.data.tables.problems import DataProblem

if TYPE_CHECKING:
    import pandas as pd

BYTES_PER_BYTE = 12  # of memory while a file is read, for each of its bytes: the worst case is short words
LINES_NAMED = 8
MOST_COLUMNS = 30_000
ROW_NAMES = "row names"


def check_size(content: bytes, name: str) -> None:
    """Refuse a file that cannot fit into memory, before anything is allocated."""
    needed, available = BYTES_PER_BYTE * len(content), psutil.virtual_memory().available
    if needed > available:
        head = content[: 2**16]
        lines = len(content) * head.count(b"\n") // max(len(head), 1)
        raise DataProblem(
            f"Its {len(content) / 2**20:,.0f} MiB, about {lines:,} lines, need about {needed / 2**30:.1f} GiB of "
            f"memory to read, and {available / 2**30:.1f} GiB are free.",
            name,
            f"Use a part of at most {available // BYTES_PER_BYTE // 2**20:,} MiB: fewer rows or fewer columns.",
        )


def check_width(text: str, delimiter: str, name: str) -> None:
    """Refuse a file with more columns than can be described and fitted in reasonable time."""
    end = text.find("\n")
    width = text.count(delimiter, 0, None if end < 0 else end) + 1
    if delimiter != " " and width > MOST_COLUMNS:
        raise DataProblem(
            f"The first line has {width:,} cells; {MOST_COLUMNS:,} columns can be used.",
            f"{name}, line 1",
            "Use fewer columns. If rows and columns are exchanged, or line ends are missing, mend that first.",
        )


def even_first_line(text: str, delimiter: str, header: bool | None) -> tuple[str, tuple[str, ...]]:
    """Return the text with as many names in its first line as the others have cells, and a note where it had one less
    or more.

    R leaves out the name of its row names; other programs end lines with a delimiter, but not the first, or only the
    first. A first line with a number in it is taken for names only where `header` says so.
    """
    found = records(sample(text), delimiter)
    if header is False or len(found) < 2 or len(found[0]) < 2:
        return text, ()
    if header is None and any(is_number(cell, decimal) for cell in found[0] for decimal in ".,"):
        return text, ()
    first, (width, _) = found[0], Counter(map(len, found[1:])).most_common(1)[0]
    if len(first) == width - 1 and all(record[-1].strip() == "" for record in found[1:] if len(record) == width):
        names, note = [*first, ""], "The lines of values end in a delimiter, the line of names does not."
    elif len(first) == width - 1:
        names = [ROW_NAMES, *first]
        note = f"The first line has one name less than the others have cells: the first is called {ROW_NAMES!r} here."
    elif len(first) == width + 1 and first[-1].strip() == "":
        names, note = first[:-1], "The line of names ends in a delimiter, the lines of values do not."
    else:
        return text, ()
    return _with_first_record(text, delimiter, names), (note,)


def _with_first_record(text: str, delimiter: str, record: Record) -> str:
    lines, new = io.StringIO(text, newline=""), io.StringIO(newline="")
    before = 0
    for old in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
        if any(cell.strip() for cell in old):
            break
        before = lines.tell()
    end = "\r\n" if text[: lines.tell()].endswith("\r\n") else text[lines.tell() - 1]
    csv.writer(new, delimiter=delimiter, lineterminator=end).writerow(record)
    return text[:before] + new.getvalue() + lines.read()


def even_text(text: str, delimiter: str, name: str, ragged: str, first_line: int) -> tuple[str, tuple[str, ...]]:
    """Return the text with the same number of cells in every record, and notes on what was left out.

    A record's number is the line it ends in, as an editor counts, so that it can be found.
    """
    if _is_plainly_even(text, delimiter):
        return text, ()
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
        raise _indivisible(str(error), f"{name}, line {begun}") from None
    if record and record[-1] and text.endswith('"' + record[-1]):
        raise _indivisible("a quotation mark is not closed", f"{name}, line {last}")
    if len(widths) < 2:
        return text, ()
    usual, count = widths.most_common(1)[0]
    odd = sorted((line, width) for width, lines in lines_of.items() if width != usual for line in lines)[:LINES_NAMED]
    total = sum(widths.values()) - count
    listed = ", ".join(f"line {line} has {width}" for line, width in odd) + (", …" if total > len(odd) else "")
    what = f"{total:,} of {sum(widths.values()):,} lines have another number of cells than {usual}: {listed}."
    if ragged != "leave out":
        raise DataProblem(
            what, name, "Mend these lines, choose another delimiter, or have them left out (ragged='leave out')."
        )
    return _even_records(text, delimiter, usual), (f"Left out: {what}",)


def _indivisible(why: str, where: str) -> DataProblem:
    return DataProblem(
        f"The text cannot be divided into cells: {why}.",
        where,
        "Look for a quotation mark that is not closed, or choose another delimiter.",
    )


def _is_plainly_even(text: str, delimiter: str) -> bool:
    """Return whether all lines have the same number of cells, where that is quick to tell: five times as fast as a
    reader."""
    if '"' in text or delimiter == " ":
        return False
    lines = text.split("\n" if "\n" in text else "\r")
    return len({line.count(delimiter) for line in lines if line.strip(" \r\n")}) == 1


def _even_records(text: str, delimiter: str, width: int) -> str:
    even = io.StringIO(newline="")
    writer = csv.writer(even, delimiter=delimiter)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    writer.writerows(record for record in reader if len(record) == width)
    return even.getvalue()


def column_names(first: Record | None, width: int) -> tuple[list[str], tuple[str, ...]]:
    """Return a name for every column, each different, and notes on those that had to be made up or changed."""
    given = [cell.strip() for cell in first] if first else [""] * width
    names, notes, taken = [], [], {name for name in given if name}
    seen: Counter[str] = Counter()
    for number, name in enumerate(given, start=1):
        wanted = name or f"column {number}"
        seen[wanted] += 1
        new, copy = wanted, seen[wanted]
        while (copy > 1 or not name) and new in taken:
            copy = max(copy, 2)
            new = f"{wanted} ({copy})"
            copy += 1
        taken.add(new)
        names.append(new)
        if name and new != name:
            notes.append(f"Column {number} is a second {name!r}: it is called {new!r} here.")
        elif first and not name:
            notes.append(f"Column {number} has no name: it is called {new!r} here.")
    return names, tuple(notes)


def parse(
    text: str, name: str, found: Sequence[Record], names: Sequence[str], delimiter: str, decimal: str, header: bool,
    missing: Sequence[str],
) -> tuple[pd.DataFrame, tuple[str, ...]]:  # fmt: skip
    """Return the cells: numbers where a whole column has them, texts elsewhere; `found` is the sample."""
    import pandas as pd

    rows = found[1:] if header else found
    words = [
        j
        for j in range(len(names))
        if not all(
            is_number(cell, decimal) and not is_code(cell)
            for cell in present([r[j] for r in rows if j < len(r)], missing)
        )
    ]
    try:
        frame = pd.read_csv(
            io.BytesIO(text.encode()),
            sep=delimiter,
            decimal=decimal,
            header=0 if header else None,
            names=range(len(names)),
            index_col=False,
            dtype=dict.fromkeys(words, str),
            na_values=list(missing),
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
        )
    except pd.errors.ParserError as error:
        raise _indivisible(str(error), name) from None
    frame.columns = pd.Index(names)
    empty = frame.isna().all(axis=1)
    notes = [f"Left out: lines without any value, {empty.sum():,} of them."] if empty.any() else []
    frame = frame[~empty].reset_index(drop=True)
    cleaned = {}
    for column in names:
        cleaned[column], more = _clean(frame[column], decimal, missing)
        notes += more
    return pd.DataFrame(cleaned), tuple(notes)


def _clean(column: pd.Series, decimal: str, missing: Sequence[str]) -> tuple[pd.Series, list[str]]:
    """Texts without blanks around them; infinite and huge numbers as missing."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(column) or not is_numeric_dtype(column):
        return map_cells(column, lambda cell: _stripped(str(cell), missing), object), []
    if column.dtype.kind in "iu":
        return column, []
    usable = as_numbers(column, decimal)
    lost = int(usable.isna().sum() - column.isna().sum())
    if not lost:
        return usable, []
    what = f"Infinite values of {column.name!r}, and those beyond ±{LARGEST:g}, are read as missing: {lost:,}."
    return usable, [f"{what} If they are meant, write the column in a larger unit."]


def _stripped(cell: str, missing: Sequence[str]) -> str | float:
    text = cell.strip()
    return math.nan if text in missing else text
