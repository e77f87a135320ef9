"""The kinds that are detected for columns, and the target that is proposed."""

from __future__ import annotations

import numpy as np
import pytest

from mdcore.data import DataProblem, NeedsChoice, class_counts, load_dataset, propose, select, table_of
from mdcore.data.tables.wording import reason, why
from tests.files import column_file, read, told

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
        ("account", [str(4_111_111_111_110_000 + 7 * j) for j in range(40)], "index"),
        ("mass", [f"{4.1111111111111 + j}e+20" for j in range(40)], "numeric"),
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
    assert "use the column as a category" in why(read(column_file("v", [str(j % 4) for j in range(40)])).column("v"))


def test_duplicated_and_empty_names_are_made_different_and_noted():
    table = read("a,a,,a (2),a\n1,2,3.5,4,x\n3,5,1.5,4.5,y\n")
    assert list(table.frame.columns) == ["a", "a (3)", "column 3", "a (2)", "a (4)"]
    assert len(told(table)) == 3
    assert table.frame.iloc[0].tolist() == [1, 2, 3.5, 4, "x"]


def test_lines_without_values_are_left_out():
    table = read("a,b\n1,x\n\n,\n2,y\n   \n")
    assert table.frame["a"].tolist() == [1, 2]
    assert told(table) == ("Left out: lines without any value (1).",)


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
    assert reason(table.target)


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
    with pytest.raises(NeedsChoice, match=r"threshold, such as the median, 2\.857") as asked:
        select(table, choices)
    assert (asked.value.choice, asked.value.offer) == ("threshold", 2.857)


def test_a_dataset_of_the_catalogue_is_a_table():
    table = table_of(load_dataset("iris"))
    assert (table.n, len(table.columns), table.target.value) == (150, 5, "class")
    assert class_counts(table, propose(table)) == {"setosa": 50, "versicolor": 50, "virginica": 50}
