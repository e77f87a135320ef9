"""Long jobs give way to pictures, for a limited time."""

from __future__ import annotations

import threading

import pytest

from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import Pool
from mdcore.serving.jobs.precedence import ACTIVE_ANSWERS, LONGEST, MAX_PAUSE_RATIO, Precedence, pausing_for_answers
from mdcore.serving.jobs.timing import timed
from tests.waiting import PATIENCE


class Clocked(Precedence):
    """A precedence that waits on a simulated clock, up to its limit."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.waited = 0.0

    def wait(self, longest: float) -> None:
        self.now += longest
        self.waited += longest


def never() -> bool:
    return False


def test_work_waits_for_an_answer_and_for_none_that_has_been_given() -> None:
    answers = Precedence()
    worked = iter([0.0, 1.0, 1.0])
    stop = pausing_for_answers(never, answers, lambda: next(worked, 2.0))
    given, going_on = threading.Event(), threading.Event()

    def step() -> None:
        assert not stop()
        going_on.set()

    with answers.first():
        assert answers.busy
        waiting = threading.Thread(target=step)
        waiting.start()
        given.set()
    assert going_on.wait(PATIENCE)
    waiting.join()
    assert not answers.busy


def test_two_answers_are_under_way_until_both_are_given() -> None:
    answers = Precedence()
    with answers.first():
        with answers.first():
            pass
        assert answers.busy
    assert not answers.busy


def test_an_answer_that_failed_holds_nothing_back() -> None:
    answers = Precedence()
    with pytest.raises(ValueError, match="why"), answers.first():
        raise ValueError("why")
    assert not answers.busy


@pytest.mark.parametrize("step", [0.0001, 0.01, 1.0])
def test_a_server_that_is_never_at_rest_leaves_work_a_quarter_of_its_time(step: float) -> None:
    answers = Clocked()
    stop = pausing_for_answers(never, answers, lambda: answers.now)
    with answers.first():
        for _ in range(1000):
            answers.now += step
            before = answers.waited
            assert not stop()
            assert answers.waited - before <= LONGEST
    worked = 1000 * step
    assert worked >= answers.now / (1.0 + MAX_PAUSE_RATIO) * (1.0 - 1e-9)
    assert answers.waited >= 0.2 * worked, "it did not give way"


def test_work_that_was_called_off_waits_for_nobody() -> None:
    answers = Clocked()
    stop = pausing_for_answers(lambda: True, answers, lambda: answers.now)
    with answers.first():
        answers.now += 1.0
        assert stop()
    assert answers.waited == 0.0


def test_a_job_gives_way_to_whatever_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    waited = threading.Event()

    def wait(longest: float) -> None:
        seen.append(ACTIVE_ANSWERS.busy)
        waited.set()

    monkeypatch.setattr(ACTIVE_ANSWERS, "wait", wait)
    go = threading.Event()

    def steps(report: object):
        go.wait()
        yield from range(3)

    job = Job("steps", steps, pool=Pool(1), needs=0.0)
    with timed("picture", "somebody"):
        go.set()
        assert waited.wait(PATIENCE)
    job.wait()
    assert job.items == (0, 1, 2)
    assert seen[0]
