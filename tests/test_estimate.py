"""Time estimates: extrapolation from fits on fewer rows, and the first estimate for large tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore.methods import METHODS
from mdcore.spaces.exact_gap import ENTRIES
from mdcore.study import Candidate, Data, Plan, Within
from mdcore.study import time_and_memory as foretelling
from mdcore.study.default_plan import first_repeats
from mdcore.study.time_and_memory import Pace, Timed, estimate, makespan

NOTHING = np.zeros(2)


def test_a_cost_that_all_fits_share_does_not_grow_with_the_rows() -> None:
    shared, each = 0.1, 1e-5
    sizes = np.array([400.0, 1600.0])
    pace = Pace(sizes, NOTHING, NOTHING, shared + each * sizes, NOTHING)
    for rows in (1000, 1600, 100_000, 600_000):
        assert pace(rows, 0) == pytest.approx(shared + rows * each)


def test_with_a_kernel_matrix_time_grows_by_a_power() -> None:
    sizes = np.array([200.0, 400.0])
    pace = Pace(sizes, NOTHING, NOTHING, 1e-7 * sizes**2, NOTHING, matrix=True)
    assert pace(4000, 0) == pytest.approx(1.6)


def test_what_fits_share_is_paid_once_for_each_width() -> None:
    pace = Pace(np.array([100.0]), np.zeros(1), np.array([2.0]), np.array([0.1]), np.array([0.01]))
    assert pace(100, 10, fits=6, widths=3) == pytest.approx(3 * 2.0 + 6 * (0.1 + 10 * 0.01))


class Idle:
    """A stopped clock of an idle machine."""

    def perf_counter(self) -> float:
        return 0.0

    thread_time = perf_counter


class Halved(Idle):
    """The clock of a busy machine, on which everything takes twice its processor time."""

    def __init__(self) -> None:
        self.now = 0.0

    def thread_time(self) -> float:
        self.now += 1.0
        return self.now

    def perf_counter(self) -> float:
        return 2.0 * self.now


def trees(n: float) -> float:
    """Few rows have fewer leaves than the limit."""
    return 2e-4 * min(n, 1200) + 1.5e-5 * n


def landmarks(n: float) -> float:
    """Fits on many rows start on some of them."""
    return 0.03 + 6e-5 * min(n, 10_000) + 2e-5 * max(n - 10_000, 0)


@pytest.mark.parametrize("rows", [300, 20_000, 70_000, 420_000])
@pytest.mark.parametrize("cost", [trees, landmarks, lambda n: 0.004 + 4e-6 * n])
def test_what_bends_among_the_first_rows_is_foretold_within_a_factor_of_two(
    cost: Callable[[float], float], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = 0.0

    def timed(data: Data, plan: Plan, candidate: Candidate, size: int, of: int) -> Timed:
        nonlocal spent
        spent += cost(size)
        return Timed(size, 0.0, 0.0, cost(size), 0.0, 0.0, cost(size))

    monkeypatch.setattr(foretelling, "time_fits", timed)
    monkeypatch.setattr(foretelling, "time", Idle())
    y = np.arange(int(rows / 0.7)) % 2
    plan = Plan((Candidate.fixed("logistic"),), repeats=1)
    found = estimate(Data(np.zeros((len(y), 1)), y, None), plan)
    assert 0.5 <= found.seconds / cost(rows) <= 2.0
    assert spent <= max(2.0 * foretelling.SECONDS, cost(rows))


def test_what_else_the_machine_does_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foretelling, "time_fits", lambda *given: Timed(given[3], 0.0, 0.0, 7.0, 0.0, 0.0, 9.0))
    plan, y = Plan((Candidate.fixed("logistic"),), repeats=1), np.arange(300) % 2
    monkeypatch.setattr(foretelling, "time", Halved())
    assert estimate(Data(np.zeros((len(y), 1)), y, None), plan).seconds == pytest.approx(2 * 7.0, rel=0.5)


def test_tasks_side_by_side_end_with_the_last() -> None:
    assert makespan([3.0, 1.0, 1.0, 2.0], 1) == pytest.approx(7.0)
    assert makespan([3.0, 1.0, 1.0, 2.0], 2) == pytest.approx(4.0)
    assert makespan([3.0], 4) == pytest.approx(3.0)


def test_a_plan_through_landmarks_is_foretold_with_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foretelling, "SECONDS", 0.1)
    rng = np.random.default_rng(0)
    y = np.where(np.arange(8000) % 2, 1, -1)
    data = Data(rng.normal(size=(8000, 3)) + 0.5 * y[:, None], y, StandardScaler())
    plan = Plan((Candidate("ldm", within=Within(landmarks=32)),), repeats=1)
    found = estimate(data, plan)
    assert found.seconds > 0.0
    assert found.bytes >= 8.0 * 5600 * 32


def test_what_the_exact_gap_costs_is_known_before_it_is_asked() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300) > 0.0
    model = METHODS["svm"].estimator(landmarks=20).fit(X, y)
    assert model.exact_gap_work() == pytest.approx(0.5 * len(model.support_) ** 2)
    assert model.exact_gap_work(2.0) == pytest.approx(4.0 * model.exact_gap_work())
    assert model.exact_gap_work(1e6) <= 4.0 * ENTRIES  # kernel values are drawn then
    assert METHODS["svm"].estimator().fit(X, y).exact_gap_work() == 0.0


def test_the_more_rows_a_table_has_the_fewer_splits_are_taken_at_first() -> None:
    splits = [first_repeats(rows) for rows in (500, 5_000, 50_000, 500_000)]
    assert splits == sorted(set(splits), reverse=True)
    assert splits[-1] >= 2
