"""Answers in turn: two at once, in the order in which they were asked for.

Forty threads that all compute take the interpreter's lock from each other and from the thread that sends what they
made: fewer pictures come, and each of them later. One that takes long keeps nobody waiting: it gives its place away
after a moment, and goes on beside the others. No Streamlit.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

PLACES = 2  # one is in compiled code, which needs no lock, while the other is not; three are slower, on two processors
BRIEF = 0.1  # seconds for which an answer has its place; most are given sooner


class Turns:
    """At most so many `places` are taken by answers that are younger than `brief`."""

    def __init__(self, places: int = PLACES, brief: float = BRIEF) -> None:
        self._places, self._brief = places, brief
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._begun: dict[threading.Event, float] = {}

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a place, and have it while what is inside is done."""
        mine = self._enter()
        try:
            yield
        finally:
            with self._lock:
                del self._begun[mine]
                self._call_next()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def _enter(self) -> threading.Event:
        mine = threading.Event()
        with self._lock:
            self._waiting.append(mine)
            self._call_next()
        longest: float | None = None
        while True:
            mine.wait(longest)
            with self._lock:
                mine.clear()
                if self._waiting[0] is not mine:
                    continue
                longest = self._until_free()
                if longest <= 0.0:
                    self._waiting.popleft()
                    self._begun[mine] = time.monotonic()
                    self._call_next()
                    return mine

    def _call_next(self) -> None:
        """Have the first of those that wait look whether there is a place; the others sleep."""
        if self._waiting:
            self._waiting[0].set()

    def _until_free(self) -> float:
        """Return in how many seconds there is a place at the latest."""
        now = time.monotonic()
        left = sorted(begun + self._brief - now for begun in self._begun.values())
        young = [seconds for seconds in left if seconds > 0.0]
        return 0.0 if len(young) < self._places else young[len(young) - self._places]


ANSWERED = Turns()
