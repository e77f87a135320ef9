"""The words for the facts about a table: the sentence of every kind of note, and why a column is of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mdcore.basics.text import listed, quoted, short
from mdcore.data.tables.cells import LARGEST
from mdcore.data.tables.kinds import Column
from mdcore.data.tables.notes import Kind, Note

NAMED = 3  # columns or cells named in a sentence
CODED = 5  # columns named for each code of missing values


def sentence(note: Note) -> str:
    """Return a note in words."""
    return SENTENCES[note.kind](**note.figures)


def why(column: Column) -> str:
    """Say why a column is of its kind."""
    different = f"{column.distinct:,} different"
    if column.kind == "constant":
        told = "the same value in every row" if column.distinct else "no values"
    elif column.kind == "index" and column.numbers:
        long = ", longer than those of any measurement" if column.long else ""
        told = f"whole numbers, all different{', in steps of one' if column.steps else long}"
    elif column.kind == "index":
        told = "a different value in every row"
    elif column.kind == "date":
        told = f"dates or times, such as {column.examples[0]}"
    elif column.numbers:
        codes = ": if they are codes, use the column as a category" if column.codes else ""
        told = f"{different} {'whole numbers' if column.whole else 'numbers'}{codes}"
    elif column.names:
        told = f"{different} names, {short(column.present / column.distinct)} rows each on average"
    else:
        told = f"{different} texts{f' in {column.present:,} rows' if column.kind == 'text' else ''}"
    return told + (
        f"; cells that are not numbers count as missing: {odd_cells(column.odd, column.examples)}" if column.odd else ""
    )


def ragged_lines(total: int, lines: int, usual: int, named: Sequence[tuple[int, int]]) -> str:
    """Say how many lines do not have the usual number of cells, and name the first with their numbers of cells."""
    lines_named = ", ".join(f"line {line} has {width}" for line, width in named) + (", …" if total > len(named) else "")
    verb = "does" if total == 1 else "do"
    return f"{total:,} of {lines:,} lines {verb} not have {usual} cells, as most have: {lines_named}."


def gap_codes(codes: Mapping[str, Sequence[str]]) -> str:
    """Say which numbers stand for missing values, and in which columns."""
    some = {code: ", ".join(map(repr, names[:CODED])) + ", …" * (len(names) > CODED) for code, names in codes.items()}
    return "; ".join(f"{code} in {names}, repeatedly and below all other numbers" for code, names in some.items())


def odd_cells(number: int, examples: Sequence[str]) -> str:
    """Say how many cells in a column of numbers are not numbers."""
    return f"{number:,}, such as {', '.join(map(repr, examples))}"


def _quoted(cells: Sequence[str]) -> str:
    return ", ".join(map(quoted, cells))


def _not_numbers(columns: Sequence[tuple[str, int, Sequence[str]]]) -> str:
    told = "; ".join(f"{odd_cells(number, cells)}, in {name!r}" for name, number, cells in columns[:NAMED])
    more = f"; and in {len(columns) - NAMED:,} more" if len(columns) > NAMED else ""
    return f"Cells that are not numbers count as missing: {told}{more}."


def _case(column: str, levels: Sequence[Sequence[str]]) -> str:
    said = "; ".join(" and ".join(map(repr, alike)) for alike in levels[:NAMED]) + "; …" * (len(levels) > NAMED)
    return f"{column!r} has levels that differ only in case; they count as different: {said}."


def _empty_columns(number: int) -> str:
    if number == 1:
        return (
            "Left out: the last column, which has neither a name nor values; every line probably ends in a delimiter."
        )
    return f"Left out: the last {number:,} columns, which have neither names nor values."


SENTENCES: Mapping[Kind, Callable[..., str]] = {
    "titles": lambda lines: f"Left out above the column names: {_quoted(lines)}.",
    "footnotes": lambda lines: f"Left out below the last row: {_quoted(lines)}.",
    "rows end in a delimiter": lambda: "The rows end in a delimiter, the header line does not.",
    "header ends in a delimiter": lambda: "The header line ends in a delimiter, the rows do not.",
    "row names": lambda name: f"The header line has one cell fewer than the rows: the first column is named {name!r}.",
    "units": lambda cells: (
        f"Left out: the second line, {_quoted(cells)}, as units, since it has words in columns of numbers."
    ),
    "two lines of names": lambda: "The column names take up the first two lines: they are joined.",
    "ragged lines": lambda **found: f"Left out: {ragged_lines(**found)}",
    "renamed": lambda number, name, new: f"Column {number} is another {name!r}: it is renamed to {new!r}.",
    "named": lambda number, new: f"Column {number} has no name: it is named {new!r}.",
    "more names": lambda number: f"{number:,} more columns without a name or with a repeated one are named likewise.",
    "empty rows": lambda number: f"Left out: lines without any value ({number:,}).",
    "quantities": lambda examples: (
        f"Read as numbers: {listed([f'{column!r} ({text!r} as {new})' for column, text, new in examples], most=NAMED)}."
    ),
    "too large": lambda column, number: (
        f"Infinite values of {column!r} and values beyond ±{LARGEST:g} count as missing: {number:,}. If they are "
        "correct, give the column in a larger unit."
    ),
    "gap codes": lambda codes: f"Read as missing: {gap_codes(codes)}.",
    "repeated names": lambda number: f"Left out: lines that repeat the column names ({number:,}).",
    "sums": lambda name: f"Left out: the last line, {name!r}, which sums the others.",
    "empty columns": _empty_columns,
    "not numbers": _not_numbers,
    "case": _case,
}
