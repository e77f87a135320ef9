"""Files that are not quite tables: repairs, refusals and their messages."""

from __future__ import annotations

import codecs
import sys
from collections import Counter

import numpy as np
import pytest

from mdcore.data import DataProblem, Table, propose, read_table
from mdcore.data.tables.wording import reason
from tests.files import kinds, read, told


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b" \n\r\n\t\n", "empty"),
        (codecs.BOM_UTF8, "empty"),
        (b"a,b,c\n", "no row of values"),
        (b"a\n1\n2\n", "only one column"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "PNG picture"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (bytes(range(256)) * 9, "control characters"),
        (b'a,b\n0,w\n1,"x\n2,y\n' + b"3,z\n" * 50000, "line 3: .* quotation mark"),
        (b'a,b\n0,w\n1,"x\n2,y\n', "line 3: .* quotation mark"),
        (b'a,b\n0,w\n1,"x', "line 3: .* quotation mark"),
        (b'a,b\n0,w\n1,"', "quotation mark"),
        (b"\xff\xfea\0,\0b\0\0\0\n\0", "has zero bytes"),
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
    assert told(table) == ("The header line has one cell fewer than the rows: the first column is named 'row names'.",)
    assert reason(table.format.header) == "the first line has a different number of cells than the others"
    again = read_table(MTCARS.encode(), "file.csv", **table.format.options())
    assert again.frame.equals(table.frame)
    assert told(again) == told(table)


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
    assert told(table)[1].startswith("Left out: 1 of 6 lines does not have 4 cells, as most have: line 6 has 2")


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
    assert told(table)[-1].startswith("Left out: the last column")


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
    with pytest.raises(DataProblem, match="2 of 6 lines do not have 3 cells, as most have: line 3 has 2, line 6 has 4"):
        read(content)
    table = read(content, ragged="leave out")
    assert table.frame["a"].tolist() == [1, 3, 5]
    assert table.frame["b"].tolist() == ["x", "z\nz", "x"]
    assert told(table)[0].startswith("Left out: 2 of 6 lines")


def test_ragged_lines_are_named_where_some_lines_end_in_a_carriage_return_alone():
    content = "a,b,c\r1,x,p\r2,y,q,?\r3,z,p\r4,w,q\r5,v,p\n"
    with pytest.raises(DataProblem, match="1 of 6 lines does not have 3 cells, as most have: line 3 has 4"):
        read(content)
    assert read(content, ragged="leave out").frame["a"].tolist() == [1, 3, 4, 5]


def test_a_file_too_large_for_memory_is_refused_before_it_is_read(monkeypatch):
    class Memory:
        available = 20_000

    monkeypatch.setattr("psutil.virtual_memory", Memory)
    with pytest.raises(DataProblem, match="about 1,000 lines") as problem:
        read_table(b"1.5,2,a\n" * 1000, "big.csv")
    assert "fewer rows" in problem.value.todo
    assert read_table(b"1.5,2,a\n2.5,1,b\n" * 50, "small.csv").n == 100


def test_a_large_file_is_read_without_a_python_call_for_every_row():
    """Count calls of Python functions, as times on a busy machine mean little: beyond the sample, ten times as many
    rows take no more calls."""
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
