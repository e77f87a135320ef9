"""What somebody waits for goes first: between two steps, long work lets the answers under way be finished.

No Streamlit. Threads of one process share the interpreter's lock, so that a job that never stops for a picture holds
back every visitor. It stops for a while only: of a server that is never at rest, jobs keep a quarter of their time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

YIELDED = 3.0  # seconds that may be given away for each second worked
LONGEST = 0.25  # seconds given away at once


class Precedence:
    """Counts the answers that somebody waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._idle = threading.Event()
        self._idle.set()

    @contextmanager
    def first(self) -> Iterator[None]:
        """What is done inside goes before long work."""
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
        """Return when no answer is under way, or the time is over."""
        self._idle.wait(longest)

    @property
    def taken(self) -> bool:
        return not self._idle.is_set()


ANSWERS = Precedence()


def giving_way(
    stop: Callable[[], bool], answers: Precedence = ANSWERS, clock: Callable[[], float] = time.monotonic
) -> Callable[[], bool]:
    """Return `stop`, to be asked between two steps, that first lets answers go before, as far as it may."""
    credit, since = 0.0, clock()

    def asked() -> bool:
        nonlocal credit, since
        now = clock()
        credit = min(LONGEST, credit + YIELDED * (now - since))
        since = now
        if answers.taken and not stop():
            answers.wait(credit)
            since = clock()
            credit = max(0.0, credit - (since - now))
        return stop()

    return asked
