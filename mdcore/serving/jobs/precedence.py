"""Precedence of interactive answers over long work: between two steps, a job waits for the answers under way.

Threads of one process share the interpreter lock, so a job that never pauses would slow down every visitor. The pauses
are bounded: on a server that is never idle, jobs keep a quarter of their time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MAX_PAUSE_RATIO = 3.0  # seconds a job may wait for each second it works
LONGEST = 0.25  # seconds a job may wait at once


class Precedence:
    """A counter of the answers under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._idle = threading.Event()
        self._idle.set()

    @contextmanager
    def first(self) -> Iterator[None]:
        """Return a context that gives its body precedence over long work."""
        with self._lock:
            self._under_way += 1
            self._idle.clear()
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                if not self._under_way:
                    self._idle.set()

    def wait(self, longest: float) -> None:
        """Wait until no answer is under way, at most `longest` seconds."""
        self._idle.wait(longest)

    @property
    def busy(self) -> bool:
        """Whether an answer is under way."""
        return not self._idle.is_set()


ACTIVE_ANSWERS = Precedence()


def pausing_for_answers(
    stop: Callable[[], bool], answers: Precedence = ACTIVE_ANSWERS, clock: Callable[[], float] = time.monotonic
) -> Callable[[], bool]:
    """Return `stop` wrapped so that each call, between two steps, first waits for the answers under way.

    The time spent waiting is limited by LONGEST and by MAX_PAUSE_RATIO seconds for each second worked.
    """
    credit, since = 0.0, clock()

    def paused_stop() -> bool:
        nonlocal credit, since
        now = clock()
        credit = min(LONGEST, credit + MAX_PAUSE_RATIO * (now - since))
        since = now
        if answers.busy and not stop():
            answers.wait(credit)
            since = clock()
            credit = max(0.0, credit - (since - now))
        return stop()

    return paused_stop
