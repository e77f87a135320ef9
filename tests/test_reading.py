"""Files of every kind are read as intended, or refused with a message about what is wrong, where, and what to do."""

from __future__ import annotations

import codecs
import csv
import io
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdcore.data import DataProblem, preparation, propose, read_table, select
from mdcore.data.tables import detection, parsing
from mdcore.data.tables.cells import is_date, is_number
from mdcore.data.tables.wording import reason, why
from tests.files import ROWS, column_file, read, text, told

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
    assert "0xf6 in line 1 is 'ö'" in reason(table.format.encoding)


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
    assert {how.encoding.kind, how.delimiter.kind, how.decimal.kind, how.header.kind, how.missing.kind} == {"chosen"}
    with pytest.raises(DataProblem, match="only one column") as problem:
        read(content, delimiter=",")
    assert "choose it as the delimiter" in problem.value.todo


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"encoding": "klingon"}, "no encoding 'klingon'"),
        ({"encoding": "utf-8"}, "0xe9 is not valid in the encoding utf-8"),
        ({"delimiter": "::"}, "one character"),
        ({"decimal": ";"}, "decimal sign"),
    ],
)
def test_choices_that_cannot_hold(options, what):
    with pytest.raises(DataProblem, match=what):
        read_table("a,b\n1,caf\xe9\n2,x\n".encode("latin-1"), "file.csv", **options)


# Cells


@pytest.mark.parametrize("content", ["a,b\n1,2\n", Path("table.csv"), None])
def test_only_bytes_are_read(content):
    with pytest.raises(DataProblem, match=rf"bytes; got {type(content).__name__}. .*Path\(name\).read_bytes"):
        read_table(content, "table.csv")


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
    assert all(word in reason(table.format.missing) for word in ("empty", "NA", "NaN", "?"))


def test_a_few_words_between_numbers_count_as_missing_and_are_named():
    table = read(column_file("v", [f"{j / 7:.3f}" for j in range(60)] + ["n.b."]))
    column = table.column("v")
    assert (column.kind, column.missing) == ("numeric", 1)
    assert "'n.b.'" in why(column)
    assert select(table, propose(table)).X["v"].isna().sum() == 1


def test_infinite_numbers_are_missing_and_reported():
    table = read(column_file("v", ["1.5", "2.5", "3", "4"] * 150 + ["inf", "1"]))
    assert table.column("v").missing == 1
    assert any("Infinite" in note for note in told(table))


@pytest.mark.parametrize("scaling", ["none", "unit", "standard"])
def test_huge_numbers_are_missing_and_reported_before_they_overflow(scaling):
    table = read(column_file("mass", ["1e300", "-1e250", "2e99", "4"] + ["2.5", "1"] * 200))
    assert table.column("mass").missing == 2
    assert told(table) == (
        "Infinite values of 'mass' and values beyond ±1e+100 count as missing: 2. If they are correct, give the column "
        "in a larger unit.",
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


# Arbitrary input


@settings(max_examples=300)
@given(
    st.binary(max_size=80)
    | st.text('ab01 ,;|\t."\n\r-eE?=é', max_size=80).map(lambda content: content.encode("latin-1"))
    | st.text(max_size=40).map(lambda content: content.encode("utf-16", "surrogatepass"))
)
def test_any_bytes_are_a_table_or_a_problem(content):
    """A table then passes all steps: proposal, rows, labels, numbers. A problem says where it is and what to do."""

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


@pytest.mark.parametrize(
    "late",
    ["7", "7.5", "", "seven", "true", "1e400", "NA", "12345678901234567890123", "0012"],
)
def test_a_table_read_in_parts_is_the_one_read_at_once(late, monkeypatch):
    lines = [f"{i},{0.5 * i},{'ab'[i % 2]},{i % 3}" for i in range(40)]
    lines[31] = f"{late},{late},a,{late}"
    lines[33] = ",,,"
    content = "\n".join(["one,two,side,three", *lines]).encode()
    whole = read_table(content, "t.csv")
    monkeypatch.setattr(parsing, "PART_LINES", 7)
    told = []
    parts = read_table(content, "t.csv", progress=told.append)
    pd.testing.assert_frame_equal(parts.frame, whole.frame)
    assert parts.notes == whole.notes
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_the_text_of_a_file_is_held_once_beside_its_columns():
    content = b"a,b,k\n" + b"0.125,2.5,0\n3.125,4.5,1\n" * 50_000
    held = []
    tracemalloc.start()
    read_table(content, "t.csv", progress=lambda share: held.append(tracemalloc.get_traced_memory()[0]))
    tracemalloc.stop()
    assert held[-1] < 1.5 * len(content)  # the parser's memory for the columns is not traced


class Counted(bytes):
    """The content of a file that counts how often the whole of it is decoded."""

    times = 0

    def decode(self, *given, **named):
        Counted.times += 1
        return super().decode(*given, **named)


@pytest.mark.parametrize(
    ("content", "decoded", "parsed"),
    [
        (b"a,b,k\n" + b"0.125,2.5,0\n3.125,4.5,1\n" * 20, 1, 4),  # for each delimiter once
        (b"a;b;k\n" + "0,125;é;0\n3,125;x;1\n".encode() * 20, 1, 4),
        (b"a;b;k\n" + "0,125;é;0\n3,125;à;1\n".encode("cp1252") * 20, 2, 4),  # it begins as UTF-8 would
        ("a;b;k\n0,125;é;0\n3,125;x;1\n".encode("utf-16"), 1, 4),
        (b"a,b,k\n" + b"0.125,-999,0\n3.125,4.5,1\n-1.5,3.5,1\n" * 20, 1, 4),  # with a code for gaps
        (b"My table,,\n" + b"a,b,k\nmm,kg,\n" + b"0.125,5,0\n3.125,4.5,1\n" * 20 + b"Source: me\n", 1, 4),
    ],
    ids=["ASCII", "UTF-8", "Windows-1252", "UTF-16", "codes", "titles, units and footnotes"],
)
def test_a_file_is_decoded_once_and_its_sample_parsed_once_for_each_delimiter(content, decoded, parsed, monkeypatch):
    Counted.times, samples, texts = 0, [], []
    records, slices = detection.records, parsing.Slices
    monkeypatch.setattr(detection, "records", lambda text, sign: samples.append(sign) or records(text, sign))
    monkeypatch.setattr(parsing, "Slices", lambda text: texts.append(text) or slices(text))
    read_table(Counted(content), "t.csv")
    assert (Counted.times, len(samples), len(texts)) == (decoded, parsed, 1)
    assert len(set(samples)) == len(samples)


def test_reading_ends_where_its_progress_raises(monkeypatch):
    class CalledOff(Exception):
        pass

    def call_off(share):
        raise CalledOff

    monkeypatch.setattr(parsing, "PART_LINES", 7)
    with pytest.raises(CalledOff):
        read_table(b"a,b\n" + b"1,x\n2,y\n" * 50, "t.csv", progress=call_off)
