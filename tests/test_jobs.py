"""Jobs follow their iterator, end when cancelled or abandoned, and share one fair pool."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator

import pytest

from mdcore.basics.text import duration
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import EVERYBODY, GRACE, Pool
from mdcore.serving.jobs.progress import Progress, counted
from mdcore.serving.jobs.settings import limit
from mdcore.solvers.budget import over_budget
from tests.waiting import PATIENCE


def test_a_job_works_on_until_it_is_cancelled() -> None:
    reached, go = threading.Event(), threading.Event()

    def slow() -> Iterator[int]:
        yield 1
        reached.set()
        go.wait()
        yield from range(2, 100)

    job = Job("slow", counted(100, slow), needs=0.0)
    reached.wait()
    assert (job.items, job.running, job.share) == ((1,), True, 0.01)
    job.cancel()
    go.set()
    job.wait()
    assert (job.items, job.cancelled) == ((1, 2), True)


def test_a_cancelled_job_ends_within_the_step_it_is_at() -> None:
    reached, go, ended = threading.Event(), threading.Event(), threading.Event()

    def long_step() -> Iterator[int]:
        yield 1
        reached.set()
        go.wait()
        over_budget()  # as a solver asks
        ended.set()
        yield 2

    job = Job("long", counted(2, long_step), needs=0.0)
    reached.wait()
    job.cancel()
    go.set()
    job.wait()
    assert (job.items, job.problem, ended.is_set()) == ((1,), "", False)


def test_a_job_ends_when_it_has_had_its_time_says_so_and_keeps_what_it_has() -> None:
    def endless(progress: Progress) -> Iterator[int]:
        yield 1
        while True:
            over_budget()  # as a solver asks

    job = Job("endless", endless, needs=0.0, longest=0.05)
    job.wait()
    assert (job.items, job.cancelled) == ((1,), False)
    assert "limits a computation to 1 s" in job.problem
    assert "MARGIN_LAB_JOB_MINUTES" in job.problem


def test_a_job_within_its_time_is_whole() -> None:
    job = Job("short", counted(3, lambda: iter((1, 2, 3))), needs=0.0, longest=3600.0)
    job.wait()
    assert (job.items, job.problem) == ((1, 2, 3), "")


@pytest.mark.parametrize(("said", "found"), [("", 7.0), (" 30 ", 30.0), ("0.5", 0.5)])
def test_a_limit_is_what_the_environment_says(said: str, found: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGIN_LAB_JOB_MINUTES", said)
    assert limit("MARGIN_LAB_JOB_MINUTES", 7.0) == found


@pytest.mark.parametrize("said", ["none", "0", "-1", "inf", "nan", "9" * 400])
def test_a_limit_that_is_none_is_refused(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGIN_LAB_JOB_MINUTES", said)
    with pytest.raises(ValueError, match="MARGIN_LAB_JOB_MINUTES must be a number above 0"):
        limit("MARGIN_LAB_JOB_MINUTES", 7.0)


def test_a_job_that_its_session_lets_go_ends() -> None:
    reached, go, ended = threading.Event(), threading.Event(), threading.Event()

    def endless() -> Iterator[int]:
        try:
            yield 0
            reached.set()
            go.wait()
            while True:
                yield 1
        finally:
            ended.set()

    job = Job("endless", counted(1, endless), needs=0.0)
    reached.wait()
    del job
    go.set()
    assert ended.wait(PATIENCE)


def test_a_job_says_why_it_ended() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("no such thing")

    job = Job("broken", counted(2, broken), needs=0.0)
    job.wait()
    assert (job.items, job.problem) == ((1,), "no such thing")


def test_a_job_that_breaks_says_so_and_the_log_says_where(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError

    job = Job("broken", counted(2, broken), needs=0.0)
    job.wait()
    assert job.items == (1,)
    assert "The computation failed" in job.problem
    assert "ZeroDivisionError" in caplog.text


# The pool


class Gates:
    """Jobs that end when they are released, and a record of those that have started."""

    def __init__(self, places: int, **options: object) -> None:
        self.pool = Pool(places, **options)  # type: ignore[arg-type]
        self.begun: dict[str, threading.Event] = {}
        self._gates: dict[str, threading.Event] = {}

    def start(self, name: str, owner: Hashable = None, needs: float = 0.0) -> Job[str]:
        begun, gate = threading.Event(), threading.Event()
        self.begun[name], self._gates[name] = begun, gate

        def iterate(progress: Progress) -> Iterator[str]:
            progress(1, 4)
            begun.set()
            while not gate.wait(0.01):
                over_budget()
            yield name

        return Job(name, iterate, owner, self.pool, needs=needs)

    def release(self, job: Job[str]) -> None:
        self._gates[str(job.subject)].set()
        job.wait()


def test_a_full_pool_lets_jobs_wait_in_turn_and_says_how_many_are_before() -> None:
    gates = Gates(places=2)
    first, second, third, fourth = (gates.start(name) for name in "abcd")
    assert [job.waiting_for for job in (first, second, third, fourth)] == [0, 0, 1, 2]
    assert third.running
    assert not gates.begun["c"].is_set()
    gates.release(second)
    assert gates.begun["c"].wait(PATIENCE)
    assert (third.waiting_for, fourth.waiting_for) == (0, 1)
    gates.release(first)
    assert gates.begun["d"].wait(PATIENCE)
    for job in (third, fourth):
        gates.release(job)
        assert job.items == (job.subject,)


def test_one_session_has_one_job_at_work_and_keeps_nobody_else_waiting() -> None:
    gates = Gates(places=2)
    first, again, other = gates.start("a", "one"), gates.start("b", "one"), gates.start("c", "two")
    assert gates.begun["c"].wait(PATIENCE)
    assert (again.waiting_for, other.waiting_for) == (1, 0)
    assert not gates.begun["b"].is_set()
    gates.release(first)
    assert gates.begun["b"].wait(PATIENCE)
    gates.pool.cancel_all()


GIB = 2.0**30


def test_a_job_that_needs_more_memory_than_there_is_never_begins_and_says_so() -> None:
    gates = Gates(places=2, free=lambda: 4.0 * GIB)
    too_much, after = gates.start("a", needs=4.5 * GIB), gates.start("b", needs=4.0 * GIB)
    assert not too_much.running
    assert "needs about 4.50 GiB of memory, but only 4.00 GiB are free" in too_much.problem
    assert not gates.begun["a"].is_set()
    assert gates.begun["b"].wait(PATIENCE)
    gates.release(after)
    assert after.items == ("b",)


def test_a_job_waits_for_the_memory_that_those_at_work_asked_for_and_nobody_overtakes_it() -> None:
    gates = Gates(places=3, free=lambda: 4.0 * GIB)
    first, large, small = (gates.start(name, needs=size * GIB) for name, size in (("a", 3.0), ("b", 2.0), ("c", 0.5)))
    assert (large.waiting_for, large.lacks_memory, small.lacks_memory) == (1, True, False)
    assert not gates.begun["b"].is_set()
    assert not gates.begun["c"].is_set()
    gates.release(first)
    assert gates.begun["b"].wait(PATIENCE)
    assert gates.begun["c"].wait(PATIENCE)
    assert not large.lacks_memory
    gates.pool.cancel_all()


def test_memory_that_a_job_has_taken_is_not_counted_twice() -> None:
    free = [4.0 * GIB]
    gates = Gates(places=2, free=lambda: free[0])
    gates.start("a", needs=3.0 * GIB)
    assert gates.begun["a"].wait(PATIENCE)
    free[0] = 1.0 * GIB  # it has them now
    gates.start("b", needs=0.9 * GIB)
    assert gates.begun["b"].wait(PATIENCE)
    gates.pool.cancel_all()


def test_a_job_that_is_cancelled_while_it_waits_never_begins_and_gives_up_its_turn() -> None:
    gates = Gates(places=1)
    first, second, third = (gates.start(name) for name in "abc")
    second.cancel()
    assert not second.running
    assert third.waiting_for == 1
    gates.release(first)
    assert gates.begun["c"].wait(PATIENCE)
    assert not gates.begun["b"].is_set()
    gates.pool.cancel_all()


def test_jobs_at_work_and_waiting_end_when_their_session_stays_away_and_not_before() -> None:
    now, present = [0.0], {"here", "leaver"}
    gates = Gates(places=1, is_present=lambda owner: owner in present, clock=lambda: now[0])
    left, waiting, stays = gates.start("a", "leaver"), gates.start("b", "leaver"), gates.start("c", "here")
    present.discard("leaver")
    gates.pool.cancel_abandoned()
    now[0] = GRACE - 1.0
    gates.pool.cancel_abandoned()
    assert not left.cancelled
    present.add("leaver")  # a reload in time
    gates.pool.cancel_abandoned()
    present.discard("leaver")
    now[0] = GRACE + 1.0
    gates.pool.cancel_abandoned()
    assert not left.cancelled
    now[0] = 2.0 * GRACE + 1.0
    gates.pool.cancel_abandoned()
    assert left.cancelled
    assert waiting.cancelled
    left.wait()
    assert gates.begun["c"].wait(PATIENCE)
    assert not stays.cancelled
    gates.pool.cancel_all()


def test_what_is_everybodys_outlives_every_session() -> None:
    now = [0.0]
    gates = Gates(places=1, is_present=lambda owner: False, clock=lambda: now[0])
    job = gates.start("a", EVERYBODY)
    gates.pool.cancel_abandoned()
    now[0] = 2.0 * GRACE
    gates.pool.cancel_abandoned()
    assert not job.cancelled
    gates.pool.cancel_all()


def test_the_time_left_follows_from_the_pace() -> None:
    gates = Gates(places=1)
    job, behind = gates.start("a"), gates.start("b")
    assert gates.begun["a"].wait(PATIENCE)
    assert job.steps == (1, 4)
    assert job.share == 0.25
    assert job.seconds_left is not None
    assert job.seconds_left >= 0.0
    assert behind.seconds_left is None
    gates.pool.cancel_all()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (59.6, "60 s"), (100, "2 min"), (3600, "60 min"), (9000, "2.5 h")]
)
def test_a_time_is_said_in_the_unit_that_one_would_use(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_collector_may_forget_a_job_in_any_thread() -> None:
    """It may run in a thread that another one, which holds the pool's lock, waits for."""
    pool, begun, over = Pool(1), threading.Event(), threading.Event()

    def endless(progress: Progress) -> Iterator[int]:
        begun.set()
        try:
            while True:
                yield 1
        finally:
            over.set()

    jobs = [Job("seen by nobody", endless, pool=pool, needs=0.0)]
    begun.wait()
    with pool._lock:
        forgetting = threading.Thread(target=jobs.clear)
        forgetting.start()
        forgetting.join(PATIENCE)
        assert not forgetting.is_alive()
    over.wait()
