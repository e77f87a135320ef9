"""Importance: useless and redundant columns are recognised with any kernel, and counterfactuals do flip the row."""

from __future__ import annotations

from collections import deque
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import wasserstein_distance
from sklearn.preprocessing import StandardScaler

from mdcore.data import propose, read_table, select
from mdcore.figures.growth import growth_figure
from mdcore.margin import margins_of
from mdcore.study import Candidate, Comparison, Data, Plan, compare, data_of_table, importance
from mdcore.study.column_model import frame_of, model_of, weights
from mdcore.study.counterfactual import counterfactual
from mdcore.study.importance import correlated_columns, importances
from mdcore.study.more_rows import growths, verdict
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
    assert found[0].columns == ("celsius", "fahrenheit")
    assert found[1].columns == ("weight",)
    assert found[0].needed
    by_name = {one.name: one for one in found}
    for noise in ("noise1", "noise2"):
        assert not by_name[noise].needed
        assert by_name[noise].area.mean < by_name["celsius + fahrenheit"].area.mean


def test_a_loss_that_two_splits_share_is_not_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more row in a hundred on both splits shows no variance, but is no certainty either."""
    data = Data(MOONS.X, MOONS.y, StandardScaler())
    found = compare(data.X, data.y, data.preparation, Plan((Candidate.fixed("svm"),), repeats=2, kernel=LINEAR))
    calls, of_split = count(), 1 + importance.SHUFFLES * len(correlated_columns(data))
    monkeypatch.setattr(importance, "score_of", lambda *_: 1.0 if next(calls) % of_split == 0 else 0.99)
    (last,) = deque(importances(data, found, "svm", "accuracy"), maxlen=1)
    assert [one.score.mean for one in last] == pytest.approx([0.01] * len(last))
    assert not any(one.needed for one in last)


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
    assert [one.columns for one in found] == [("town",), ("size",)]


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
    assert len(found) == 2
    assert {one.name for one in found[-1]} == set(MOONS.features)
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
        found: Any = [SimpleNamespace(name=f"x{number}", needed=one) for number, one in enumerate(needed)]
        return sentence(found, "Accuracy")

    assert told(True, False) == "Needed: x0. For the other a loss of accuracy is not established."
    assert "For each of the other 2 a loss of accuracy is not established." in told(True, False, False)
    assert told(True) == "Needed: x0."
    assert told(False) == "No single column is clearly needed for the accuracy."
