"""Files from spreadsheets and other programs: titles, units and sums around the values, and formats of cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mdcore.data import Table, propose, read_table, select
from mdcore.data.tables.dates import date_numbers, days
from mdcore.data.tables.proposals import propose_positive, time_columns
from mdcore.data.tables.quantities import quantity, without_units
from mdcore.data.tables.scoring import new_inputs, read_alike
from tests.files import told

NAMES = ["size", "mass", "kind"]


def values(n: int = 40) -> list[list[str]]:
    rng = np.random.default_rng(0)
    return [[f"{a:.2f}", f"{b:.2f}", ("old", "new")[j % 2]] for j, (a, b) in enumerate(rng.normal(5, 1, (n, 2)))]


def table(*above: list[str], rows: list[list[str]] | None = None, delimiter: str = ",", end: str = "\n") -> Table:
    lines = [delimiter.join(row) for row in (*above, *(rows or values()))]
    return read_table((end.join(lines) + end).encode(), "people.csv")


# Text around the values


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "titles",
    [
        [["Sales 2023"]],
        [["Sales 2023", "", ""]],
        [["Sales 2023", "", ""], ["", "", ""], ["made 3 January", "", ""]],
        [["Sales 2023"], [""], ["first line\nand second", "", ""]],
    ],
    ids=["short", "padded", "several", "in two lines"],
)
def test_titles_above_the_names_are_left_out_and_told(titles: list[list[str]], end: str) -> None:
    quoted = [[f'"{cell}"' if "\n" in cell else cell for cell in row] for row in titles]
    read = table(*quoted, NAMES, delimiter=";", end=end)
    assert (list(read.frame), read.n) == (NAMES, 40)
    assert [c.kind for c in read.columns] == ["numeric", "numeric", "category"]
    assert "Left out above the column names: 'Sales 2023'" in told(read)[0]
    assert read.format is not None
    again = read_table(read.content or b"", "people.csv", **read.format.options())
    pd.testing.assert_frame_equal(again.frame, read.frame)


def test_a_line_that_is_half_empty_is_no_title_without_names_and_numbers_below() -> None:
    words = [["x", "y", "z"], ["", "", "z"], ["x", "w", "z"], ["v", "y", "u"]]
    assert table(["a", "", ""], rows=words).n == 5
    assert table(["", "b"], rows=[["1", "2.5"], ["2", "3.5"]]).n == 2


def test_a_ragged_line_below_titles_has_its_number() -> None:
    rows = values()
    rows[7] = ["1", "2"]
    with pytest.raises(ValueError, match="line 11 has 2"):
        table(["Sales"], [""], NAMES, rows=rows)


def test_a_line_of_units_is_left_out() -> None:
    read = table(NAMES, ["mm", "kg", "-"])
    assert (list(read.frame), read.n) == (NAMES, 40)
    assert select(read, propose(read)).classes == ("new", "old")
    assert "Left out: the second line, 'mm', 'kg', '-'" in told(read)[0]


def test_names_in_two_lines_are_put_together() -> None:
    assert list(table(["body", "body", ""], NAMES).frame) == ["body size", "body mass", "kind"]


def test_years_are_names_and_values_in_a_row_are_not() -> None:
    rows = [[f"C{j}", *row] for j, row in enumerate([a, b, a, c] for a, b, c in values())]
    assert list(table(["country", "1999", "2000", "2001", "group"], rows=rows).frame)[1:4] == ["1999", "2000", "2001"]
    assert table(["C1", "7", "8", "9", "old"], rows=rows).n == 41
    assert table(["C41", "7", "9", "12", "young"], rows=rows).n == 41


def test_a_ruled_line_below_names_is_no_part_of_them() -> None:
    rows = [["", *row, ""] for row in values()]
    assert list(table(["", *NAMES, ""], ["", "---", "---", "---", ""], rows=rows, delimiter="|").frame)[1:] == NAMES


@pytest.mark.parametrize("content", ['[{"a": 1}]', '{"a": [1]}', "<!DOCTYPE html>", "<?xml?>", "@relation r"])
def test_files_of_other_formats_are_refused_by_their_name(content: str) -> None:
    with pytest.raises(ValueError, match=r"This is an? (JSON|web page|XML|ARFF).* not a CSV file"):
        read_table(f"{content}\n1,2\n3,4\n".encode(), "people.csv")


def test_a_first_row_with_gaps_is_no_line_of_units() -> None:
    rows = values()
    rows[0][0], rows[1][0] = "low", "low"
    assert table(NAMES, rows=rows).n == 40
    rows[0][:2] = ["NA", "NA"]
    assert table(NAMES, rows=rows).n == 40


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_notes_below_the_values_are_left_out_but_no_line_that_was_cut_off(end: str) -> None:
    read = table(NAMES, rows=[*values(), [""], ["Source: registry"], ["(c) 2023"]], end=end)
    assert read.n == 40
    assert told(read) == ("Left out below the last row: 'Source: registry', '(c) 2023'.",)
    with pytest.raises(ValueError, match="line 42 has 1"):
        table(NAMES, rows=[*values(), ["5.1"]], end=end)
    assert table(NAMES, rows=[*values(), ["5", "4", '"two\nlines"']]).n == 41
    assert table(["kind", "size"], rows=[*([c, a] for a, _, c in values()), ["old", ""]], delimiter="\t").n == 41


def test_names_that_come_again_among_the_values_are_left_out() -> None:
    rows = values()
    rows[20:20] = [NAMES]
    read = table(NAMES, rows=rows)
    assert read.n == 40
    assert [c.kind for c in read.columns] == ["numeric", "numeric", "category"]
    assert select(read, propose(read)).X["size"].tolist() == [float(row[0]) for row in values()]
    assert told(read) == ("Left out: lines that repeat the column names (1).",)


def test_columns_at_the_end_without_names_and_values_are_left_off_and_many_new_names_are_one_note() -> None:
    rows = [[*row, *[""] * 20] for row in values()]
    read = table([*NAMES, *[""] * 20], rows=rows)
    assert list(read.frame) == NAMES
    assert told(read) == ("Left out: the last 20 columns, which have neither names nor values.",)
    again = table([*NAMES, *["size"] * 20], rows=[[*row, *["1.5"] * 20] for row in values()])
    assert len(told(again)) == 4
    assert told(again)[-1] == "17 more columns without a name or with a repeated one are named likewise."


def test_cells_that_are_no_numbers_are_told() -> None:
    rows = values()
    rows[3][0], rows[9][1] = "<1", "see note"
    assert told(table(NAMES, rows=rows)) == (
        "Cells that are not numbers count as missing: 1, such as '<1', in 'size'; 1, such as 'see note', in 'mass'.",
    )


def test_a_sum_in_the_last_line_is_left_out() -> None:
    rows = values()
    added = [f"{sum(float(row[0]) for row in rows):.2f}", ""]
    names = ["shop", *NAMES]
    shops = [[f"S{j}", *row] for j, row in enumerate(rows)]
    read = table(names, rows=[*shops, ["Total:", *added, "2"]])
    assert read.n == 40
    assert "Left out: the last line, 'Total:', which sums the others." in told(read)
    assert table(names, rows=[*shops, ["Total", "5.00", "5.00", "old"]]).n == 41  # a shop of this name
    assert table(names, rows=[*shops, ["Total", added[0], "5.00", "old"]]).n == 41


# Formats of cells


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("$1,234.50", ("1,234.50", "$")),
        ("-$5", ("-5", "$")),
        ("$-5", ("-5", "$")),
        ("($5.20)", ("-5.20", "$")),
        ("45 %", ("45", "%")),
        ("45%", ("45", "%")),
        ("EUR 3.50", ("3.50", "EUR")),
        ("12,5\u00a0€", ("12,5", "€")),
        ("\u22123.2", ("-3.2", "")),
        ("1\u202f234\u202f567,8", ("1234567,8", "")),
        ("1'234.5", ("1234.5", "")),
        ("70 kg", ("70", "kg")),
        ("7/10", None),
        ("A11", None),
        ("SKU 12", None),
        ("10-20", None),
        ("12:30", None),
        ("(5", None),
        ("%", None),
        ("9" * 100_000 + "!", None),
    ],
)
def test_numbers_and_what_stands_beside_them(cell: str, found: tuple[str, str] | None) -> None:
    assert quantity(cell) == found


@pytest.mark.parametrize("written", ["${}", "{} %", "{}%", "{} kg", "CHF {}", "({})"])
def test_columns_of_quantities_are_numbers(written: str) -> None:
    rows = values()
    read = table(NAMES, rows=[[written.format(a), b, c] for a, b, c in rows])
    plain = np.array([float(row[0]) for row in rows])
    np.testing.assert_array_equal(read.frame["size"], -plain if "(" in written else plain)
    assert read.column("size").kind == "numeric"
    assert any(note.startswith("Read as numbers: 'size' (") for note in told(read))
    fresh = f"size,mass\n{written.format('3.50')},1.0\n{written.format('4.50')},2.0\n".encode()
    X, notes = new_inputs(read, propose(read), read_alike(fresh, "new.csv", read))
    assert abs(X["size"]).tolist() == [3.5, 4.5]
    assert not [note for note in notes if "not numbers" in note]


def test_decimal_commas_are_found_beside_units() -> None:
    rows = [[f"{a} €".replace(".", ","), f"{b}%".replace(".", ","), c] for a, b, c in values()]
    read = table(NAMES, rows=rows, delimiter=";")
    assert read.decimal == ","
    assert [c.kind for c in read.columns] == ["numeric", "numeric", "category"]


def test_different_units_codes_and_few_levels_stay_texts() -> None:
    amounts = [f"{j} {('kg', 'lb')[j % 2]}" for j in range(30)]
    terms = [f"{36 + 24 * (j % 2)} months" for j in range(30)]
    codes = [f"{j:04} x" for j in range(30)]
    for cells in (amounts, terms, codes):
        column = pd.Series(cells, dtype=object)
        assert without_units(column, ".") is column


def test_codes_for_gaps_are_missing_where_they_can_be_nothing_else() -> None:
    rows = values()
    for j in (3, 8, 20):
        rows[j][0] = "-999"
    read = table(NAMES, rows=rows)
    assert read.column("size").missing == 3
    assert told(read) == ("Read as missing: -999 in 'size', repeatedly and below all other numbers.",)
    assert read.format is not None
    assert "-999" in read.format.missing.value
    again = read_table(read.content or b"", "people.csv", **read.format.options())
    pd.testing.assert_frame_equal(again.frame, read.frame)
    for j in range(4, 40):
        rows[j][1] = str(-1000 + j)  # if -999 is a value in some column, it is a value in all
    rows[5][1] = "-999"
    assert table(NAMES, rows=rows).column("size").missing == 0
    once = values()
    once[3][0] = "-999"
    assert table(NAMES, rows=once).column("size").missing == 0


def test_words_that_differ_in_capitals_alone_are_told() -> None:
    rows = values()
    rows[0][2] = "OLD"
    assert "'kind' has levels that differ only in case; they count as different: 'OLD' and 'old'." in told(
        table(NAMES, rows=rows)
    )


@pytest.mark.parametrize(
    ("names", "positive"),
    [("ja nein", "ja"), ("да нет", "да"), ("陰性 陽性", "陽性"), ("non oui", "oui"), ("sí no", "sí"), ("m f", "f")],
)
def test_the_class_that_affirms_is_proposed_in_other_languages(names: str, positive: str) -> None:
    assert propose_positive(dict.fromkeys(names.split(), 5)).value == positive


def test_a_target_is_known_by_names_of_outcomes_where_values_are_few() -> None:
    sides = [[str(j % 2), *row] for j, row in enumerate(values())]
    assert table(["Survived", *NAMES], rows=sides).target.value == "Survived"
    assert table(["Diagnose", *NAMES], rows=sides).target.value == "Diagnose"
    assert table(["x", "y", "colour"], rows=values()).target.value == "colour"
    assert table(["y", *NAMES], rows=sides).target.value == "y"


def test_a_time_of_day_is_the_same_whenever_it_is_read() -> None:
    column = pd.Series(["18:00", "7:30 pm", "06:15:30"], dtype=object)
    np.testing.assert_allclose(days(column, False) * 24, [18, 19.5, 6.25 + 30 / 3600])
    parts = date_numbers(column.to_frame("t"), "parts", {"t": False})
    assert parts.tolist() == [[1970, 1, 3, 18], [1970, 1, 3, 19], [1970, 1, 3, 6]]
    hours = [[f"{j % 24:02}:15", *row] for j, row in enumerate(values())]
    assert time_columns(table(["time", *NAMES], rows=hours), "kind") == ()
