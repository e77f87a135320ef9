"""Lines around the values of a table: titles above the names, names in two lines, a line of units, footnotes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from mdcore.data.tables.cells import MISSING, is_number_in_any_notation, present, share
from mdcore.data.tables.detection import Record, Sheet
from mdcore.data.tables.notes import Notes, note

ROW_NAMES = "row names"
NUMBERS = 0.9  # smallest share of numbers in a column of numbers
MOST_FOOTNOTES = 10
BLANKS = " \r\n"  # without tabs, which may separate cells
LEAST = 2  # fewest columns of numbers in which a second line of names or units has words


def without_titles(sheet: Sheet, header: bool | None) -> tuple[Sheet, Notes]:
    """Return the sheet without titles above the line of names, and a note of what was left out.

    Spreadsheets are often saved with titles: lines in which at most half of the cells are filled, above a full line of
    words with numbers below it.
    """
    found = sheet.records
    if header is False or not found:
        return sheet, ()
    titles = next((j for j, record in enumerate(found) if 2 * len(_filled(record)) > sheet.width), 0)
    names, below = found[titles], found[titles + 1 :]
    if not titles or not all(_is_word(cell) for cell in names) or not _numeric(below):
        return sheet, ()
    lines = [" ".join(_filled(record)) for record in found[:titles] if _filled(record)]
    return _with_names(sheet, titles + 1, names), (note("titles", lines=lines),)


def without_footnotes(sheet: Sheet) -> tuple[Sheet, Notes]:
    """Return the sheet without footnotes, and a note of what was left out.

    Footnotes are last lines with a single cell of words in a table of several columns. A single number is not a
    footnote but the beginning of a line that was cut off.
    """
    text, delimiter = sheet.text, sheet.delimiter.value
    found, end = list[str](), len(text.rstrip(BLANKS))
    while end and len(found) <= MOST_FOOTNOTES:
        begin = max(text.rfind(sign, 0, end) for sign in "\r\n") + 1
        line = text[begin:end]
        if not begin or delimiter in line or '"' in line or not _is_word(line):
            break
        found.append(line.strip())
        end = len(text[:begin].rstrip(BLANKS))
    if not 0 < len(found) <= MOST_FOOTNOTES or delimiter == " " or sheet.width < 2:
        return sheet, ()
    rest, records = text[end:], list(sheet.records)
    while len(records[-1]) == 1 and records[-1][0].strip() in found:
        records.pop()
    text = text[:end] + ("\r\n" if rest.startswith("\r\n") else rest[:1])
    return replace(sheet, text=text, records=records), (note("footnotes", lines=found[::-1]),)


def with_matching_header(sheet: Sheet, header: bool | None) -> tuple[Sheet, Notes]:
    """Return the sheet with as many names in its first line as cells in the others, and a note if that changed it.

    R writes no name for its column of row names; other programs end all lines but the first, or only the first, with a
    delimiter. A first line with a number in it counts as names only if `header` is True.
    """
    found = sheet.records
    if header is False or len(found) < 2 or len(found[0]) < 2:
        return sheet, ()
    if header is None and any(map(is_number_in_any_notation, found[0])):
        return sheet, ()
    first, (width, _) = found[0], Counter(map(len, found[1:])).most_common(1)[0]
    if len(first) == width - 1 and all(record[-1].strip() == "" for record in found[1:] if len(record) == width):
        names, told = [*first, ""], note("rows end in a delimiter")
    elif len(first) == width - 1:
        names, told = [ROW_NAMES, *first], note("row names", name=ROW_NAMES)
    elif len(first) == width + 1 and first[-1].strip() == "":
        names, told = first[:-1], note("header ends in a delimiter")
    else:
        return sheet, ()
    return _with_names(sheet, 1, names), (told,)


def without_second_line(sheet: Sheet, header: bool | None) -> tuple[Sheet, Notes]:
    """Return the sheet with a single line above the values, and a note if a second line also had words above numbers.

    If the first line has a different name for every column, the second is left out as a line of units; otherwise the
    names of both lines are joined.
    """
    found = sheet.records
    if header is False or len(found) <= 2 or len(found[0]) != len(found[1]):
        return sheet, ()
    first, second, below = found[0], found[1], found[2:]
    numeric = _numeric(below)
    words = [j for j in numeric if _is_word(second[j]) and not any(record[j] == second[j] for record in below)]
    numbers = any(is_number_in_any_notation(record[j]) for record in (first, second) for j in numeric)
    if numbers or len(words) < max(LEAST, len(numeric) / 2):
        return sheet, ()
    names = [cell.strip() for cell in first]
    if all(names) and len(set(names)) == len(names):
        told = note("units", cells=_filled(second))
    else:
        ruled = [cell if any(map(str.isalnum, cell)) else "" for cell in second]  # Markdown has a line of ---
        names = [" ".join(_filled(pair)) for pair in zip(first, ruled, strict=True)]
        told = note("two lines of names")
    return _with_names(sheet, 2, names), (told,)


def _with_names(sheet: Sheet, count: int, names: Sequence[str]) -> Sheet:
    """Return the sheet with a line of names instead of its first `count` records that are not blank.

    Blank lines fill the space, so that all other lines keep their numbers.
    """
    delimiter = sheet.delimiter.value
    old, new, left = io.StringIO(sheet.text, newline=""), io.StringIO(newline=""), count
    reader = csv.reader(old, delimiter=delimiter, skipinitialspace=True)
    while left:
        left -= bool(_filled(next(reader)))
    before = sheet.text[: old.tell()]
    end = "\r\n" if before.endswith("\r\n") else before[-1]
    new.write(end * (reader.line_num - 1))
    csv.writer(new, delimiter=delimiter, lineterminator=end).writerow(names)
    return replace(sheet, text=new.getvalue() + old.read(), records=[list(names), *sheet.records[count:]])


def _numeric(below: Sequence[Record]) -> list[int]:
    """Return the indices of the columns in which nearly all cells are numbers."""
    width = min(map(len, below), default=0)
    columns = (present([record[j] for record in below], MISSING) for j in range(width))
    return [j for j, cells in enumerate(columns) if share(map(is_number_in_any_notation, cells)) > NUMBERS]


def _filled(record: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in record if cell.strip()]


def _is_word(cell: str) -> bool:
    return cell.strip() not in MISSING and not is_number_in_any_notation(cell)
