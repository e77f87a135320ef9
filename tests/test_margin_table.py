"""Table 1 of the PUMMA paper: shares of the largest margin that learners reach, all in the soft margin's space."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mdcore.experiment import Experiment
from mdcore.export.data_code import experiment_definition
from mdcore.export.online import margin_table_recipe
from mdcore.methods import METHODS
from mdcore.papers.margin_table import (
    MOST_ROWS,
    MarginTable,
    TablePlan,
    WholeSet,
    margin_table,
    records,
    soft_rows,
    whole_set,
)
from mdcore.solvers.largest_margin import largest_margin
from tests.executing import code_of, executed

QUERIES = {
    "separable": "data=threshold&n=120&features=12&k=5&r=2&seed=3&test=0",
    "overlapping": "data=moons&n=150&noise=0.4&seed=7&test=0",
}


@pytest.fixture(scope="module", params=QUERIES.values(), ids=list(QUERIES))
def data(request: pytest.FixtureRequest) -> WholeSet:
    return whole_set(Experiment.from_query(request.param))


@pytest.fixture(scope="module")
def table(data: WholeSet) -> MarginTable:
    return list(margin_table(TablePlan(), data))[-1]


def test_every_learner_ends_and_none_is_above_the_certified_largest_margin(table: MarginTable) -> None:
    assert [row.method for row in table.rows] == ["pumma", "romma", "micra"]
    assert table.largest.margin is not None
    assert table.largest.gap is not None
    assert table.largest.gap <= 1e-6
    for row in table.rows:
        assert row.ended
        assert row.stopped
        assert row.updates >= row.epochs > 1
        assert 0.0 < row.margin <= table.largest.margin * (1.0 + table.largest.gap)


def test_pumma_ends_with_its_share_of_the_largest_margin(table: MarginTable) -> None:
    share = table.share(table.rows[0])
    assert share is not None
    assert share >= 1.0 - TablePlan().delta


def test_romma_ends_with_its_share_of_the_largest_margin_of_the_rows_with_the_feature_of_the_bias(
    data: WholeSet, table: MarginTable
) -> None:
    """This is what the algorithm promises: at least 1/√2 of the largest margin, and no more than that margin."""
    assert table.largest.margin is not None
    with_bias = np.hstack([data.X, np.full((len(data.X), 1), -table.radius)])
    lifted = largest_margin(with_bias, data.signs, soft=1.0, bias=False).lower
    assert table.largest.margin / np.sqrt(2.0) <= lifted <= table.largest.margin * (1.0 + 1e-6)
    assert table.rows[1].margin >= (1.0 - TablePlan().delta) * lifted


def test_the_features_of_the_soft_margin_are_its_inner_product(data: WholeSet) -> None:
    rows = soft_rows(data.X, 0.7)
    assert np.allclose((rows @ rows.T).toarray(), data.X @ data.X.T + 0.7 * np.eye(len(data.X)))


def test_pumma_with_these_features_is_pumma_with_its_own_soft_margin(data: WholeSet, table: MarginTable) -> None:
    own = METHODS["pumma"].estimator(delta=0.01, soft=1.0).fit(data.X, data.signs)
    assert own.n_updates_ == table.rows[0].updates
    assert own.margin_ == pytest.approx(table.rows[0].margin, rel=1e-12)


def test_the_table_grows_learner_after_learner_and_can_be_left_at_any_time(data: WholeSet) -> None:
    grown = list(margin_table(TablePlan(epochs=50), data))
    assert not grown[0].rows
    assert grown[0].largest.margin
    assert [len(table.rows) for table in grown] == sorted(len(table.rows) for table in grown)
    assert [(row.epochs, row.stopped, row.ended) for row in grown[-1].rows[:2]] == [(50, True, False)] * 2
    assert [table.rows[0].epochs for table in grown[1:4]] == [20, 40, 50]


def test_without_a_soft_margin_overlapping_classes_have_no_largest_margin() -> None:
    data = whole_set(Experiment.from_query(QUERIES["overlapping"]))
    table = list(margin_table(TablePlan(soft=0.0, epochs=5), data))[-1]
    assert table.largest.margin is None
    assert "not separable" in table.largest.reason
    assert [table.share(row) for row in table.rows] == [None] * 3
    assert all(row.margin < 0.0 and not row.ended for row in table.rows)


def test_the_records_are_the_table_with_all_digits(table: MarginTable) -> None:
    batch, *learners = records(table)
    assert (batch["margin"], batch["updates"], batch["ended"]) == (table.largest.margin, None, True)
    assert [row["learner"] for row in learners] == ["PUMMA", "ROMMA", "MICRA"]
    assert [row["margin"] for row in learners] == [row.margin for row in table.rows]
    assert [row["share of largest"] for row in learners] == [table.share(row) for row in table.rows]
    assert {len(row) for row in (batch, *learners)} == {len(batch)}


@pytest.mark.parametrize("soft", [0.0, 1.0])
def test_the_script_and_the_notebook_print_the_numbers_of_the_table(tmp_path: Path, soft: float) -> None:
    """Without a soft margin, overlapping classes have no largest margin; the code prints the same missing values."""
    experiment = Experiment.from_query("data=moons&n=40&noise=0.4&test=0")
    plan = TablePlan(soft=soft, beta=2.0, epochs=200)
    expected = records(list(margin_table(plan, whole_set(experiment)))[-1])
    recipe = margin_table_recipe(plan, experiment_definition(experiment))
    for code in (recipe.script(), code_of(recipe.notebook("Words."))):
        printed = [eval(line, {"nan": math.nan}) for line in executed(code, tmp_path).splitlines()]
        assert all(row.pop("seconds") > 0.0 for row in printed)
        assert printed == [{name: value for name, value in row.items() if name != "seconds"} for row in expected]


def test_micra_asks_for_more_with_a_larger_beta() -> None:
    data = whole_set(Experiment.from_query(QUERIES["separable"]))
    plan = TablePlan(learners=("micra",))
    less, more = (list(margin_table(replace(plan, beta=beta), data))[-1].rows[0] for beta in (0.1, 3.0))
    assert less.margin < more.margin
    assert less.updates < more.updates


def test_of_a_large_set_a_sample_with_its_classes_in_proportion_is_taken() -> None:
    data = whole_set(Experiment.from_query("data=blobs&n=2600&balance=0.25&test=0"))
    assert data.X.shape == (MOST_ROWS, 2)
    assert data.total == 2600
    assert np.mean(data.signs == 1.0) == pytest.approx(0.25, abs=1e-3)


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="Iris has 3 classes; the learners need two"):
        whole_set(Experiment.from_query("data=iris&test=0"))
