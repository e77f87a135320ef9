"""A queue for interactive answers: two are computed at a time, in the order of their requests.

Forty threads that compute at once compete for the interpreter lock with each other and with the thread that sends their
results: fewer pictures arrive, and each arrives later. A slow answer blocks nobody: after a moment it gives up its
place and continues beside the others. Uses no Streamlit.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

PLACES = 2  # while one runs compiled code without the lock, the other runs Python; three are slower on two processors
BRIEF = 0.1  # seconds for which an answer keeps its place; most finish sooner


class Turns:
    """A queue in which at most `places` answers younger than `brief` seconds run at a time."""

    def __init__(self, places: int = PLACES, brief: float = BRIEF) -> None:
        self._places, self._brief = places, brief
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._begun: dict[threading.Event, float] = {}

    @contextmanager
    def one(self) -> Iterator[None]:
        """Return a context that waits for a place and then runs its body."""
        mine = self._enter()
        try:
            yield
        finally:
            with self._lock:
                del self._begun[mine]
                self._call_next()

    @property
    def waiting(self) -> int:
        """The number of answers in the queue."""
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
        """Wake the first waiting answer, which checks whether a place is free."""
        if self._waiting:
            self._waiting[0].set()

    def _until_free(self) -> float:
        """Return the seconds until a place is free at the latest; 0 if one is free now."""
        now = time.monotonic()
        left = sorted(begun + self._brief - now for begun in self._begun.values())
        young = [seconds for seconds in left if seconds > 0.0]
        return 0.0 if len(young) < self._places else young[len(young) - self._places]


ANSWERED = Turns()
