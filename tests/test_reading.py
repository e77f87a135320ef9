"""Files of every kind: each is read as meant, or says what is wrong, where, and what to do."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdcore.data import (
    DataProblem,
    NeedsChoice,
    Table,
    class_counts,
    load_dataset,
    parsing,
    preparation,
    propose,
    read_table,
    select,
    table_of,
)
from mdcore.data.cells import is_date, is_number
from mdcore.data.detection import CHOSEN

ROWS = [["a", "b", "c"], ["1.5", "x", "yes"], ["2.25", "y", "no"], ["-3", "x", "no"], ["4", "y", "yes"]]


def text(rows: Sequence[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    return "".join(delimiter.join(row) + end for row in rows)


def read(rows: Sequence[Sequence[str]] | str, **options) -> Table:
    content = rows if isinstance(rows, str) else text(rows)
    return read_table(content.encode(), "file.csv", **options)


def kinds(table: Table) -> dict[str, str]:
    return {column.name: column.kind for column in table.columns}


def column_file(name: str, cells: Sequence[str], other: str = "v") -> str:
    """A column between a number and a target."""
    return text([["v0", name, "label"]] + [[f"{j * 0.37 % 1:.3f}", cell, "pq"[j % 2]] for j, cell in enumerate(cells)])


# Encodings, delimiters, decimal signs, headers


def test_semicolons_decimal_commas_and_latin_1():
    rows = [["größe", "gewicht", "klasse"], ["1,5", "2,25", "süß"], ["-0,5", "1e3", "sauer"], ["3", ",5", "süß"]]
    table = read_table(text(rows, ";", "\r\n").encode("latin-1"), "obst.csv")
    assert table.format.options() | {"missing": ()} == {
        "encoding": "cp1252",
        "delimiter": ";",
        "decimal": ",",
        "header": True,
        "missing": (),
        "ragged": "refuse",
    }
    assert table.frame["größe"].tolist() == [1.5, -0.5, 3.0]
    assert table.frame["gewicht"].tolist() == [2.25, 1000.0, 0.5]
    assert table.frame["klasse"].tolist() == ["süß", "sauer", "süß"]
    assert table.target.value == "klasse"
    assert "0xf6 in line 1 is 'ö'" in table.format.encoding.reason


@pytest.mark.parametrize(
    ("mark", "encoding", "found"),
    [
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
        (b"", "utf-16-le", "utf-16-le"),
        (b"", "utf-16-be", "utf-16-be"),
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (b"", "utf-8", "utf-8"),
    ],
)
def test_unicode_files_with_tabs(mark, encoding, found):
    rows = [[*row[:2], row[2].replace("yes", "ναι")] for row in ROWS]
    table = read_table(mark + text(rows, "\t").encode(encoding), "file.txt")
    assert (table.format.encoding.value, table.format.delimiter.value) == (found, "\t")
    assert list(table.frame.columns) == ["a", "b", "c"]
    assert table.frame["c"].tolist() == ["ναι", "no", "no", "ναι"]


def test_latin_1_bytes_without_a_place_in_windows_1252():
    table = read_table(b"a,b\n1,\x81\n2,\xe9\n", "file.csv")
    assert table.format.encoding.value == "latin-1"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter_and_line_end(delimiter, end):
    table = read(text(ROWS, delimiter, end))
    assert table.format.delimiter.value == delimiter
    assert table.frame["a"].tolist() == [1.5, 2.25, -3.0, 4.0]


def test_decimal_commas_without_a_header_are_no_delimiters():
    table = read("1,5;2,5;a\n2,5;3,5;b\n3,5;1,5;a\n")
    assert (table.format.delimiter.value, table.format.header.value) == (";", False)
    assert list(table.frame.columns) == ["column 1", "column 2", "column 3"]


def test_the_line_in_which_excel_names_the_delimiter():
    table = read("sep=;\na;b\n1;x\n2;y\n")
    assert table.format.delimiter.value == ";"
    assert table.frame["a"].tolist() == [1, 2]
    with pytest.raises(DataProblem, match="line 4 has 3"):
        read("sep=;\na;b\n1;x\n2;y;z\n3;x\n")


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["a", "b"], ["1", "x"], ["2", "y"]], True),
        ([["1", "x"], ["2", "y"], ["3", "x"]], False),
        ([["0", "1", "2"], ["5.5", "1.5", "x"], ["2.5", "2.5", "y"]], True),
        ([["0", "1", "2", "k"], ["5.5", "1.5", "3", "x"], ["2.5", "2.5", "1", "y"]], True),
        ([["colour", "taste"], ["red", "sweet"], ["green", "sour"], ["red", "sour"]], True),
        ([["red", "sweet"], ["green", "sour"], ["red", "sour"]], False),
        ([["?", "x"], ["2", "y"], ["3", "x"]], False),
    ],
)
def test_headers(rows, header):
    assert read(rows).format.header.value is header


def test_what_is_chosen_holds_and_says_so():
    content = "2;3;4\n4;5;6\n7;8;9\n"
    assert read(content).frame.shape == (3, 3)
    chosen = read(content, header=True, decimal=",", missing=["5"], encoding="latin-1", delimiter=";")
    assert list(chosen.frame.columns) == ["2", "3", "4"]
    assert np.isnan(chosen.frame["3"][0])
    how = chosen.format
    assert {how.encoding.reason, how.delimiter.reason, how.decimal.reason, how.header.reason, how.missing.reason} == {
        CHOSEN
    }
    with pytest.raises(DataProblem, match="only one column") as problem:
        read(content, delimiter=",")
    assert "choose it as the delimiter" in problem.value.todo


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"encoding": "klingon"}, "no encoding 'klingon'"),
        ({"encoding": "utf-8"}, "0xe9 cannot be read as utf-8"),
        ({"delimiter": "::"}, "one character"),
        ({"decimal": ";"}, "decimal sign"),
    ],
)
def test_choices_that_cannot_hold(options, what):
    with pytest.raises(DataProblem, match=what):
        read_table("a,b\n1,caf\xe9\n2,x\n".encode("latin-1"), "file.csv", **options)


# Cells


def test_quoted_cells_keep_delimiters_line_ends_and_quotes():
    table = read('a,b\n"x, y",1\n"line\nbreak",2\n"say ""no""",3\n')
    assert table.frame["a"].tolist() == ["x, y", "line\nbreak", 'say "no"']


def test_missing_values_in_numbers_and_names():
    rows = [
        ["v", "w", "k"],
        ["1", "red", "p"],
        ["", "?", "q"],
        ["NA", "blue", "p"],
        ["2.5", "NaN", "q"],
        ["3", " ", "q"],
    ]
    table = read(rows)
    assert table.frame["v"].isna().tolist() == [False, True, True, False, False]
    assert table.frame["w"].isna().tolist() == [False, True, False, True, True]
    assert [table.column(name).missing for name in "vwk"] == [2, 3, 0]
    assert all(word in table.format.missing.reason for word in ("empty", "NA", "NaN", "?"))


def test_a_few_words_between_numbers_count_as_missing_and_are_named():
    table = read(column_file("v", [f"{j / 7:.3f}" for j in range(60)] + ["n.b."]))
    column = table.column("v")
    assert (column.kind, column.missing) == ("numeric", 1)
    assert "'n.b.'" in column.reason
    assert select(table, propose(table)).X["v"].isna().sum() == 1


def test_infinite_numbers_are_missing_and_reported():
    table = read(column_file("v", ["1.5", "2.5", "3", "4"] * 150 + ["inf", "1"]))
    assert table.column("v").missing == 1
    assert any("Infinite" in note for note in table.notes)


@pytest.mark.parametrize("scaling", ["none", "unit", "standard"])
def test_huge_numbers_are_missing_and_reported_before_they_overflow(scaling):
    table = read(column_file("mass", ["1e300", "-1e250", "2e99", "4"] + ["2.5", "1"] * 200))
    assert table.column("mass").missing == 2
    assert table.notes == (
        "Infinite values of 'mass', and those beyond ±1e+100, are read as missing: 2. If they are meant, write the "
        "column in a larger unit.",
    )
    choices = replace(propose(table), scaling=scaling)
    with np.errstate(all="raise"):
        made = preparation(table, choices).fit_transform(select(table, choices).X)
    assert np.isfinite(made).all()


def test_formulas_are_text():
    cells = ["=1+1", "+SUM(A1)", "@x", '"=HYPERLINK(""http://x"",""y"")"', "-A1", "=1+1"]
    table = read(column_file("v", cells))
    assert table.frame["v"].tolist() == ["=1+1", "+SUM(A1)", "@x", '=HYPERLINK("http://x","y")', "-A1", "=1+1"]


def test_codes_keep_their_leading_zeros():
    assert read(column_file("zip", ["007", "012", "007", "100"])).frame["zip"].tolist() == ["007", "012", "007", "100"]


@pytest.mark.parametrize(
    "cell", ["2024-03-01", "1.2.2020", "01/02/99", "2024-03-01T10:30:00Z", "2024-03-01 10:30", "10:30:59"]
)
def test_dates(cell):
    assert is_date(cell)


@pytest.mark.parametrize("cell", ["1.2", "1-2", "12", "a", "1.2/2020", "2020", ""])
def test_no_dates(cell):
    assert not is_date(cell)


@pytest.mark.parametrize(
    ("cells", "delimiter", "values"),
    [
        (['"1,234"', '"12,500"', "7"], ",", [1234, 12500, 7]),
        (['"1,234"', '"12,500.5"', "7"], ",", [1234, 12500.5, 7]),
        (["1,234", "12,500.5", "7"], ";", [1234, 12500.5, 7]),
        (["1.234,5", "12.500", "7"], ";", [1234.5, 12500, 7]),
        (["1,234", "12,5", "7"], ";", [1.234, 12.5, 7]),
        (["1,234", "0,125", "7"], ";", [1.234, 0.125, 7]),
        (["1.234", "12.500", "7"], ";", [1.234, 12.5, 7]),
    ],
)
def test_thousands_are_told_from_fractions(cells, delimiter, values):
    rows = [["v", "k"], *([cell, "ab"[j % 2]] for j, cell in enumerate(cells * 4))]
    table = read(text(rows, delimiter))
    assert select(table, propose(table)).X["v"].tolist() == values * 4


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_python_writes_is_one(number):
    assert is_number(repr(number), ".")
    assert is_number(repr(number).replace(".", ","), ",")


# Columns


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("v", [f"{(7 * j % 40) / 3:.2f}" for j in range(40)], "numeric"),
        ("v", [str(j % 4) for j in range(40)], "numeric"),
        ("v", ["red", "green", "blue", "red"] * 10, "category"),
        ("v", [str(j) for j in range(40)], "index"),
        ("", [str(j + 5) for j in range(40)], "index"),
        ("patient id", [str(1000 - 7 * j) for j in range(40)], "index"),
        ("id", [f"P{j}" for j in range(40)], "index"),
        ("v", ["3"] * 40, "constant"),
        ("v", ["same"] * 39 + [""], "constant"),
        ("v", [""] * 40, "constant"),
        ("v", [f"2024-01-{j % 28 + 1:02}" for j in range(40)], "date"),
        ("v", [f"comment {j * j} of someone" for j in range(40)], "text"),
        ("v", ["true", "false"] * 20, "category"),
    ],
)
def test_kinds_of_columns(name, cells, kind):
    table = read(column_file(name, cells))
    column = table.columns[1]
    assert column.kind == kind
    assert (column.name in propose(table).dropped) == (kind not in ("numeric", "category"))
    assert table.target.value == "label"


def test_numeric_codes_are_pointed_out():
    assert "call it a category" in read(column_file("v", [str(j % 4) for j in range(40)])).column("v").reason


def test_duplicated_and_empty_names_are_made_different_and_noted():
    table = read("a,a,,a (2),a\n1,2,3.5,4,x\n3,5,1.5,4.5,y\n")
    assert list(table.frame.columns) == ["a", "a (3)", "column 3", "a (2)", "a (4)"]
    assert len(table.notes) == 3
    assert table.frame.iloc[0].tolist() == [1, 2, 3.5, 4, "x"]


def test_lines_without_values_are_left_out():
    table = read("a,b\n1,x\n\n,\n2,y\n   \n")
    assert table.frame["a"].tolist() == [1, 2]
    assert table.notes == ("Left out: lines without any value, 1 of them.",)


# Files that cannot be used


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b" \n\r\n\t\n", "empty"),
        (codecs.BOM_UTF8, "empty"),
        (b"a,b,c\n", "no line of values"),
        (b"a\n1\n2\n", "only one column"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "PNG picture"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (bytes(range(256)) * 9, "control characters"),
        (b'a,b\n0,w\n1,"x\n2,y\n' + b"3,z\n" * 50000, "line 3: .* quotation mark"),
        (b'a,b\n0,w\n1,"x\n2,y\n', "line 3: .* quotation mark"),
        (b'a,b\n0,w\n1,"x', "line 3: .* quotation mark"),
        (b'a,b\n0,w\n1,"', "quotation mark"),
        (b"\xff\xfea\0,\0b\0\0\0\n\0", "holds zeros"),
    ],
)
def test_a_file_that_is_no_table_explains_itself(content, what):
    with pytest.raises(DataProblem, match=what) as problem:
        read_table(content, "mine.csv")
    assert "mine.csv" in problem.value.where
    assert problem.value.todo


MTCARS = """"mpg"\t"cyl"\t"am"
"Mazda RX4"\t21\t6\t"manual"
"Datsun 710"\t22.8\t4\t"manual"
"Hornet 4 Drive"\t21.4\t6\t"automatic"
"Valiant"\t18.1\t6\t"automatic"
"""


def test_row_names_of_r_have_no_name_and_become_a_column_to_be_left_out():
    table = read(MTCARS)
    assert kinds(table) == {"row names": "index", "mpg": "numeric", "cyl": "numeric", "am": "category"}
    assert (table.n, table.target.value, propose(table).dropped) == (4, "am", ("row names",))
    assert table.notes == (
        "The first line has one name less than the others have cells: the first is called 'row names' here.",
    )
    assert table.format.header.reason == "the first line has another number of cells than the others"
    again = read_table(MTCARS.encode(), "file.csv", **table.format.options())
    assert again.frame.equals(table.frame)
    assert again.notes == table.notes


def test_a_table_as_r_writes_it_unless_told_otherwise():
    table = read("""\
"Sepal.Length" "Petal.Width" "Species"
"1" 5.1 0.2 "setosa"
"2" 7 1.4 "versi color"
"3" 6.3 2.5 "setosa"
""")
    assert (table.format.delimiter.value, table.target.value) == (" ", "Species")
    assert propose(table).dropped == ("row names",)
    assert table.frame["Species"].tolist() == ["setosa", "versi color", "setosa"]


@pytest.mark.parametrize("content", [" 1  2.5 a\n 10 3   b\n 7  1.5 a\n", "1 2.5 a \n10 3 b \n7 1.5 a \n"])
def test_columns_of_numbers_between_spaces(content):
    table = read(content)
    assert table.format.delimiter.value == " "
    assert table.frame.to_numpy().tolist() == [[1, 2.5, "a"], [10, 3.0, "b"], [7, 1.5, "a"]]


def test_sentences_are_no_table():
    with pytest.raises(DataProblem, match="only one column"):
        read("to be or\nnot to be\nthat is the\n")


def test_row_names_stay_when_ragged_lines_are_left_out():
    table = read(MTCARS + "Duster\t14.3\n", ragged="leave out")
    assert (table.n, list(table.frame)) == (4, ["row names", "mpg", "cyl", "am"])
    assert table.notes[1].startswith("Left out: 1 of 6 lines have another number of cells than 4: line 6 has 2")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", ["a,b,c", "a,b,c,", '\n"a",b,"c"', "a,b,c, "])
@pytest.mark.parametrize("rows", ["1,x,yes\n2,y,no\n3,x,no", "1,x,yes,\n2,y,no,\n3,x,no,"])
def test_a_delimiter_at_the_end_of_lines_makes_no_column(header, rows, end):
    table = read(f"{header}\n{rows}\n".replace("\n", end))
    assert (list(table.frame), table.n, table.target.value) == (["a", "b", "c"], 3, "c")
    assert table.frame["c"].tolist() == ["yes", "no", "no"]


def test_lines_without_names_may_end_in_a_delimiter_too():
    table = read("1,x,yes;\n2,y,no;\n".replace(";", ","))
    assert list(table.frame) == ["column 1", "column 2", "column 3"]
    assert table.notes[-1].startswith("Left off: the last column")


def test_a_last_column_without_a_name_is_kept_for_its_values():
    assert list(read("a,b,c\n1,x,\n2,y,\n3,x,\n").frame) == ["a", "b", "c"]
    table = read("a,b,\n1,x,\n2,y,7\n3,x,\n")
    assert list(table.frame) == ["a", "b", "column 3"]


def test_a_short_first_line_of_values_is_no_line_of_names():
    with pytest.raises(DataProblem, match="line 1 has 2"):
        read("1,x\n2,y,no\n3,x,no\n")
    assert list(read("2001,2002\nx,2,3\ny,5,6\n", header=True).frame) == ["row names", "2001", "2002"]


def test_ragged_lines_are_named_and_can_be_left_out():
    content = 'a,b,c\n1,x,p\n2,y\n3,"z\nz",q\n4,w,p,?\n5,x,q\n'
    with pytest.raises(
        DataProblem, match="2 of 6 lines have another number of cells than 3: line 3 has 2, line 6 has 4"
    ):
        read(content)
    table = read(content, ragged="leave out")
    assert table.frame["a"].tolist() == [1, 3, 5]
    assert table.frame["b"].tolist() == ["x", "z\nz", "x"]
    assert table.notes[0].startswith("Left out: 2 of 6 lines")


def test_a_file_too_large_for_memory_is_refused_before_it_is_read(monkeypatch):
    class Memory:
        available = 20_000

    monkeypatch.setattr(parsing.psutil, "virtual_memory", Memory)
    with pytest.raises(DataProblem, match="about 1,000 lines") as problem:
        read_table(b"1.5,2,a\n" * 1000, "big.csv")
    assert "fewer rows" in problem.value.todo
    assert read_table(b"1.5,2,a\n2.5,1,b\n" * 50, "small.csv").n == 100


def test_a_large_file_is_read_without_a_python_call_for_every_row():
    """The calls of Python functions are counted, as the seconds of a busy machine say little: beyond the sample, ten
    times as many rows cost no more of them."""
    rng = np.random.default_rng(0)
    numbers = [";".join(f"{value:.6f}" for value in row).replace(".", ",") for row in rng.normal(size=(300, 20))]
    header = ";".join([*(f"v{j}" for j in range(20)), "k"]) + "\r\n"
    block = "".join(f'{line};"a; {row % 2}"\r\n' for row, line in enumerate(numbers))

    def read_counting(blocks: int) -> tuple[Table, int]:
        content = (header + block * blocks).encode("latin-1")
        calls = Counter[str]()
        sys.setprofile(lambda frame, event, value: calls.update([event]))
        try:
            table = read_table(content, "large.csv")
        finally:
            sys.setprofile(None)
        return table, calls["call"]

    _, _ = read_counting(1)  # imports
    (_, few), (large, many) = read_counting(1), read_counting(10)
    assert many < 1.05 * few
    assert large.frame.shape == (3000, 21)
    assert (large.frame.dtypes.iloc[:20] == "float64").all()


# Targets


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("class,a,b", "class"),
        ("a,Target,b", "Target"),
        ("a,b,c", "c"),
        ("a, y ,b", "y"),
        ("a,diagnosis,b", "diagnosis"),
    ],
)
def test_the_target_is_the_one_called_so_or_the_last(header, target):
    table = read(header + "\n" + "1,2,1\n2,1,0\n1,1,1\n2,2,0\n1,2,1\n")
    assert table.target.value == target
    assert table.target.reason


def test_the_first_column_where_the_last_has_too_many_values():
    table = read("k,v\n" + "".join(f"{'pq'[j % 2]},{j * 0.37 % 1:.3f}\n" for j in range(40)))
    assert table.target.value == "k"


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (["yes", "no"], {"no": 20, "yes": 20}),
        (["1", "2"], {"1": 20, "2": 20}),
        (["-1", "+1"], {"-1": 20, "1": 20}),
        (["1.0", "2.0"], {"1": 20, "2": 20}),
        (["iris setosa", "iris virginica "], {"iris setosa": 20, "iris virginica": 20}),
        (["-", "+"], {"+": 20, "-": 20}),
        (["0.5", "1.5"], {"0.5": 20, "1.5": 20}),
        (["TRUE", "FALSE"], {"FALSE": 20, "TRUE": 20}),
        (["10", "9"], {"9": 20, "10": 20}),
    ],
)
def test_labels_of_every_kind(cells, classes):
    table = read("v,k\n" + "".join(f"{j * 0.37 % 1:.3f},{cells[j % 2]}\n" for j in range(40)))
    choices = propose(table)
    assert choices.target == "k"
    assert list(class_counts(table, choices).items()) == list(classes.items())
    chosen = select(table, choices)
    assert [str(name) for name in chosen.classes] == list(classes)
    assert chosen.classes == tuple(np.unique(chosen.y).tolist())


def test_twenty_six_classes_are_all_kept():
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    table = read("v,k\n" + "".join(f"{j * 0.37 % 1:.3f},{letters[j % 26]}\n" for j in range(260)))
    assert select(table, propose(table)).classes == tuple(letters)


def test_one_class_is_refused():
    table = read("v,target\n1.5,a\n2.5,a\n3,a\n")
    with pytest.raises(DataProblem, match="only one class, 'a'"):
        select(table, propose(table))


def test_a_target_of_many_numbers_is_asked_about():
    table = read("v,target\n" + "".join(f"{j % 3},{j / 7:.3f}\n" for j in range(41)))
    choices = propose(table)
    with pytest.raises(NeedsChoice, match=r"threshold; the median is 2\.857") as asked:
        select(table, choices)
    assert (asked.value.choice, asked.value.offer) == ("threshold", 2.857)


def test_a_dataset_of_the_catalogue_is_a_table():
    table = table_of(load_dataset("iris"))
    assert (table.n, len(table.columns), table.target.value) == (150, 5, "class")
    assert class_counts(table, propose(table)) == {"setosa": 50, "versicolor": 50, "virginica": 50}


# Round trips

WORDS = st.text("abcxyz äß'\"-", min_size=1, max_size=8).map(str.strip).filter(lambda word: word.strip("-'\"") != "")
NUMBERS = st.floats(-1e6, 1e6).map(lambda number: round(number, 4) + 0.0)


@st.composite
def tables(draw) -> tuple[list[str], list[list[float | str]]]:
    types = draw(st.lists(st.sampled_from([NUMBERS, WORDS]), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(NUMBERS, *types), min_size=3, max_size=12))
    return [f"name {j}" for j in range(len(types) + 1)], [list(row) for row in rows]


@settings(max_examples=150)
@given(
    table=tables(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read_back(table, delimiter, decimal, encoding, quoting, end):
    header, rows = table
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(header)
    for row in rows:
        writer.writerow([cell if isinstance(cell, str) else repr(cell).replace(".", decimal) for cell in row])
    content = written.getvalue().encode(encoding)
    found = read_table(content, "file.csv")
    assert (found.format.delimiter.value, found.format.header.value) == (delimiter, True)
    assert list(found.frame.columns) == header
    again = read_table(content, "file.csv", **found.format.options())
    for got in (found, again):
        assert [list(row) for row in got.frame.itertuples(index=False)] == rows


# Whatever comes


@settings(max_examples=300)
@given(
    st.binary(max_size=80)
    | st.text('ab01 ,;|\t."\n\r-eE?=é', max_size=80).map(lambda content: content.encode("latin-1"))
    | st.text(max_size=40).map(lambda content: content.encode("utf-16", "surrogatepass"))
)
def test_any_bytes_are_a_table_or_a_problem(content):
    """And a table goes all the way: proposal, rows, labels, numbers; a problem says where and what to do."""

    def outcome() -> DataProblem | tuple[np.ndarray, np.ndarray]:
        try:
            table = read_table(content, "any.csv", ragged="leave out")
            choices = propose(table)
            chosen = select(table, choices)
            return preparation(table, choices).fit_transform(chosen.X), chosen.y
        except DataProblem as problem:
            return problem

    made = outcome()
    if isinstance(made, DataProblem):
        assert made.where
        assert made.todo
    else:
        Z, y = made
        assert np.isfinite(Z).all()
        assert len(Z) == len(y) >= 2
