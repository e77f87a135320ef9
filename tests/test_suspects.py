"""Redundant columns, columns that give the class away, and rows that are alike, without a comparison."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from mdcore.study import Candidate, Plan, begin, notes, sentence, suspects
from mdcore.study.data import Data
from mdcore.study.suspects import (
    EQUAL_CORRELATION,
    _jumps,
    duplicate_codes,
    equal_columns,
    predictive_columns,
    twin_codes,
)


@pytest.mark.parametrize(("rows", "columns", "gaps"), [(50, 40, 0.2), (60, 1203, 0.0), (30, 12, 0.5)])
def test_columns_that_say_the_same_are_those_that_pandas_correlates(rows: int, columns: int, gaps: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    X[:, 1::5], X[:, 2] = 3.0 - 2.0 * X[:, 0:-1:5][:, : X[:, 1::5].shape[1]], 7.0
    X[rng.uniform(size=X.shape) < gaps] = np.nan
    frame = pd.DataFrame(1e6 + 1e3 * X).assign(nothing=np.nan)
    groups = connected_components(frame.corr().abs().to_numpy() > EQUAL_CORRELATION, directed=False)[1]
    members = (tuple(frame.columns[groups == group]) for group in dict.fromkeys(groups))
    assert equal_columns(frame) == [group for group in members if len(group) > 1]


def test_columns_that_one_row_far_away_correlates_do_not_say_the_same() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[7] = 1e6
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(also=lambda d: 2.0 - 3.0 * d["b"])
    assert frame.corr().abs().to_numpy().min() > EQUAL_CORRELATION
    assert equal_columns(frame) == [("b", "also")]


def test_many_columns_that_say_the_same_are_one_note() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=60), np.arange(60) % 2
    X = pd.DataFrame({f"v{j}": (j + 1) * x for j in range(12)}).assign(other=rng.normal(size=60))
    data = Data(X, y, "passthrough")
    nothing_done = begin(Data(X, y, data.preparation), Plan((Candidate.fixed("svm"),), repeats=2))
    told = [sentence(note) for note in notes(data, nothing_done, "accuracy") if note.kind == "equal columns"]
    listed = ", ".join(repr(f"v{j}") for j in range(8))
    assert told == [
        f"Columns {listed} and 4 more carry the same information: one of them suffices, and none matters alone."
    ]


def test_a_column_tells_the_classes_of_rows_not_seen() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    assert predictive_columns(X, y) == {}
    told = predictive_columns(X.assign(leak=y + 0.1 * rng.normal(size=120), code=[f"r{j}" for j in range(120)]), y)
    assert list(told) == ["leak"]


@pytest.mark.parametrize(
    "leak",
    [
        lambda y, rng: np.where(y == 1, np.nan, rng.normal(size=len(y))),
        lambda y, rng: np.where(y == 1, rng.exponential(50.0, len(y)) + 1.0, 0.0),
        lambda y, rng: np.where(np.arange(len(y)) == 50, 1 - y, y),
        lambda y, rng: np.where(y == 1, "paid", "open"),
    ],
    ids=["gap", "amount", "one error", "word"],
)
def test_a_column_gives_the_class_away_in_many_ways(leak) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"]).assign(leak=leak(y, rng))
    assert list(predictive_columns(X, y)) == ["leak"]


def test_of_many_columns_some_divide_few_rows_by_chance() -> None:
    y = np.arange(12) % 2
    few, many = (np.random.default_rng(0).normal(size=(12, d)) for d in (3, 500))
    assert list(predictive_columns(pd.DataFrame(few).assign(leak=y), y)) == ["leak"]
    assert predictive_columns(pd.DataFrame(many).assign(leak=y), y) == {}


def test_no_tree_grows_on_columns_along_which_the_classes_change_often(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(suspects, "_cross_validated_accuracy", lambda X, y, trees: tried.append(list(X)) or 1.0)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 2000)))
    y = np.arange(80) % 2
    predictive_columns(X.assign(leak=y), y)
    assert tried[0] == ["leak"]


# Rows that are alike


def test_twins_are_grouped_by_the_source_that_no_column_names() -> None:
    rng = np.random.default_rng(0)
    source = np.repeat(np.arange(60), 4)
    X = pd.DataFrame(rng.normal(size=(60, 5))[source] + 0.03 * rng.normal(size=(240, 5))).assign(colour="red")
    order = rng.permutation(240)
    found = twin_codes(X.iloc[order])
    assert found is not None
    assert adjusted_rand_score(source[order], found) > 0.95


@pytest.mark.parametrize("columns", [2, 3, 6])
def test_jumps_between_neighbours_of_independent_rows_are_exponential(columns: int) -> None:
    """The null of the search: mean and deviation of every jump are 1, in the two dimensions of the rows as well as in
    more columns that depend on them."""
    rng = np.random.default_rng(columns)
    jumps, _ = _jumps(rng.uniform(size=(3000, 2)) @ rng.normal(size=(2, columns)), np.arange(3000))
    assert jumps.mean(axis=0) == pytest.approx(np.ones(jumps.shape[1]), abs=0.15)
    assert jumps.std(axis=0) == pytest.approx(np.ones(jumps.shape[1]), abs=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_have_neither_twins_nor_copies_whatever_their_columns_look_like(seed: int) -> None:
    rng = np.random.default_rng(seed)
    smooth = rng.standard_cauchy(size=(200, 4)) @ rng.normal(size=(4, 6))
    with_gaps = pd.DataFrame(smooth).mask(rng.uniform(size=smooth.shape) < 0.1)
    rounded = pd.DataFrame(rng.normal(size=(200, 6)).round())
    codes = pd.DataFrame(rng.integers(0, 3, (200, 4)))
    for X in (with_gaps, rounded, codes, pd.concat([with_gaps, codes.add_prefix("c")], axis=1)):
        assert twin_codes(X) is None
        assert duplicate_codes(X) is None


def test_copies_are_told_from_rows_that_are_equal_because_values_are_few() -> None:
    rng = np.random.default_rng(0)
    possible = pd.DataFrame(rng.integers(0, 4, (400, 5)))
    natural, copied = possible, possible.iloc[rng.integers(0, 120, 400)]
    assert natural.duplicated(keep=False).mean() > 0.2
    assert duplicate_codes(natural) is None
    found = duplicate_codes(copied)
    assert found is not None
    assert len(np.unique(found)) == len(copied.drop_duplicates())
