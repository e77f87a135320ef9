"""Importance: useless and redundant columns are recognised with any kernel, and counterfactuals do flip the row."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import wasserstein_distance
from sklearn.preprocessing import StandardScaler

from benchmarks.needed_columns import made, needed
from mdcore.data import propose, read_table, select
from mdcore.figures.comparison import growth_figure
from mdcore.margins.distribution import margins_of
from mdcore.study import Candidate, Comparison, Data, Plan, compare, data_of_table
from mdcore.study.column_model import frame_of, model_of, weights
from mdcore.study.counterfactual import counterfactual
from mdcore.study.importance import Importances, correlated_columns, importances, loss_test, ranking, steps
from mdcore.study.learning_curve import growths, verdict
from mdcore.study.scores import score_of
from mdcore.ui.pages.compare.why import sentence
from tests import planted
from tests.comparisons import LINEAR, MOONS, RBF


def compared(content: bytes, *keys: str, repeats: int = 4, kernel: object = RBF) -> tuple[Data, Comparison]:
    table = read_table(content, "table.csv")
    choices = propose(table)
    data = data_of_table(table, choices, select(table, choices))
    plan = Plan(tuple(Candidate.fixed(key) for key in keys), repeats=repeats, kernel=kernel)
    return data, compare(data.X, data.y, data.preparation, plan)


@pytest.fixture(scope="module")
def doubled() -> tuple[Data, Comparison]:
    return compared(planted.doubled(0), "svm", "logistic", "boosting")


@pytest.mark.parametrize("key", ["svm", "logistic", "boosting"])
def test_useless_columns_do_not_matter_and_doubled_ones_move_together(
    doubled: tuple[Data, Comparison], key: str
) -> None:
    data, comparison = doubled
    assert ("celsius", "fahrenheit") in correlated_columns(data)
    (found,) = deque(importances(data, comparison, key, "accuracy"), maxlen=1)
    assert [one.columns for one in found.columns[:2]] == [("celsius", "fahrenheit"), ("weight",)]
    assert found.columns[0].needed
    by_name = {one.name: one for one in found.columns}
    for noise in ("noise1", "noise2"):
        assert not by_name[noise].needed
        assert by_name[noise].area.mean < by_name["celsius + fahrenheit"].area.mean


@pytest.mark.parametrize("classes", [2, 3])
def test_the_auc_is_that_of_sklearn_and_its_error_that_of_delong(classes: int) -> None:
    """The variance is checked against the double sums of the paper, class by class."""
    rng = np.random.default_rng(classes)
    codes = rng.integers(0, classes, 60)
    f = (rng.normal(size=(60, classes)) + np.eye(classes)[codes]).round(1)  # with ties
    if classes == 2:
        f = f[:, 1]
    found = ranking(codes, f)
    assert found.auc == pytest.approx(score_of("auc", codes, f, np.arange(classes), 0))
    for label in range(classes) if classes > 2 else (1,):
        g, inside = (f[:, label] if classes > 2 else f), codes == label
        wins = (g[inside][:, None] > g[~inside]) + 0.5 * (g[inside][:, None] == g[~inside])
        error = wins.mean(axis=1).var() / inside.sum() + wins.mean(axis=0).var() / (~inside).sum()
        assert (ranking(inside.astype(int), g).moves ** 2).sum() == pytest.approx(error)


def test_more_splits_of_the_same_rows_are_no_more_evidence() -> None:
    rng = np.random.default_rng(0)
    codes, rows = np.arange(80) % 2, np.arange(80)
    loss = ranking(codes, codes + rng.normal(size=80)) - ranking(codes, codes + 2.0 * rng.normal(size=80))
    once = loss_test([loss], [rows], rows)
    assert loss_test([loss] * 9, [rows] * 9, rows) == pytest.approx(once)
    four_alike = loss_test([loss], [rows], rows // 4)  # rows of one group count as one
    assert four_alike[0] == once[0]
    assert four_alike[1] != once[1]
    assert loss_test([ranking(codes, codes * 1.0) - ranking(codes, 0.0 * codes)], [rows], rows)[1] < 1e-6
    assert loss_test([ranking(codes, 0.0 * codes) - ranking(codes, 0.0 * codes)], [rows], rows)[1] > 0.4


def test_needed_columns_are_found_and_noise_is_not_named() -> None:
    """Six of the tables of `python -m benchmarks.needed_columns`: 400 rows, coefficient 0.8, noise correlated."""
    found = [needed(made(seed, columns=4, correlation=0.3), "logistic") for seed in range(6)]
    assert sum("signal" in names for names in found) >= 5
    assert sum(bool(names - {"signal"}) for names in found) <= 1


def test_no_verdict_is_given_while_counting(doubled: tuple[Data, Comparison]) -> None:
    *counting, last = importances(*doubled, "svm", "accuracy")
    assert steps(*doubled, "svm") == len(counting) + 1
    assert [one.splits for one in counting] == [1, 2, 3, 4, 4, 4, 4]
    for one in counting:
        assert not any(column.needed or column.p is not None for column in one.columns)
        assert sentence(one).startswith(f"After {one.splits} of 4 splits.")
    assert last.complete
    assert sentence(last).startswith("Needed: celsius + fahrenheit")


def test_a_column_that_others_replace_is_not_needed() -> None:
    """A model may lean on a noisy copy, so that shuffling it hurts; without it nothing is lost."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    X = np.column_stack([x, x + 0.55 * rng.normal(size=300), rng.normal(size=300)])
    y = (x + 0.5 * rng.normal(size=300) > 0).astype(int)
    data = Data(X, y, StandardScaler(), ("x", "copy", "noise"))
    found = compare(X, y, data.preparation, Plan((Candidate.fixed("svm"),), repeats=5, kernel=LINEAR))
    (last,) = deque(importances(data, found, "svm", "accuracy"), maxlen=1)
    by_name = {one.name: one for one in last.columns}
    assert by_name["copy"].score.mean > 0.02
    assert [one.name for one in last.columns if one.needed] == ["x"]


def test_data_without_a_column_say_nothing_about_it(doubled: tuple[Data, Comparison]) -> None:
    data = doubled[0].without(["celsius", "fahrenheit"])
    assert (data.X[["celsius", "fahrenheit"]].nunique() == 1).all()
    assert data.X["weight"].equals(doubled[0].X["weight"])
    plain = Data(MOONS.X, MOONS.y, StandardScaler()).without(["column 2"])
    assert (plain.X[:, 1] == 0).all()
    assert (plain.X[:, 0] == MOONS.X[:, 0]).all()


def test_the_area_between_margin_curves_is_the_distance_between_the_distributions() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=50), rng.normal(1, 2, size=50)
    assert np.abs(np.sort(a) - np.sort(b)).mean() == pytest.approx(wasserstein_distance(a, b))


def test_the_levels_of_a_category_move_together() -> None:
    rng = np.random.default_rng(0)
    town, size = rng.integers(0, 5, 200), rng.normal(size=200)
    kind = np.where(town % 2 == 1, "p", "q")
    columns = {"town": [f"T{t}" for t in town], "size": size.tolist(), "kind": kind.tolist()}
    data, comparison = compared(planted.text(columns), "ldm")
    (found,) = deque(importances(data, comparison, "ldm", "auc"), maxlen=1)
    assert [one.columns for one in found.columns] == [("town",), ("size",)]


def test_what_would_turn_a_row_over_turns_it_over(doubled: tuple[Data, Comparison]) -> None:
    data, comparison = doubled
    for key in ("svm", "boosting"):
        model = model_of(data, comparison, comparison.of(key)[0])
        for row in (0, 17, 101):
            found = counterfactual(data, model, row, fixed=("noise1", "noise2"))
            moved = frame_of(data).iloc[[row]].copy()
            for change in found.changes:
                assert moved[change.column].iloc[0] == change.current
                assert change.needed in set(data.X[change.column])
                moved[change.column] = change.needed
            code = np.array([np.searchsorted(model.classes, data.y[row])])
            assert margins_of(model.decide(moved), code)[0] == pytest.approx(found.margin)
            assert found.crosses
            assert not {"noise1", "noise2"} & {change.column for change in found.changes}


def test_an_array_has_columns_too_and_linear_models_have_weights() -> None:
    data = Data(MOONS.X, MOONS.y, StandardScaler(), MOONS.features)
    comparison = compare(data.X, data.y, data.preparation, Plan((Candidate.fixed("svm"),), repeats=2, kernel=LINEAR))
    found = list(importances(data, comparison, "svm", "balanced_accuracy"))
    assert len(found) == 4
    assert {one.name for one in found[-1].columns} == set(MOONS.features)
    assert {name for name, _ in weights(data, comparison, comparison.of("svm")[0])} == set(MOONS.features)
    assert counterfactual(data, model_of(data, comparison, comparison.of("svm")[0]), 3).crosses


@pytest.mark.parametrize(("rows", "words"), [(20, "Too few rows to tell"), (80, "not clear whether")])
def test_a_small_table_does_not_say_that_more_rows_would_not_help(rows: int, words: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 3))
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    data = Data(X, y, StandardScaler(), ("a", "b", "c"))
    found = compare(X, y, data.preparation, Plan((Candidate.fixed("svm"),), repeats=5, kernel=LINEAR))
    assert words in verdict(found, list(growths(data, found, "accuracy")))


def test_half_of_the_rows_of_groups_are_half_of_the_groups() -> None:
    table = read_table(planted.grouped(0, groups=24, size=10), "t.csv")
    choices = propose(table, "diagnosis")
    data = data_of_table(table, choices, select(table, choices))
    given = Plan((Candidate.fixed("svm"),), repeats=2, kernel=LINEAR, scheme="groups")
    found = compare(data.X, data.y, data.preparation, given, along=data.along)
    (grown,) = growths(data, found, "accuracy")
    assert all(step.rows % 10 == 0 for step in grown.steps)


def test_more_rows_help_where_the_curve_still_rises_and_not_where_it_is_flat() -> None:
    rng = np.random.default_rng(0)
    easy = rng.normal(size=(400, 2))
    hard = rng.uniform(-2, 2, size=(300, 2))
    for X, y, helps in (
        (easy, (easy[:, 0] > 0).astype(int), False),
        (hard, ((np.floor(hard[:, 0]) + np.floor(hard[:, 1])) % 2).astype(int), True),
    ):
        data = Data(X, y, StandardScaler(), ("a", "b"))
        kernel = RBF if helps else LINEAR
        found = compare(X, y, data.preparation, Plan((Candidate.fixed("svm", C=100.0),), repeats=5, kernel=kernel))
        (grown,) = growths(data, found, "accuracy")
        assert grown.rises == helps, grown
        assert [step.rows for step in grown.steps] == sorted(step.rows for step in grown.steps)
        assert grown.steps[-1].score == found.spread("svm", "accuracy")
        assert ("would help SVM" in verdict(found, [grown])) == helps
        assert ("would hardly help" in verdict(found, [grown])) == (not helps)
        assert list(growth_figure(found, [grown], "Accuracy").data[0].x) == [step.rows for step in grown.steps]


def test_the_sentence_counts_the_columns_that_are_not_needed() -> None:
    def told(*needed: bool) -> str:
        found = (SimpleNamespace(name=f"x{number}", needed=one) for number, one in enumerate(needed))
        columns: Any = tuple(found)
        return sentence(Importances(columns, 10, 10, complete=True))

    assert told(True, False).startswith("Needed: x0. Fitted again without it, ")
    assert told(True, False).endswith("For the other this is not established.")
    assert told(True, True, False, False).startswith("Needed: x0 and x1. Fitted again without any one of them, ")
    assert told(True, False, False).endswith("For each of the other 2 this is not established.")
    assert told(*[True] * 8).startswith("Needed: x0, x1, x2, x3, x4, x5 and 2 more.")
    assert told(False).startswith("No column is shown to be needed")
