"""How long a solver may go on. Whoever must show something soon sets a budget around the fit; alone, a solver has none.

The time is that of the thread, not of the clock on the wall, so that a busy machine cuts nothing off; and it begins
when the solver first asks, which is after its machine code was compiled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


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


@contextmanager
def time_budget(seconds: float) -> Iterator[Budget]:
    """Every solver called inside shares these seconds."""
    budget = Budget(seconds)
    token = _BUDGET.set(budget)
    try:
        yield budget
    finally:
        _BUDGET.reset(token)


def over_budget() -> bool:
    """To be asked between two iterations; the answer may only end them, never change what they compute."""
    budget = _BUDGET.get()
    return budget is not None and budget.is_spent()
