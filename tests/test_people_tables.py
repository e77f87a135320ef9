"""Real-life tables: codes for missing values, incomplete targets, groups, dates, categories with many levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import TargetEncoder

from mdcore import Experiment
from mdcore.data import DataProblem, Table, feature_names, preparation, propose, read_table, select
from mdcore.data.tables.own_source import own_source
from mdcore.data.tables.pipeline import by_classes
from mdcore.data.tables.wording import reason
from mdcore.study import Candidate, Plan, data_of_table
from mdcore.study.folds import prepare_rows


def table(**columns: list[object]) -> Table:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return read_table("\n".join(lines).encode(), "people.csv")


def numbers(n: int) -> list[object]:
    return [f"{value:.3f}" for value in np.random.default_rng(0).normal(size=n)]


@pytest.mark.parametrize("word", ["k.A.", "n/a", "?", "-", "none", "weiß nicht"])
def test_a_word_that_comes_again_among_numbers_is_a_gap(word: str) -> None:
    cells = numbers(60)
    cells[::3] = [word] * 20
    given = table(dose=cells, label=["a", "b"] * 30)
    column = given.column("dose")
    assert (column.kind, column.missing) == ("numeric", 20)
    assert select(given, propose(given)).X["dose"].isna().sum() == 20


def test_codes_with_a_word_stay_a_category() -> None:
    given = table(doors=["2", "3", "4", "5more"] * 15, label=["a", "b"] * 30)
    assert given.column("doors").kind == "category"


def test_a_target_that_loses_most_rows_is_not_proposed_silently() -> None:
    labels = [("yes", "no")[j % 2] if j < 12 else "" for j in range(60)]
    beside = table(target=labels, v=numbers(60), kind=["p", "q"] * 30)
    assert beside.target.value == "kind"
    assert "'target' has a value in only 12 of 60 rows" in reason(beside.target)
    alone = table(v=numbers(60), target=labels)
    assert alone.target.value == "v" or "only 12 of 60 rows" in reason(alone.target)


@pytest.mark.parametrize(
    ("name", "cells", "proposed"),
    [
        ("patient", [f"P{j // 4}" for j in range(80)], True),
        ("household_id", [j // 2 for j in range(80)], True),
        ("Machine", [f"M{j % 8}" for j in range(80)], True),
        ("colour", ["red", "green", "blue", "white"] * 20, False),
        ("patient", [f"P{j}" for j in range(80)], False),
        ("groups", ["a", "b"] * 40, False),
        ("patient number", [j // 4 for j in range(80)], True),
        ("id of patient", [j // 4 for j in range(80)], True),
        ("days_in_hospital", [j % 20 for j in range(80)], False),
        ("price per unit", [j * j % 19 for j in range(80)], False),
        ("students", [j * j % 19 for j in range(80)], False),
    ],
)
def test_groups_are_proposed_where_their_values_repeat(name: str, cells: list[object], proposed: bool) -> None:
    given = table(**{name: cells}, v=numbers(80), label=[f"{'ab'[j % 3 > 0]}" for j in range(80)])
    choices = propose(given)
    assert (choices.scheme, choices.along) == (("groups", name) if proposed else ("random", ""))
    if proposed:
        chosen = select(given, choices)
        assert name not in chosen.X
        assert chosen.along is not None
        assert len(set(chosen.along.tolist())) == given.column(name).distinct


def test_groups_and_times_must_be_there() -> None:
    given = table(patient=["a", "b", "", "c"] * 10, v=numbers(40), label=["x", "y"] * 20)
    with pytest.raises(DataProblem, match="10 rows have no group"):
        select(given, replace(propose(given, "label"), scheme="groups", along="patient"))
    with pytest.raises(DataProblem, match="have no date or number"):
        select(given, replace(propose(given, "label"), scheme="time", along="patient"))


def test_dates_order_rows_and_become_parts_or_days() -> None:
    days = [f"{1 + j % 28:02}.{1 + j // 28:02}.2021" for j in range(112)]
    given = table(day=days, v=numbers(112), label=["x", "y"] * 56)
    assert "day" in propose(given).dropped
    ordered = select(given, replace(propose(given), scheme="time", along="day", dropped=()))
    assert ordered.along is not None
    assert (np.diff(ordered.along) > 0).all()
    assert "day" not in ordered.X
    used = replace(propose(given), dropped=(), scaling="none")
    for way, names in (("parts", ["year", "month", "day of the week", "hour"]), ("elapsed", ["days"])):
        choices = replace(used, dates=way)
        made = preparation(given, choices)
        out = made.fit_transform(select(given, choices).X, select(given, choices).y)
        assert feature_names(made) == ("v", *(f"day, {name}" for name in names))
        assert np.isfinite(out).all()
    first = select(given, used).X.iloc[[0, 1]]
    assert made.transform(first)[:, 1] == pytest.approx([18628, 18629])  # 1 and 2 January 2021, not 2 February


def test_ten_thousand_levels_load_fit_and_are_named() -> None:
    rng = np.random.default_rng(0)
    level = np.concatenate([np.arange(10_000), rng.integers(0, 10_000, 20_000)])
    side = (level % 2 == rng.integers(0, 10, 30_000) % 10 // 9).astype(int)
    given = table(product=[f"SKU{j}" for j in level], v=numbers(30_000), label=["no" if s else "yes" for s in side])
    assert given.column("product").kind == "category"
    choices = propose(given)
    assert choices.encoding == "target"
    chosen, made = select(given, choices), preparation(given, choices)
    out = made.fit_transform(chosen.X, chosen.y)
    assert out.shape == (30_000, 2)
    assert feature_names(made) == ("v", "product by target")
    encoder = TargetEncoder().fit(chosen.X[["product"]], chosen.y)
    inside = encoder.transform(chosen.X[["product"]])[:, 0]
    assert np.corrcoef(out[:, 1], inside)[0, 1] < 0.99  # cross-fitted, without the own label
    pooled = preparation(given, replace(choices, encoding="pooled"))
    assert pooled.fit_transform(chosen.X, chosen.y).shape[1] == 2
    assert feature_names(pooled) == ("v", "product = (rare)")


def test_free_text_is_named_and_left_out() -> None:
    words = [f"the patient number {j} said that it was rather better than before" for j in range(40)]
    given = table(note=words, v=numbers(40), label=["x", "y"] * 20)
    assert given.column("note").kind == "text"
    assert propose(given).dropped == ("note",)


@pytest.mark.parametrize("classes", [2, 3])
def test_many_levels_are_encoded_by_shares_of_classes_that_no_row_of_a_fold_has_given_itself(classes: int) -> None:
    """Beside scikit-learn's encoder on the rows of a fold; levels without meaning stay without meaning."""
    rng = np.random.default_rng(classes)
    labels = [f"k{k}" for k in rng.integers(0, classes, 400)]
    given = table(town=[f"T{t}" for t in rng.integers(0, 80, 400)], v=numbers(400), label=labels)
    choices = propose(given, "label")
    assert (choices.encoding, by_classes(given, choices)) == ("target", ["town"])
    data = data_of_table(given, choices, select(given, choices))
    fit, new = np.arange(0, 300), np.arange(300, 400)  # as within a training part
    prepared = prepare_rows(data, Plan((Candidate.fixed("svm"),)), Candidate.fixed("svm"), fit, new)
    encoder = TargetEncoder(cv=KFold(5, shuffle=True, random_state=0))
    towns = data.X[["town"]]
    seen = encoder.fit_transform(towns.iloc[fit], data.y[fit])
    assert prepared.X_fit[:, 1:] == pytest.approx((seen - seen.mean(axis=0)) / seen.std(axis=0))
    unseen = (encoder.transform(towns.iloc[new]) - seen.mean(axis=0)) / seen.std(axis=0)
    assert prepared.X_new[:, 1:] == pytest.approx(unseen)
    own, first = encoder.transform(towns.iloc[fit])[:, -1], data.y[fit] == f"k{classes - 1}"
    assert np.corrcoef(own, first)[0, 1] > 0.35  # a row's own class shows
    assert abs(np.corrcoef(seen[:, -1], first)[0, 1]) < 0.15


@pytest.mark.parametrize(
    ("levels", "rows", "many"), [(3, 60, False), (10, 60, False), (12, 400, True), (12, 600, False)]
)
def test_levels_are_many_against_the_rows(levels: int, rows: int, many: bool) -> None:
    towns = [f"T{j % levels}" for j in range(rows)]
    given = table(town=towns, v=numbers(rows), label=["x", "y"] * (rows // 2))
    assert propose(given, "label").encoding == ("target" if many else "one-hot")


def test_shares_of_classes_are_cross_fitted_by_groups_where_the_splits_keep_groups_together() -> None:
    """Beside scikit-learn's own routing of groups; a town seen in one group alone says nothing about its classes."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(40), 10)
    towns, labels = [f"T{g}_{j % 2}" for j, g in enumerate(group)], [f"k{g % 2}" for g in group]
    given = table(patient=[f"P{g}" for g in group], town=towns, v=numbers(400), label=labels)
    choices = propose(given, "label")
    assert (choices.along, by_classes(given, choices)) == ("patient", ["town"])
    data = data_of_table(given, choices, select(given, choices))
    svm, fit, new = Candidate.fixed("svm"), rng.permutation(400)[:300], np.arange(10)
    seen = prepare_rows(data, Plan((svm,), scheme="groups"), svm, fit, new).X_fit[:, 1]
    with config_context(enable_metadata_routing=True):
        parts = GroupKFold(5, shuffle=True, random_state=0).set_split_request(groups=True)
        towns = data.X[["town"]].iloc[fit]
        oracle = TargetEncoder(cv=parts).fit_transform(towns, data.y[fit], groups=data.along[fit])[:, 0]
    assert seen == pytest.approx((oracle - oracle.mean()) / oracle.std())
    by_rows = prepare_rows(data, Plan((svm,)), svm, fit, new).X_fit[:, 1]
    first = data.y[fit] == "k1"
    assert abs(np.corrcoef(seen, first)[0, 1]) < 0.5 < np.corrcoef(by_rows, first)[0, 1]
    experiment = Experiment.on(own_source(given, choices))
    training, encoded = experiment.prepare().train, experiment.prepare().dataset.X[:, 1]
    assert len(np.unique(encoded[training].round(9))) <= 5  # the share of a class in each of five sets of groups
