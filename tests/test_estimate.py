"""The time foretold: what is extrapolated from small fits, and what is taken at first of a table with many rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore.study import Candidate, Data, Plan
from mdcore.study.estimate import Pace, estimate
from mdcore.ui.pages.compare.choose import MANY_ROWS, VERY_MANY_ROWS, splits_of_many


def test_a_cost_that_all_fits_share_does_not_grow_with_the_rows():
    shared, each = 0.1, 1e-5
    pace = Pace(3200, prepare=0.0, fit=shared + 1600 * each, judge=0.0, power=1.1, each=each)
    for rows in (1600, 100_000, 600_000):
        assert pace(rows, 0) == pytest.approx(shared + rows * each)


def test_without_landmarks_time_grows_by_a_power():
    pace = Pace(800, prepare=0.0, fit=0.01, judge=0.0, power=2.0)
    assert pace(4000, 0) == pytest.approx(1.0)


def test_a_plan_through_landmarks_is_foretold_with_its_memory():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(8000) % 2, 1, -1)
    data = Data(rng.normal(size=(8000, 3)) + 0.5 * y[:, None], y, StandardScaler())
    plan = Plan((Candidate.fixed("ldm"),), repeats=1, landmarks=32)
    found = estimate(data, plan)
    assert found.seconds > 0.0
    assert found.bytes >= 8.0 * 5600 * 32


def test_the_more_rows_a_table_has_the_fewer_splits_are_taken_at_first():
    assert splits_of_many(MANY_ROWS + 1) > splits_of_many(VERY_MANY_ROWS + 1) >= 2
