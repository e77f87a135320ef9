"""The words for the facts about a table: its notes, why a column is of its kind, the reasons of findings, refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mdcore.basics.text import count, listed, percent, quoted, short
from mdcore.data.tables.cells import LARGEST
from mdcore.data.tables.notes import Kind, Note

if TYPE_CHECKING:
    from mdcore.data.tables.detection import Finding
    from mdcore.data.tables.kinds import Column

NAMED = 3  # columns or cells named in a sentence
CODED = 5  # columns named for each code of missing values
LISTED = 20  # columns
CLASSES = 12


def sentence(note: Note) -> str:
    """Return a note in words."""
    return SENTENCES[note.kind](**note.figures)


def reason(finding: Finding[Any]) -> str:
    """Return the reason of a finding in words."""
    return REASONS[finding.kind](**finding.figures)


def refusal(key: str, figures: Mapping[str, Any]) -> tuple[str, str]:
    """Return what is wrong with data, and what to do."""
    return REFUSALS[key](**figures)


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


def _new_levels(column: str, levels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, levels[:NAMED])) + (", …" if len(levels) > NAMED else "")
    return f"{column!r}: {count(len(levels), 'level')} not seen in fitting: {shown}."


def _case(column: str, levels: Sequence[Sequence[str]]) -> str:
    said = "; ".join(" and ".join(map(repr, alike)) for alike in levels[:NAMED]) + "; …" * (len(levels) > NAMED)
    return f"{column!r} has levels that differ only in case; they count as different: {said}."


def _decimal(points: int, commas: int, point: Sequence[str], comma: Sequence[str]) -> tuple[str, str]:
    with_point = f"{points:,} numbers have a point, such as {point[0]}" if points else "no number has a point"
    return with_point, f"{commas:,} numbers have a comma, such as {comma[0]}" if commas else "none has a comma"


def _no_commas(**found: Any) -> str:
    return "; ".join(_decimal(**found)) if found["points"] else "no number has a fraction"


def _not_utf8(byte: int, line: int, letter: str, encoding: str, others: Sequence[str]) -> str:
    also = f". It could also be {', '.join(others)}" if others else ""
    return f"not UTF-8: byte {byte:#04x} in line {line} is {letter!r} in {encoding}{also}"


def _owners(name: str, distinct: int, rows: int) -> str:
    return (
        f"its {distinct:,} values repeat, {short(rows / distinct)} rows each on average: rows of the same {name} are "
        "not independent, and test scores too optimistic if both parts have some"
    )


def _large_file(size: int, lines: int, needed: int, available: int, most: int) -> tuple[str, str]:
    return (
        f"Reading its {size / 2**20:,.0f} MiB, about {lines:,} lines, needs about {needed / 2**30:.1f} GiB of memory, "
        f"but only {available / 2**30:.1f} GiB are free.",
        f"Use a part of at most {most // 2**20:,} MiB: fewer rows or fewer columns.",
    )


def _wide_inputs(rows: int, width: int, needed: int, available: int, widest: str) -> tuple[str, str]:
    return (
        f"{rows:,} rows of {width:,} numbers need about {needed / 2**30:.1f} GiB of memory, but only "
        f"{available / 2**30:.1f} GiB are free.",
        f"Drop columns, {widest!r} first, or choose the encoding pooled or target.",
    )


def _not_here(variable: str, file: str, problem: Exception | None = None) -> tuple[str, str]:
    return (
        f"It is not on this machine{f'. {problem}' if problem else ', and OpenML is not known to have it.'}",
        f"Set {variable} to a folder that has {file}." if file else "Leave it out.",
    )


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
    "lost": lambda column, number: f"{column!r}: {number:,} cells are not numbers and count as missing.",
    "new levels": _new_levels,
    "outside": lambda column, number, low, high: (
        f"{column!r}: {count(number, 'value')} outside the range seen in fitting, {low:g} to {high:g}."
    ),
}

REASONS: Mapping[str, Callable[..., str]] = {
    "chosen": lambda: "chosen by you",
    "catalogue": lambda: "given by the catalogue",
    "OpenML": lambda: "given by OpenML",
    "first line": lambda: "set by the first line",
    "byte order mark": lambda: "the file begins with its byte order mark",
    "zero bytes": lambda: "every other byte is zero",
    "escape sequences": lambda: "the file has escape sequences of ISO-2022-JP",
    "ASCII": lambda: "plain ASCII",
    "valid UTF-8": lambda: "all bytes are valid UTF-8",
    "not UTF-8": _not_utf8,
    "unsplit": lambda: "no comma, semicolon, tab or bar splits the lines",
    "spaces split": lambda cells: f"{REASONS['unsplit']()}; spaces give {cells} cells, mostly numbers",
    "splits": lambda share, cells: (
        f"splits {'every line' if share == 1 else f'{percent(share)} of the lines'} into {cells} cells"
    ),
    "no commas": _no_commas,
    "commas separate thousands": lambda **found: f"{'; '.join(_decimal(**found))}, which may separate thousands",
    "commas and points": lambda **found: "; ".join(reversed(_decimal(**found))),
    "one line": lambda: "there is only one line",
    "a word above numbers": lambda word: f"the first line has a word, {word!r}, above a column of numbers",
    "columns numbered": lambda: "the first line numbers the columns",
    "years": lambda: "the first line has words that do not recur, and consecutive numbers, such as years",
    "numbers above numbers": lambda: "the first line has numbers in the same columns as the other lines",
    "no word recurs": lambda: "no word of the first line recurs in its column",
    "words recur": lambda: "words of the first line recur in their columns",
    "a column has no name": lambda: "not every column has a name",
    "other width": lambda: "the first line has a different number of cells than the others",
    "spellings": lambda seen: (
        "in the first lines: " + ", ".join(f"{cell or 'empty'} ({number})" for cell, number in seen.items())
        if seen
        else "none in the first lines"
    ),
    "codes": lambda found, codes: f"{reason(found)}; {gap_codes(codes)}",
    "few values": lambda found, present, rows: f"{reason(found)}; only {present:,} of {rows:,} rows have a value",
    "few values of another": lambda found, name, present, rows: (
        f"{reason(found)}; {name!r} has a value in only {present:,} of {rows:,} rows"
    ),
    "name": lambda: "by its name",
    "name and values": lambda distinct: f"by its name, with {distinct} different values",
    "last column": lambda distinct: f"the last column, with {distinct} different values",
    "first column": lambda distinct: f"the first column, with {distinct} different values; the last has too many",
    "last with few values": lambda distinct: f"the last column with few different values, {distinct}",
    "no column with few values": lambda: "the last column; no column has few different values",
    "values repeat": _owners,
    "positive name": lambda: "which is a positive name",
    "other name negative": lambda: "since the other class has a negative name",
    "largest number": lambda: "the largest number",
    "rarest": lambda alike: "the rarest class" if alike == 1 else f"the last of the {alike} rarest classes",
}

SAVE_AS_TEXT = "Save the table as CSV (comma-separated values) and load that file."
UNSPLIT = "The text cannot be split into cells: "
FIND_QUOTE = "Look for a quotation mark that is not closed, or choose another delimiter."
FULL_COLUMN = "Choose a column without missing values"
WRITTEN = {"text": "Use a text that to_json returned.", "link": "Copy the whole link again."}
DAMAGED: Mapping[str, Callable[..., str]] = {
    "fields": lambda: "the table lacks one of key, name, content, options and choices",
    "texts": lambda: "the table's key, name and content are not what was saved",
    "content": lambda: "the table's content is not in base64",
    "options": lambda: "the table's options are not an object",
    "option": lambda name, value: f"the table cannot be read with {quoted(name)} = {quoted(value)}",
}

# What is wrong with data, and what to do.
REFUSALS: Mapping[str, Callable[..., tuple[str, str]]] = {
    "not bytes": lambda type: (
        f"The content must be bytes; got {type}.",
        "For a file, give Path(name).read_bytes(); for a text, text.encode().",
    ),
    "large file": _large_file,
    "empty file": lambda: ("The file is empty.", "Choose a file with a header line and rows of values."),
    "header alone": lambda: ("There is a header line, but no row of values.", "Add at least two rows of each class."),
    "no rows": lambda: ("There is no row of values.", "Choose a file with rows of values."),
    "zero bytes": lambda encoding: (
        f"In the encoding {encoding}, this file has zero bytes: it is not text.",
        SAVE_AS_TEXT,
    ),
    "another kind of file": lambda kind: (f"This is {kind}, not a CSV file.", SAVE_AS_TEXT),
    "control characters": lambda number, read: (
        f"This file is not text: {number:,} of the first {read:,} bytes are control characters.",
        SAVE_AS_TEXT,
    ),
    "unknown encoding": lambda encoding, known: (
        f"There is no encoding {quoted(encoding)}.",
        f"Choose one of {', '.join(known)}, or another encoding that Python supports.",
    ),
    "invalid byte": lambda byte, encoding: (
        f"Byte {byte:#04x} is not valid in the encoding {encoding}.",
        "Choose another encoding, or have it detected.",
    ),
    "illegal delimiter": lambda delimiter, common: (
        f"The delimiter must be one character; got {quoted(delimiter)}.",
        f"Common delimiters are {', '.join(common)}.",
    ),
    "illegal decimal sign": lambda sign: (
        f"The decimal sign must be a point or a comma; got {sign!r}.",
        "Choose one of them.",
    ),
    "too many columns": lambda cells, most: (
        f"The first line has {cells:,} cells; at most {most:,} columns are supported.",
        "Use fewer columns. If rows and columns are swapped, or line breaks are missing, fix that first.",
    ),
    "one column": lambda column, delimiter: (
        f"There is only one column, {column!r}; a target and at least one feature are needed.",
        f"If the cells are separated by something other than a {delimiter}, choose it as the delimiter.",
    ),
    "ragged lines": lambda **found: (
        ragged_lines(**found),
        "Fix these lines, choose another delimiter, or leave out lines with too many or too few cells.",
    ),
    "no cells": lambda error: (f"{UNSPLIT}{error}.", FIND_QUOTE),
    "open quotation mark": lambda: (f"{UNSPLIT}a quotation mark is not closed.", FIND_QUOTE),
    "unknown column": lambda column, columns: (
        f"There is no column {quoted(column)}.",
        f"The columns are {listed(columns, most=LISTED)}.",
    ),
    "deep JSON": lambda origin: ("The JSON is nested too deeply.", WRITTEN[origin]),
    "invalid JSON": lambda origin, error: (f"This is not valid JSON ({error}).", WRITTEN[origin]),
    "no target is named": lambda: ("No target is named.", WRITTEN["link"]),
    "fields of choices": lambda known: (
        "The fields are not those of choices.",
        f"Give target, kinds and any of {', '.join(known)}.",
    ),
    "type of a choice": lambda field, value: (f"{field} cannot be {quoted(value)}.", "Give a value of the right type."),
    "illegal kind": lambda column, kind, legal: (
        f"Column {quoted(column)} cannot be {quoted(kind)}.",
        f"Choose {' or '.join(legal)}.",
    ),
    "illegal choice": lambda field, value, legal: (
        f"{field} cannot be {quoted(value)}.",
        f"Choose one of {', '.join(legal)}.",
    ),
    "infinite threshold": lambda value: (f"threshold cannot be {value}.", "Choose a finite number."),
    "scheme without its column": lambda scheme, along: (
        f"scheme is {scheme}, and along is {quoted(along)}.",
        "Give a column for groups or time, and none for random splits.",
    ),
    "target splits": lambda target: (
        f"{quoted(target)} is both the target and the column of groups or times.",
        "Choose another column.",
    ),
    "target is dropped": lambda target: (f"{quoted(target)} is both the target and dropped.", "Choose one of the two."),
    "number of classes kept": lambda kept, most: (
        f"{kept} classes are kept.",
        f"Keep 2 to {most}, or list none to keep all.",
    ),
    "positive class left out": lambda name, classes: (
        f"The positive class {quoted(name)} is not among the classes kept.",
        f"Choose one of {', '.join(classes)}.",
    ),
    "no label is a number": lambda: (
        "No label is a number, so there are no classes above and below a threshold.",
        "Use the labels as classes, or choose another target.",
    ),
    "no labels": lambda: ("Every label is missing.", "Choose another target."),
    "numbers, not classes": lambda column, distinct, offer: (
        f"{column!r} holds {distinct:,} different numbers, not classes.",
        "Choose another target, use the numbers as categories, or divide them at a threshold, such as the median, "
        f"{offer:g}.",
    ),
    "unknown class": lambda name, classes: (
        f"There is no class {name!r}.",
        f"The classes are {listed([repr(name) for name in classes], most=CLASSES)}.",
    ),
    "too many classes": lambda number, most: (
        f"There are {number:,} different labels; at most {most} classes are supported.",
        "Choose another target, or choose the classes to keep.",
    ),
    "one class": lambda name: (
        f"There is only one class, {name!r}.",
        "Choose another target, or a file with at least two classes.",
    ),
    "fewer than two classes": lambda: ("There are fewer than two classes.", "Choose another file."),
    "class without full rows": lambda left, rows, name: (
        f"Without the rows with missing values, {left:,} of {rows:,} rows are left, none of them of class {name!r}.",
        "Impute missing values, or drop the columns that have them.",
    ),
    "rows without a time": lambda number: (
        f"{number:,} rows have no date or number.",
        f"{FULL_COLUMN}, or remove these rows from the file.",
    ),
    "rows without a group": lambda number: (f"{number:,} rows have no group.", f"{FULL_COLUMN}."),
    "no features": lambda: ("No column is left as a feature.", "Drop fewer columns, or encode the categories."),
    "wide inputs": _wide_inputs,
    "columns missing": lambda missing, columns: (
        f"Columns that the model needs are missing: {', '.join(map(repr, missing))}.",
        f"Give all of {', '.join(map(repr, columns))}.",
    ),
    "rows without a value": lambda number, column: (
        f"{number:,} rows have no value in {column!r}.",
        "Fill them in, or fit the model again with missing values imputed.",
    ),
    "table not loaded": lambda: (
        "It refers to an uploaded table, which exists only in the session that loaded it, until the session ends or "
        "another table replaces it.",
        "Load the file under Compare, or open the project file that was saved with it.",
    ),
    "damaged project": lambda part, **figures: (
        f"It is damaged: {DAMAGED[part](**figures)}.",
        "Save it again, or load the file of your table under Compare.",
    ),
    "not a folder": lambda variable, named: (
        f"{variable} is {named}, which is not a folder.",
        "Correct or unset the variable, and restart the app.",
    ),
    "no folder": lambda variable, wanted: (
        "No data folder is set.",
        f"Set {variable} to the folder that holds {wanted}.",
    ),
    "not in the folder": lambda wanted, files: (
        f"The data folder has no {wanted}.",
        f"It has {', '.join(files) or 'no CSV file'}.",
    ),
    "no name": lambda: ("No name or number was given.", "Give the name or the number of a data set."),
    "HTTP status": lambda wanted, status: (
        f"The request for {wanted!r} failed with HTTP status {status}.",
        "Look up the name or the number at openml.org.",
    ),
    "offline": lambda error: (
        f"The server cannot be reached ({error}).",
        "You seem to be offline. Data sets downloaded before, files and the data folder still work.",
    ),
    "unreadable": lambda wanted, error: (f"{wanted!r} cannot be read: {error}", "Choose another name or number."),
    "no copy": lambda: (
        "It is neither in scikit-learn nor in the data folder, and no copy on OpenML is known.",
        "If you have it, upload it.",
    ),
    "not here": _not_here,
    "cannot be rerun": lambda why: (f"It cannot be rerun: {why}.", "Leave it out."),
}
