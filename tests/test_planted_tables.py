"""Faults planted in tables are named and judged by a contrast; clean tables raise no alarm. A small part of
`python -m benchmarks.planted_tables`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from benchmarks.planted_tables import FAULTS, Make, found_in, upper_limit
from mdcore.data import propose, read_table, select
from mdcore.study import Candidate, Note, Plan, compare, data_of_table, notes, sentence
from mdcore.study.contrast import contrast_without
from tests import planted

pytestmark = pytest.mark.usefixtures("few_trees")

HIDDEN = ("groups without a name", "pairs without a name", "sources of two to six rows", "copies of codes")


@pytest.mark.parametrize("fault", HIDDEN)
def test_rows_of_one_source_are_named_and_judged_with_the_source_kept_together(fault: str) -> None:
    kind, make = FAULTS[fault]
    (note,) = [note for note in found_in(make(11)) if note.prominent]
    assert note.kind == kind
    assert {one.otherwise for one in note.contrasts} == {kind}
    assert len(note.contrasts) > 2  # every method, the one with the largest gap first
    assert note.contrasts[0].gap == max(one.gap for one in note.contrasts) > 0.1
    assert sentence(note).startswith("Leak: ")
    assert f"{note.contrasts[0].method}: " in sentence(note)


def test_numbers_in_the_order_of_the_classes_are_told_with_the_scores_without_them() -> None:
    (note,) = [note for note in found_in(planted.sorted_numbers(0)) if note.prominent]
    assert note.kind == "telling columns"
    assert list(note.figures["columns"]) == ["file"]
    assert "with them" in sentence(note)
    assert "without them" in sentence(note)


@pytest.mark.parametrize(
    "make",
    [
        planted.codes,
        partial(planted.codes, levels=2, columns=8, dependent=True),
        planted.steady,
        partial(planted.many_levels, effect=1.0),
    ],
    ids=["equal rows by chance", "equal rows of dependent columns", "steady", "levels that matter"],
)
def test_clean_tables_raise_no_alarm(make: Make) -> None:
    assert not [sentence(note) for note in found_in(make(1)) if note.prominent]


def of_levels(encoding: Any) -> Note:
    table = read_table(planted.many_levels(0), "table.csv")
    choices = propose(table, "state")
    assert choices.encoding == "target"
    choices = replace(choices, encoding=encoding)
    data = data_of_table(table, choices, select(table, choices))
    plan = Plan((Candidate.fixed("svm"), Candidate.fixed("logistic")), repeats=5)
    comparison = compare(data.X, data.y, data.preparation, plan)
    (note,) = [note for note in notes(data, comparison, "accuracy") if note.kind == "many levels"]
    assert note.figures["columns"] == {"place0": 80, "place1": 94}
    return note


def test_many_levels_that_cost_points_are_beside_the_headline_and_by_default_they_cost_few() -> None:
    one_hot, default = of_levels("one-hot"), of_levels("target")
    assert one_hot.prominent
    assert one_hot.contrasts[0].gap < -0.08
    assert "without them" in sentence(one_hot)
    assert not default.prominent
    assert all(abs(one.gap) < 0.05 for one in default.contrasts)
    assert "cost no method a measurable part of its score" in sentence(default)


def test_a_contrast_without_columns_that_say_nothing_is_a_contrast_of_equal_plans() -> None:
    """Constant columns change nothing, so the planned splits come out again to the last digit."""
    table = read_table(planted.many_levels(1), "table.csv")
    choices = propose(table, "state")
    data = data_of_table(table, choices, select(table, choices))
    constant = data.without(["place0", "place1"])
    plan = Plan((Candidate.fixed("svm"),), repeats=3)
    comparison = compare(constant.X, constant.y, constant.preparation, plan)
    (found,) = contrast_without(constant, comparison, "accuracy", ["place0", "place1"])
    assert found.planned.tolist() == found.other.tolist() == comparison.score("svm", "accuracy").tolist()
    assert not found.differs


def test_the_upper_limit_is_that_of_clopper_and_pearson() -> None:
    assert upper_limit(0, 150) == pytest.approx(1.0 - 0.05 ** (1 / 150))
    assert upper_limit(3, 3) == 1.0
