"""When a solver has to end: its time is up, or its work was called off. Alone, it never has to.

Whoever must show something soon sets a time budget around a fit, which then ends with what it has. The time is that of
the thread, not of the clock on the wall, so that a busy machine cuts nothing off; and it begins when the solver first
asks, which is after its machine code was compiled.

Whoever may lose interest makes the work stoppable: nobody wants what it has, so it ends by raising Stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Stop = Callable[[], bool]


class Stopped(Exception):
    """The work was called off: not an error, but the user's wish."""


class Budget:
    """`exceeded` says whether a solver was told to stop."""

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
    """Every solver called inside shares these seconds."""
    budget = Budget(seconds)
    token = _BUDGET.set(budget)
    try:
        yield budget
    finally:
        _BUDGET.reset(token)


@contextmanager
def stoppable(stop: Stop | None) -> Iterator[None]:
    """Whatever is done inside, in this thread, ends with Stopped soon after `stop()` has become true."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def current_stop() -> Stop | None:
    """Return what makes the work of this thread stoppable; to be handed on to threads that share in it."""
    return _STOP.get()


def heed_stop() -> None:
    """To be called before a step that takes long: raises Stopped where the work was called off."""
    stop = current_stop()
    if stop is not None and stop():
        raise Stopped


def over_budget() -> bool:
    """To be asked between two iterations; the answer may only end them, never change what they compute."""
    heed_stop()
    budget = _BUDGET.get()
    return budget is not None and budget.is_spent()
