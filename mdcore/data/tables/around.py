"""Lines around the values of a table: titles above the names, names in two lines, a line of units, footnotes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

from mdcore.data.tables.cells import MISSING, is_number_in_any_notation, present, share
from mdcore.data.tables.detection import Record, records, sample
from mdcore.text import quoted

Notes = tuple[str, ...]

ROW_NAMES = "row names"
NUMBERS = 0.9  # smallest share of numbers in a column of numbers
MOST_FOOTNOTES = 10
BLANKS = " \r\n"  # without tabs, which may separate cells
LEAST = 2  # fewest columns of numbers in which a second line of names or units has words


def without_titles(text: str, delimiter: str, header: bool | None) -> tuple[str, Notes]:
    """Return the text without titles above the line of names, and a note of what was left out.

    Spreadsheets are often saved with titles: lines in which at most half of the cells are filled, above a full line of
    words with numbers below it.
    """
    found = records(sample(text), delimiter)
    if header is False or not found:
        return text, ()
    width = Counter(map(len, found)).most_common(1)[0][0]
    titles = next((j for j, record in enumerate(found) if 2 * len(_filled(record)) > width), 0)
    names, below = found[titles], found[titles + 1 :]
    if not titles or not all(_is_word(cell) for cell in names) or not _numeric(below):
        return text, ()
    said = ", ".join(quoted(" ".join(_filled(record))) for record in found[:titles] if _filled(record))
    return _with_names(text, delimiter, titles + 1, names), (f"Left out above the column names: {said}.",)


def without_footnotes(text: str, delimiter: str) -> tuple[str, Notes]:
    """Return the text without footnotes, and a note of what was left out.

    Footnotes are last lines with a single cell of words in a table of several columns. A single number is not a
    footnote but the beginning of a line that was cut off.
    """
    found, end = list[str](), len(text.rstrip(BLANKS))
    while end and len(found) <= MOST_FOOTNOTES:
        begin = max(text.rfind(sign, 0, end) for sign in "\r\n") + 1
        line = text[begin:end]
        if not begin or delimiter in line or '"' in line or not _is_word(line):
            break
        found.append(line.strip())
        end = len(text[:begin].rstrip(BLANKS))
    width = Counter(map(len, records(sample(text), delimiter))).most_common(1)
    if not 0 < len(found) <= MOST_FOOTNOTES or delimiter == " " or not width or width[0][0] < 2:
        return text, ()
    rest = text[end:]
    return text[:end] + ("\r\n" if rest.startswith("\r\n") else rest[:1]), (
        f"Left out below the last row: {', '.join(map(quoted, reversed(found)))}.",
    )


def with_matching_header(text: str, delimiter: str, header: bool | None) -> tuple[str, Notes]:
    """Return the text with as many names in its first line as cells in the others, and a note if that changed it.

    R writes no name for its column of row names; other programs end all lines but the first, or only the first, with a
    delimiter. A first line with a number in it counts as names only if `header` is True.
    """
    found = records(sample(text), delimiter)
    if header is False or len(found) < 2 or len(found[0]) < 2:
        return text, ()
    if header is None and any(map(is_number_in_any_notation, found[0])):
        return text, ()
    first, (width, _) = found[0], Counter(map(len, found[1:])).most_common(1)[0]
    if len(first) == width - 1 and all(record[-1].strip() == "" for record in found[1:] if len(record) == width):
        names, note = [*first, ""], "The rows end in a delimiter, the header line does not."
    elif len(first) == width - 1:
        names = [ROW_NAMES, *first]
        note = f"The header line has one cell fewer than the rows: the first column is named {ROW_NAMES!r}."
    elif len(first) == width + 1 and first[-1].strip() == "":
        names, note = first[:-1], "The header line ends in a delimiter, the rows do not."
    else:
        return text, ()
    return _with_names(text, delimiter, 1, names), (note,)


def without_second_line(text: str, delimiter: str, header: bool | None) -> tuple[str, Notes]:
    """Return the text with a single line above the values, and a note if a second line also had words above numbers.

    If the first line has a different name for every column, the second is left out as a line of units; otherwise the
    names of both lines are joined.
    """
    found = records(sample(text), delimiter)
    if header is False or len(found) <= 2 or len(found[0]) != len(found[1]):
        return text, ()
    first, second, below = found[0], found[1], found[2:]
    numeric = _numeric(below)
    words = [j for j in numeric if _is_word(second[j]) and not any(record[j] == second[j] for record in below)]
    numbers = any(is_number_in_any_notation(record[j]) for record in (first, second) for j in numeric)
    if numbers or len(words) < max(LEAST, len(numeric) / 2):
        return text, ()
    names = [cell.strip() for cell in first]
    if all(names) and len(set(names)) == len(names):
        said = ", ".join(map(quoted, _filled(second)))
        note = f"Left out: the second line, {said}, as units, since it has words in columns of numbers."
    else:
        ruled = [cell if any(map(str.isalnum, cell)) else "" for cell in second]  # Markdown has a line of ---
        names = [" ".join(_filled(pair)) for pair in zip(first, ruled, strict=True)]
        note = "The column names take up the first two lines: they are joined."
    return _with_names(text, delimiter, 2, names), (note,)


def _with_names(text: str, delimiter: str, count: int, names: Sequence[str]) -> str:
    """Return the text with a line of names instead of its first `count` records that are not blank.

    Blank lines fill the space, so that all other lines keep their numbers.
    """
    old, new = io.StringIO(text, newline=""), io.StringIO(newline="")
    reader = csv.reader(old, delimiter=delimiter, skipinitialspace=True)
    while count:
        count -= bool(_filled(next(reader)))
    before = text[: old.tell()]
    end = "\r\n" if before.endswith("\r\n") else before[-1]
    new.write(end * (reader.line_num - 1))
    csv.writer(new, delimiter=delimiter, lineterminator=end).writerow(names)
    return new.getvalue() + old.read()


def _numeric(below: Sequence[Record]) -> list[int]:
    """Return the indices of the columns in which nearly all cells are numbers."""
    width = min(map(len, below), default=0)
    columns = (present([record[j] for record in below], MISSING) for j in range(width))
    return [j for j, cells in enumerate(columns) if share(map(is_number_in_any_notation, cells)) > NUMBERS]


def _filled(record: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in record if cell.strip()]


def _is_word(cell: str) -> bool:
    return cell.strip() not in MISSING and not is_number_in_any_notation(cell)
