"""Malicious input is refused with a message or read, at a cost in proportion to its size."""

from __future__ import annotations

import tracemalloc

import pytest

from mdcore.data import OWN, Choices, DataProblem, own_source, propose, read_table, select
from mdcore.data.tables.columns import MOST_CLASSES, apply_changes, class_counts, most_frequent
from mdcore.data.tables.detection import SAMPLE_LENGTH
from mdcore.data.tables.kinds import Column
from mdcore.experiment import Experiment
from mdcore.serving.stage.project_file import unpacked

LINES = b"x,y\n" + b"1,a\n2,b\n" * 10


@pytest.mark.parametrize(
    "fields",
    [
        '"dropped":' + "[" * 100_000 + "]" * 100_000,
        '"kinds":' + "[" * 900 + "]" * 900,
        '"seed":' + "9" * 400,
        '"seed":' + "9" * 5000,
        '"test":1e400',
        '"threshold":' + "9" * 400,
        '"threshold":NaN',
        '"classes":{"a":1}',
    ],
)
def test_choices_from_outside_that_cannot_be_used_are_refused_in_words(fields):
    table = read_table(LINES, "mine.csv")
    with pytest.raises(ValueError, match=r"choices|test|seed") as first:
        apply_changes(table, '{"target":"y",' + fields + "}")
    with pytest.raises(ValueError, match=r"choices|test|seed") as second:
        Choices.from_json('{"target":"y","kinds":[["x","numeric"]],' + fields + "}")
    assert max(len(str(first.value)), len(str(second.value))) < 5000


@pytest.mark.parametrize("name", ["undefined", "punycode", "idna", "unicode_escape", "rot13", "hex", "a\0b", "x" * 99])
def test_an_encoding_that_no_file_has_is_refused_by_name(name):
    with pytest.raises(DataProblem, match="There is no encoding"):
        read_table(LINES, "mine.csv", encoding=name)


@pytest.mark.parametrize("label", ["1e99", "1" + "0" * 99, "9" * 19, "-" + "9" * 30, "9" * 5000])
def test_labels_beyond_whole_numbers_of_the_machine_are_names(label):
    rows = "".join(f"{i * i % 17},{('word', label, '7')[i % 3]}\n" for i in range(60))
    table = read_table(f"x,target\n{rows}".encode(), "mine.csv")
    chosen = select(table, propose(table))
    assert set(map(str, chosen.y)) == set(table.frame["target"].dropna().map(str))


def test_a_line_of_millions_of_cells_is_refused_before_it_is_divided():
    content = b",".join([b"1"] * 2_000_000)
    tracemalloc.start()
    with pytest.raises(DataProblem, match=r"2,000,000 cells; at most 30,000 columns are supported"):
        read_table(content, "mine.csv")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * len(content)


@pytest.mark.parametrize("cell", ["1" * 100_000 + "x", "a" * 100_000, "1" + ",111" * 25_000 + "x", " " * 100_000 + "x"])
def test_a_long_cell_takes_no_time_that_grows_as_its_square(cell):
    """Quadratic time would be about ten minutes."""
    table = read_table(f'size,label\n1,é\n"{cell}",b\n3,é\n'.encode("cp1252"), "long.csv")
    assert (table.n, table.target.value) == (3, "label")


def test_lines_longer_than_the_sample_are_read_whole():
    names = ",".join(f"{'a_long_name_' * 10}{j}" for j in range(2_400))
    rows = "\n".join(",".join(["1"] * 1_200 + ["0"] * 1_200) + f",{'ab'[i % 2]}" for i in range(8))
    table = read_table(f"{names},label\n{rows}".encode(), "wide.csv")
    assert (table.n, len(table.columns), table.target.value) == (8, 2_401, "label")
    assert len(names) > SAMPLE_LENGTH


def test_more_labels_than_can_be_classes_are_named_as_the_problem():
    rows = "".join(f"{i % 7},label {i % 5000}\n" for i in range(20_000))
    table = read_table(f"x,target\n{rows}".encode(), "mine.csv")
    choices = propose(table)
    with pytest.raises(DataProblem, match=r"5,000 different labels; at most 100 classes are supported"):
        own_source(table, choices)
    offered = most_frequent(class_counts(table, choices))
    assert len(offered) == MOST_CLASSES
    assert set(offered.values()) == {4}


def test_columns_are_not_compared_each_with_each(monkeypatch):
    compared = []
    monkeypatch.setattr(Column, "__eq__", lambda one, other: compared.append(1) or one is other)
    names = ",".join(f"c{j}" for j in range(300))
    rows = "".join(",".join(["red", "blue"][i % 2] for _ in range(300)) + f",{i % 2}\n" for i in range(8))
    table = read_table(f"{names},label\n{rows}".encode(), "wide.csv")
    own_source(table, propose(table))
    assert len(compared) <= 2 * len(table.columns), "20,000 columns would take minutes"


@pytest.mark.parametrize(
    "query", ["x" * 9000, f"{'n' * 9000}=1", f"data={'m' * 9000}", f"n={'9' * 9000}", f"edits=m_{'9' * 9000}"]
)
def test_a_message_repeats_of_a_long_text_only_where_it_begins(query):
    with pytest.raises(ValueError, match=r"\w") as refused:
        Experiment.from_query(query)
    assert len(str(refused.value)) < 1500


def test_a_column_that_is_not_there_is_named_without_a_book():
    names = ",".join(f"c{j}" for j in range(1000))
    table = read_table(f"{names}\n{','.join(['1'] * 1000)}\n".encode(), "w" * 5000 + ".csv")
    with pytest.raises(DataProblem, match="and 980 more") as refused:
        table.column("y" * 5000)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("given", [{"delimiter": ["x" * 10_000]}, {"x" * 10_000: 1}])
def test_a_project_files_options_that_cannot_be_used_are_repeated_where_they_begin(given):
    table = {"key": OWN + "0" * 16, "name": "a.csv", "content": "", "options": given, "choices": {}}
    with pytest.raises(DataProblem, match="cannot be read with") as problem:
        unpacked(table)
    assert len(str(problem.value)) < 500
