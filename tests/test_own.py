"""Uploaded tables as sources: prepared without leakage, accessible to their session only, and deleted with it."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore import Experiment, load_dataset
from mdcore.data import OwnSource, own_source, preparation, propose, read_table, select
from mdcore.data.splitting import stratified
from mdcore.data.tables.own_source import LIVE_ROWS
from mdcore.experiment.query import BadKey
from mdcore.study import data_of_table, first_plan
from mdcore.sweep import Axis, Sweep, run
from tests import planted


def content(n: int = 90) -> bytes:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.normal(40, 10, n).round(2), "dose": rng.normal(0, 1, n).round(3)})
    frame["town"] = rng.choice(["north", "south", "west"], n)
    frame["ill"] = np.where(frame["age"] + 10 * frame["dose"] + rng.normal(0, 5, n) > 42, "yes", "no")
    frame.loc[rng.choice(n, n // 6, replace=False), "dose"] = np.nan
    return frame.to_csv(index=False).encode()


def source(n: int = 90, **choices: object) -> OwnSource:
    table = read_table(content(n), "patients.csv")
    return own_source(table, replace(propose(table, "ill"), **choices))


def query(own: OwnSource, more: str = "") -> str:
    return f"data={own.key}&seed=3&scaling=standard&methods=svm,ldm&gamma=0.5{more}"


# No leakage


@pytest.mark.parametrize(
    ("text", "scheme", "along"), [(planted.grouped(0), "groups", "patient"), (planted.drifting(0), "time", "day")]
)
def test_an_experiment_splits_as_was_chosen_and_as_a_comparison_does(text: bytes, scheme: Any, along: str) -> None:
    table = read_table(text, "table.csv")
    proposed = propose(table)
    dropped = tuple(name for name in proposed.dropped if name != along)
    choices = replace(proposed, scheme=scheme, along=along, dropped=dropped)
    chosen = select(table, choices)
    prepared = Experiment.on(own_source(table, choices)).prepare()
    assert chosen.along is not None
    train, test = chosen.along[prepared.train], chosen.along[prepared.test]
    assert not set(train.tolist()) & set(test.tolist())
    assert scheme == "groups" or train.max() < test.min()
    data = data_of_table(table, choices, chosen)
    plan = first_plan(data.y, scheme=scheme, repeats=1)
    first = plan.split(data.y, 0, data.along)
    assert [rows.tolist() for rows in first] == [prepared.train.tolist(), prepared.test.tolist()]


@pytest.mark.parametrize("missing", ["drop", "impute", "indicator"])
@pytest.mark.parametrize("encoding", ["one-hot", "ordinal"])
def test_an_experiment_prepares_as_a_comparison_does(missing: str, encoding: str) -> None:
    """Imputation, encoding and scaling equal those of the scikit-learn pipeline fitted on the training rows."""
    own = source(missing=missing, encoding=encoding)
    ready = Experiment.from_query(query(own), [own]).prepare()
    chosen = select(own.table, own.choices)
    made = preparation(own.table, own.choices).fit(chosen.X.iloc[ready.train])
    np.testing.assert_allclose(ready.X_train, made.transform(chosen.X.iloc[ready.train]), atol=1e-12)
    np.testing.assert_allclose(ready.X_test, made.transform(chosen.X.iloc[ready.test]), atol=1e-12)
    assert ready.y_test.tolist() == chosen.y[ready.test].tolist()


def test_gaps_are_filled_by_the_training_rows_of_each_split() -> None:
    own = source()
    gaps = np.flatnonzero(own.table.frame["dose"].isna())
    filled = set()
    for seed in range(4):
        ready = Experiment.from_query(f"data={own.key}&seed={seed}", [own]).prepare()
        values = np.unique(ready.dataset.X[gaps, ready.dataset.features.index("dose")])
        assert values == pytest.approx([own.table.frame["dose"].iloc[ready.train].median()])
        filled.update(values)
    assert len(filled) > 1


def test_a_level_of_the_test_rows_alone_has_no_column() -> None:
    own = source()
    ready = Experiment.from_query(query(own), [own]).prepare()
    frame = own.table.frame.copy()
    frame.loc[ready.test[0], "town"] = "nowhere else"
    table = read_table(frame.to_csv(index=False).encode(), "patients.csv")
    other = own_source(table, propose(table, "ill"))
    assert "town = nowhere else" not in Experiment.from_query(query(other), [other]).prepare().dataset.features


def test_a_moved_point_moves_no_other() -> None:
    """An imputed value stays the same, whatever edits change in other rows."""
    own = source(dropped=("town",))
    rows = Experiment.from_query(query(own), [own]).prepare().train[:2]
    edited = Experiment.from_query(query(own, f"&edits=m_{rows[0]}_90_9~d_{rows[1]}"), [own]).prepare()
    assert edited.dataset.X[rows[0]].tolist() == [90, 9]
    others = np.setdiff1d(np.arange(90), rows[0])
    np.testing.assert_array_equal(edited.dataset.X[others], edited.unedited.X[others])
    assert rows[1] not in edited.train


# Only the holder of a table has access


def test_the_key_alone_leads_to_no_data() -> None:
    own = source()
    for sources in ((), (source(),)):
        with pytest.raises(
            BadKey, match=r"an uploaded table, which exists only in the session.*open the project file"
        ) as refused:
            Experiment.from_query(query(own), sources)
        assert refused.value.key == "data"
    with pytest.raises(ValueError, match="an uploaded table"):
        load_dataset(own.key)


def test_keys_are_not_to_be_guessed_and_safe_in_an_address() -> None:
    keys = {source(30).key for _ in range(20)}
    assert len(keys) == 20
    assert min(map(len, keys)) >= len("own:") + 22
    own = source(30)
    experiment = Experiment.from_query(query(own), [own])
    assert Experiment.from_query(experiment.to_query(), [own]) == experiment
    assert "patients" not in experiment.to_query()


def test_two_tables_under_one_key_share_no_result() -> None:
    """This happens if two sessions open the same project file and then choose differently."""
    table = read_table(content(), "patients.csv")
    first = own_source(table, propose(table, "ill"), "own:same")
    second = own_source(table, replace(propose(table, "ill"), missing="drop"), "own:same")
    runs = [Experiment.from_query(query(own), [own]).run_method("svm") for own in (first, second)]
    assert len(runs[0].prepared.dataset.y) == 90 > len(runs[1].prepared.dataset.y)
    assert Experiment.from_query(query(first), [first]) != Experiment.from_query(query(second), [second])


def test_data_and_results_end_with_their_holder() -> None:
    own = source()
    experiment = Experiment.from_query(query(own), [own])
    runs = experiment.run()
    held = own, own.table, runs["svm"].fit, runs["svm"].prepared, runs["ldm"].model
    traces = [weakref.ref(thing) for thing in held]
    assert experiment.run_method("svm").fit is runs["svm"].fit
    del own, experiment, runs, held
    gc.collect()
    assert [trace() for trace in traces] == [None] * len(traces)


def test_a_sweep_holds_what_it_works_on() -> None:
    own = source(dropped=("town",))
    sweep = Sweep(Experiment.from_query(query(own), [own]), (Axis("test", (0.2, 0.4)), Axis("svm.C", (1.0, 10.0))))
    accuracy = run(sweep).values("svm", "test.accuracy")
    alone = Experiment.from_query(query(own, "&test=0.4&svm.C=10"), [own]).run_method("svm").test.accuracy
    trace = weakref.ref(own)
    del own
    assert accuracy[0, 1, 1] == alone
    assert trace() is sweep.experiment.data.own is not None


# Large tables


def test_of_a_large_table_a_stated_sample_is_drawn() -> None:
    own = source(3 * LIVE_ROWS)
    assert "a stratified random sample of n of its 3,000 rows" in own.summary
    ready = Experiment.from_query(query(own), [own]).prepare()
    assert len(ready.train) + len(ready.test) == LIVE_ROWS
    every = Experiment.from_query(query(own, "&n=3000"), [own]).prepare()
    assert len(every.train) + len(every.test) == 3 * LIVE_ROWS
    with pytest.raises(BadKey, match=r"n must be .*3000"):
        Experiment.from_query(query(own, "&n=3001"), [own])


def test_a_small_table_is_used_whole() -> None:
    own = source()
    assert own.options == ()
    assert "sample" not in own.summary


@given(st.lists(st.integers(2, 60), min_size=2, max_size=5), st.integers(0, 9), st.data())
def test_a_sample_keeps_the_classes_in_proportion_and_grows(sizes: list[int], seed: int, data: st.DataObject) -> None:
    y = np.repeat(np.arange(len(sizes)), sizes)
    n = data.draw(st.integers(2 * len(sizes), len(y)))
    rows = stratified(y, n, seed)
    assert len(rows) == n
    assert (np.diff(rows) > 0).all()
    counts = np.bincount(y[rows])
    assert counts.min() >= 2
    # Each class gets two rows first; the rest is proportional, to within one row per class.
    assert (np.abs(counts - n * np.array(sizes) / len(y)) <= 2 + len(sizes)).all()
    assert set(stratified(y, max(n - 1, 2 * len(sizes)), seed)) <= set(rows)
