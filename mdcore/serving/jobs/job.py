"""A background job, as the session that asked for it follows it: a task of the pool, and its progress.

It continues while the visitor looks at other pages, and ends with the session.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from typing import Generic, TypeVar

from mdcore.serving.jobs.pool import LONGEST, POOL, Pool, Task
from mdcore.serving.jobs.progress import Iterate

T = TypeVar("T")

REFRESH = 0.5  # seconds between two looks of a page at its job

SHUTDOWN_MESSAGE = (
    "The server is shutting down and has stopped this computation: start it again when the server is back."
)


class Job(Generic[T]):
    """A background job that collects the items of an iterator, in a thread of the pool.

    `subject` identifies what is computed, `needs` is the additional memory in bytes, and `shutdown_message` is
    shown if the server stops. Of each `owner`, normally a session, one job runs at a time. The iterator must not refer
    to the job: when the last reference to the job is gone, its task is cancelled.
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
        self._task: Task[T] = Task(iterate, owner, needs, longest, shutdown_message)
        weakref.finalize(self, self._task.forget)
        pool.enter(self._task)

    @property
    def items(self) -> tuple[T, ...]:
        """The items yielded so far."""
        return tuple(self._task.items)

    @property
    def steps(self) -> tuple[int, int]:
        """(steps made, total steps); the total is 0 until it is known."""
        return self._task.progress.made, self._task.progress.total

    @property
    def share(self) -> float:
        """The share of the steps made; 0 until the total is known."""
        made, total = self.steps
        return min(1.0, made / total) if total else 0.0

    @property
    def running(self) -> bool:
        """Whether the job runs or waits for its turn."""
        return not self._task.finished.is_set()

    @property
    def waiting_for(self) -> int:
        """The number of jobs ahead of this one; 0 once it has begun."""
        return self._pool.before(self._task)

    @property
    def lacks_memory(self) -> bool:
        """Whether the job waits for memory held by running jobs."""
        return self.running and self._task.lacks_memory

    @property
    def seconds_a_step(self) -> float | None:
        """Seconds per step, on average; None before the first step is made."""
        return self._task.progress.seconds_a_step

    @property
    def seconds_left(self) -> float | None:
        """The latest estimate of the time left, counted down since; None without an estimate, or when all steps are
        made."""
        progress, left = self._task.progress, self._task.progress.left
        return None if left is None or self.share == 1.0 else left.remaining(progress.since_estimate)

    @property
    def is_late(self) -> bool:
        """Whether the current step takes longer than estimated."""
        progress, left = self._task.progress, self._task.progress.left
        return left is not None and left.is_late(progress.since_estimate)

    @property
    def cancelled(self) -> bool:
        return self._task.cancelled.is_set()

    @property
    def problem(self) -> str:
        """The reason why the job failed or ended early; "" otherwise."""
        return self._task.problem

    def cancel(self) -> None:
        self._pool.cancel(self._task)

    def wait(self) -> None:
        self._task.finished.wait()
