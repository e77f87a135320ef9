"""Time budgets and cancellation for solvers. By default there is neither.

A caller that must show a result soon sets a time budget around a fit, which then ends early with its best result so
far. The budget counts processor time of the thread, not wall-clock time, so that a busy machine does not shorten it. It
starts at the solver's first check, after its machine code was compiled.

A caller that may no longer want the result makes the work stoppable: cancelled work raises Stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Stop = Callable[[], bool]


class Stopped(Exception):
    """Raised when work was cancelled at the user's wish; not an error."""


class Budget:
    """A limit on processor time; `exceeded` is true once a solver was told to end because of it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.exceeded = False
        self._begun: float | None = None

    def is_spent(self) -> bool:
        now = time.thread_time()
        if self._begun is None:
            self._begun = now
        self.exceeded = now - self._begun >= self.seconds
        return self.exceeded


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)
_STOP: ContextVar[Stop | None] = ContextVar("stop", default=None)


@contextmanager
def time_budget(seconds: float) -> Iterator[Budget]:
    """Limit the processor time of all solvers called inside the context to `seconds` in total."""
    budget = Budget(seconds)
    token = _BUDGET.set(budget)
    try:
        yield budget
    finally:
        _BUDGET.reset(token)


@contextmanager
def stoppable(stop: Stop | None) -> Iterator[None]:
    """Make solvers called inside the context, in this thread, raise Stopped soon after `stop()` becomes true."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def current_stop() -> Stop | None:
    """Return the `stop` of the innermost `stoppable` context of this thread, to pass on to its worker threads."""
    return _STOP.get()


def raise_if_stopped() -> None:
    """Raise Stopped if the work was cancelled; to be called before every long step."""
    stop = current_stop()
    if stop is not None and stop():
        raise Stopped


def over_budget() -> bool:
    """Return whether the time budget is spent; raise Stopped if the work was cancelled.

    To be called between iterations. The answer may only end them, never change what they compute.
    """
    raise_if_stopped()
    budget = _BUDGET.get()
    return budget is not None and budget.is_spent()
