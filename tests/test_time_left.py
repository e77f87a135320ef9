"""Estimates of the remaining time are corrected by measurements, and never increase during a step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mdcore.basics.time_left import Pace, TimeLeft, constant_pace
from mdcore.study import Candidate, Data, Plan, results
from mdcore.study import run as study
from mdcore.study.evaluation import Failure
from mdcore.study.folds import Folds

COSTS = {"svm": (30.0, 10.0), "ldm": (20.0, 15.0), "logistic": (1.0, 1.0)}
PLAN = Plan(tuple(Candidate.fixed(key) for key in COSTS), repeats=4)
WHOLE = sum(first + 3 * later for first, later in COSTS.values())


def test_within_a_step_the_time_left_goes_down_to_that_of_the_steps_to_come() -> None:
    left = constant_pace(3, 12, 6.0)
    assert left == TimeLeft(18.0, 16.0)
    assert [left.remaining(passed) for passed in (0.0, 1.0, 2.0, 50.0)] == [18.0, 17.0, 16.0, 16.0]
    assert [left.is_late(passed) for passed in (0.0, 3.5, 3.7)] == [False, False, True]
    assert constant_pace(0, 12, 6.0) is None


def test_a_kind_of_step_is_corrected_by_itself_and_one_not_seen_by_the_others() -> None:
    pace = Pace([("quick", 2.0), ("slow", 8.0)], seconds=True)
    assert pace.time_left("quick", 1.0, 0.0) == TimeLeft(10.0, 9.0)
    pace.record("quick", 1.0, 3.0)  # three times the estimate
    assert pace.time_left("slow", 4.0, 0.0) == TimeLeft(3.0 + 24.0, 3.0 + 12.0)
    pace.record("slow", 4.0, 4.0)  # this kind was estimated well
    assert pace.time_left("slow", 4.0, 1.0) == TimeLeft(3.0 + 3.0, 3.0)


def test_of_what_was_not_foretold_nothing_is_said_before_something_was_measured() -> None:
    pace = Pace([("fits", 4.0)], seconds=False)
    assert pace.time_left("fits", 1.0, 0.0) is None
    pace.record("fits", 1.0, 7.0)
    assert pace.time_left("fits", 1.0, 0.0) == TimeLeft(21.0, 14.0)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[float | None], list[tuple[float, float]]]:
    """Return a function that runs a comparison, with fits that take the times in COSTS, and returns its estimates with
    their times; `factor` is the error of the first estimate."""

    def carry_out(factor: float | None) -> list[tuple[float, float]]:
        clock, said = Clock(), list[tuple[float, float]]()

        def evaluate_split(
            data: Data, plan: Plan, candidate: Candidate, number: int, tick: Callable[[], None], folds: Folds
        ) -> Failure:
            first, later = COSTS[candidate.key]
            clock.now += 0.75 * (first if number == 0 else later)
            tick()
            clock.now += 0.25 * (first if number == 0 else later)  # its rows are scored
            return Failure(candidate.key, number, "")

        monkeypatch.setattr(study, "time", clock)
        monkeypatch.setattr(study, "evaluate_split", evaluate_split)
        y = np.arange(40) % 2
        known = factor and {key: (factor * first, factor * later) for key, (first, later) in COSTS.items()}
        told = {"estimates": known or None, "on_time_left": lambda left: said.append((clock.now, left.seconds))}
        assert len(list(results(Data(np.zeros((40, 1)), y, None), PLAN, **told))) == 12
        assert clock.now == WHOLE
        return said

    return carry_out


def test_what_was_foretold_well_is_told_to_the_second(told: Callable[..., list[tuple[float, float]]]) -> None:
    assert [now + left for now, left in told(1.0)] == pytest.approx([WHOLE] * 24)


def test_on_a_machine_five_times_as_slow_the_first_fit_corrects_all(
    told: Callable[..., list[tuple[float, float]]],
) -> None:
    (_, first), (_, still_first), *rest = told(0.2)
    assert first == pytest.approx(WHOLE / 5)
    assert still_first < first
    assert [now + left for now, left in rest] == pytest.approx([WHOLE] * 22)


def test_without_anything_foretold_two_splits_are_enough_to_know_its_kinds(
    told: Callable[..., list[tuple[float, float]]],
) -> None:
    said = told(None)
    after_two = [now + left for now, left in said if now > 51.0 + 26.0]
    assert after_two == pytest.approx([WHOLE] * len(after_two), rel=0.2)
