"""Background jobs, run by one bounded pool per server.

A job declares how much memory it needs and starts when that much is free. It continues while the visitor looks at other
pages, gives way to interactive answers, and ends with the session or at the time limit; items computed by then are
kept. Uses no Streamlit.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from mdcore.memory import free_memory
from mdcore.pace import Pace, TimeLeft, constant_pace
from mdcore.solvers.budget import Stopped, raise_if_stopped, stoppable
from mdcore.text import duration
from mdcore.ui.shared.limits import limit
from mdcore.ui.shared.precedence import pausing_for_answers

T = TypeVar("T")
Iterate = Callable[["Report"], Iterator[T]]

PLACES = max(2, (os.cpu_count() or 2) // 4)  # jobs that may run at once
THREADS = max(1, ((os.cpu_count() or 2) - 1) // PLACES)  # threads per job; one processor is reserved for the pages
GRACE = 60.0  # seconds in which a disconnected session can return to its jobs
CHECK_PERIOD = 1.0  # seconds between two checks for disconnected sessions
MINUTES = "MARGIN_LAB_JOB_MINUTES"
LONGEST = 60.0 * limit(MINUTES, 120.0)  # seconds that a job may run
SHUTDOWN_MESSAGE = (
    "The server is shutting down and has stopped this computation: start it again when the server is back."
)
EVERYBODY = "everybody"  # the owner of work shared by all sessions, which no disconnection cancels


def counted(total: int, items: Callable[[], Iterator[T]]) -> Iterate[T]:
    """Return `iterate` for a job in which every item is one of `total` equal steps."""

    def iterate(report: Report) -> Iterator[T]:
        report(0, total)
        for number, item in enumerate(items(), 1):
            report(number, total)
            yield item

    return iterate


def paced(steps: Callable[[], Iterable[tuple[Hashable, float]]], items: Callable[[], Iterator[T]]) -> Iterate[T]:
    """Return `iterate` for a job whose items are steps of known kinds and costs, as (kind, cost) pairs: see `Pace`."""

    def iterate(report: Report) -> Iterator[T]:
        kinds = list(steps())
        pace, since = Pace(kinds, seconds=False), time.monotonic()
        report(0, len(kinds))
        for number, item in enumerate(items(), 1):
            now = time.monotonic()
            kind, cost = kinds[number - 1]
            pace.record(kind, cost, now - since)
            since = now
            report(number, len(kinds))
            if number < len(kinds):
                kind, cost = kinds[number]
                report.set_time_left(pace.time_left(kind, cost, 0.0))
            yield item

    return iterate


class Report:
    """The progress of a job: steps made, steps in total, and the estimated time left."""

    def __init__(self) -> None:
        self.made = self.total = 0
        self.left: TimeLeft | None = None
        self.estimated_at = 0.0  # the time of the latest estimate
        self.begun: float | None = None

    def begin(self) -> None:
        self.begun = time.monotonic()

    def __call__(self, made: int, total: int) -> None:
        self.made, self.total = made, total
        self.set_time_left(constant_pace(made, total, self.seconds))

    def set_time_left(self, left: TimeLeft | None) -> None:
        """Set the estimated time left, for work that knows the cost of its steps."""
        self.left, self.estimated_at = left, time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the work began; 0 before."""
        return 0.0 if self.begun is None else time.monotonic() - self.begun

    @property
    def seconds_a_step(self) -> float | None:
        """Seconds per step, on average; None before the first step is made."""
        return None if self.begun is None or not self.made else (self.estimated_at - self.begun) / self.made

    @property
    def since_estimate(self) -> float:
        """Seconds since the latest estimate."""
        return time.monotonic() - self.estimated_at


class Work(Generic[T]):
    """The state shared by the pool's thread and a Job. It holds no reference to the Job, so that the Job is freed when
    its session drops it."""

    def __init__(
        self, iterate: Iterate[T], owner: Hashable, needs: float, longest: float, shutdown_message: str
    ) -> None:
        self.owner, self.needs, self.longest, self.shutdown_message = owner, needs, longest, shutdown_message
        self.lacks_memory = False  # it is next in line, but too little memory is free
        self.items: list[T] = []
        self.report = Report()
        self.cancelled = threading.Event()
        self.finished = threading.Event()
        self.problem = ""
        self._iterate: Iterate[T] | None = iterate

    def refuse(self, problem: str) -> None:
        self.problem = problem
        self.finished.set()

    def run(self) -> None:
        iterate, self._iterate = self._iterate, None
        self.report.begin()
        try:
            assert iterate is not None
            with stoppable(pausing_for_answers(self._is_over)):
                for item in iterate(self.report):
                    self.items.append(item)
                    raise_if_stopped()
            self.problem = ""  # complete, even if it was cancelled during the last step
        except Stopped:
            if not self.cancelled.is_set():
                self.problem = _time_limit_message(self.longest)
        except ValueError as error:
            self.problem = str(error)
        except Exception:  # the thread ends here: nothing else could report the failure to the user
            logging.getLogger(__name__).exception("A job failed")
            self.problem = "The computation failed; the server's log has the details. Try other settings."
        finally:
            self.finished.set()

    def _is_over(self) -> bool:
        return self.cancelled.is_set() or self.report.seconds >= self.longest


class Pool:
    """A pool that runs a few work items at a time, at most one per owner, and starts the others in the order of
    arrival.

    If an item needs more memory than the running ones leave free, it waits for them, and so do all items behind it;
    otherwise a series of small items could delay it forever. An item that does not fit even while nothing else runs is
    refused. `is_present(owner)` returns whether the owner's session is connected; the work of owners that stay away is
    cancelled.
    """

    def __init__(
        self,
        places: int,
        is_present: Callable[[Any], bool] = lambda owner: True,
        clock: Callable[[], float] = time.monotonic,
        free: Callable[[], float] = free_memory,
    ) -> None:
        self.is_present = is_present
        self._places, self._clock, self._free = places, clock, free
        self._free_at_rest = 0.0  # free memory when no work was running
        self._lock = threading.RLock()
        self._waiting: list[Work[Any]] = []
        self._running: list[Work[Any]] = []
        self._left: dict[Hashable, float] = {}  # the time at which each absent owner was first found absent
        self._watched = False
        self._closed = False

    def enter(self, work: Work[Any]) -> None:
        with self._lock:
            if self._closed:
                work.refuse(work.shutdown_message)
                return
            self._waiting.append(work)
            self._fill()
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, name="job watch", daemon=True).start()

    def before(self, work: Work[Any]) -> int:
        """Return the number of work items ahead of this one; 0 once it has begun."""
        with self._lock:
            if work not in self._waiting:
                return 0
            return max(1, len(self._running) + self._waiting.index(work) - self._places + 1)

    def cancel(self, work: Work[Any]) -> None:
        work.cancelled.set()
        with self._lock:
            if work in self._waiting:
                self._waiting.remove(work)
                work.finished.set()

    @property
    def load(self) -> tuple[int, int]:
        """The number of running and of waiting work items."""
        with self._lock:
            return len(self._running), len(self._waiting)

    def cancel_all(self) -> None:
        for work in [*self._waiting, *self._running]:
            self.cancel(work)

    def close(self) -> list[Work[Any]]:
        """Cancel all work with its shutdown message, as the server stops, and accept no more; return the cancelled
        items."""
        with self._lock:
            self._closed = True
            works = [*self._waiting, *self._running]
            for work in works:
                work.problem = work.shutdown_message
                self.cancel(work)
        return works

    def cancel_abandoned(self) -> None:
        """Cancel the work of owners who have been away for GRACE seconds."""
        with self._lock:
            works = [*self._waiting, *self._running]
            now = self._clock()
            owners = {work.owner for work in works} - {None, EVERYBODY}
            away = {owner for owner in owners if not self.is_present(owner)}
            self._left = {owner: self._left.get(owner, now) for owner in away}
            for work in works:
                if now - self._left.get(work.owner, now) >= GRACE:
                    self.cancel(work)

    def _fill(self) -> None:
        busy = {work.owner for work in self._running if work.owner is not None}
        for work in [*self._waiting]:
            if len(self._running) >= self._places:
                return
            if work.owner in busy:
                continue
            left = self._memory_left()
            work.lacks_memory = work.needs > left
            if work.lacks_memory and self._running:
                return
            self._waiting.remove(work)
            if work.lacks_memory:
                work.refuse(_memory_message(work.needs, left))
                continue
            busy |= {work.owner} - {None}
            self._running.append(work)
            threading.Thread(target=self._run, args=(work,), name="job", daemon=True).start()

    def _memory_left(self) -> float:
        """Return the bytes not claimed by running work, whether or not it has allocated its share yet; at most the
        bytes free now."""
        free = self._free()
        if not self._running:
            self._free_at_rest = free
        return min(free, self._free_at_rest - sum(work.needs for work in self._running))

    def _run(self, work: Work[Any]) -> None:
        try:
            work.run()
        finally:
            with self._lock:
                self._running.remove(work)
                self._fill()

    def _watch(self) -> None:
        while True:
            time.sleep(CHECK_PERIOD)
            self.cancel_abandoned()
            with self._lock:
                if not self._waiting and not self._running:
                    self._watched = False
                    return


def _time_limit_message(longest: float) -> str:
    return (
        f"This server limits a computation to {duration(longest)}: it was stopped there, and its results so far are "
        f"kept. Ask for less at a time, or start a server with a larger {MINUTES}."
    )


def _memory_message(needs: float, left: float) -> str:
    return (
        f"This needs about {needs / 2**30:.2f} GiB of memory, but only {left / 2**30:.2f} GiB are free. Use fewer rows "
        "or fewer landmarks, or try again when other programs have ended."
    )


POOL = Pool(PLACES)


class Job(Generic[T]):
    """A background job that collects the items of an iterator, in a thread of the pool.

    `subject` identifies what is computed, `needs` is the additional memory in bytes, and `shutdown_message` is
    shown if the server stops. Of each `owner`, normally a session, one job runs at a time. The iterator must not refer
    to the job: when the last reference to the job is gone, its work is cancelled.
    """

    def __init__(
        self,
        subject: Hashable,
        iterate: Iterate[T],
        owner: Hashable = None,
        pool: Pool = POOL,
        *,
        needs: float,
        longest: float = LONGEST,
        shutdown_message: str = SHUTDOWN_MESSAGE,
    ) -> None:
        self.subject = subject
        self._pool = pool
        self._work: Work[T] = Work(iterate, owner, needs, longest, shutdown_message)
        weakref.finalize(self, pool.cancel, self._work)
        pool.enter(self._work)

    @property
    def items(self) -> tuple[T, ...]:
        """The items yielded so far."""
        return tuple(self._work.items)

    @property
    def steps(self) -> tuple[int, int]:
        """(steps made, total steps); the total is 0 until it is known."""
        return self._work.report.made, self._work.report.total

    @property
    def share(self) -> float:
        """The share of the steps made; 0 until the total is known."""
        made, total = self.steps
        return min(1.0, made / total) if total else 0.0

    @property
    def running(self) -> bool:
        """Whether the job runs or waits for its turn."""
        return not self._work.finished.is_set()

    @property
    def waiting_for(self) -> int:
        """The number of jobs ahead of this one; 0 once it has begun."""
        return self._pool.before(self._work)

    @property
    def lacks_memory(self) -> bool:
        """Whether the job waits for memory held by running jobs."""
        return self.running and self._work.lacks_memory

    @property
    def seconds_a_step(self) -> float | None:
        """Seconds per step, on average; None before the first step is made."""
        return self._work.report.seconds_a_step

    @property
    def seconds_left(self) -> float | None:
        """The latest estimate of the time left, counted down since; None without an estimate, or when all steps are
        made."""
        report, left = self._work.report, self._work.report.left
        return None if left is None or self.share == 1.0 else left.remaining(report.since_estimate)

    @property
    def is_late(self) -> bool:
        """Whether the current step takes longer than estimated."""
        report, left = self._work.report, self._work.report.left
        return left is not None and left.is_late(report.since_estimate)

    @property
    def cancelled(self) -> bool:
        return self._work.cancelled.is_set()

    @property
    def problem(self) -> str:
        """The reason why the job failed or ended early; "" otherwise."""
        return self._work.problem

    def cancel(self) -> None:
        self._pool.cancel(self._work)

    def wait(self) -> None:
        self._work.finished.wait()
