"""The progress of a job, as its own work reports it: steps made, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from mdcore.basics.time_left import Pace, TimeLeft, constant_pace

T = TypeVar("T")
Iterate = Callable[["Progress"], Iterator[T]]


class Progress:
    """Steps made, steps in total, and the estimated time left."""

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


def counted(total: int, items: Callable[[], Iterator[T]]) -> Iterate[T]:
    """Return `iterate` for a job in which every item is one of `total` equal steps."""

    def iterate(progress: Progress) -> Iterator[T]:
        progress(0, total)
        for number, item in enumerate(items(), 1):
            progress(number, total)
            yield item

    return iterate


def paced(steps: Callable[[], Iterable[tuple[Hashable, float]]], items: Callable[[], Iterator[T]]) -> Iterate[T]:
    """Return `iterate` for a job whose items are steps of known kinds and costs, as (kind, cost) pairs: see `Pace`."""

    def iterate(progress: Progress) -> Iterator[T]:
        kinds = list(steps())
        pace, since = Pace(kinds, seconds=False), time.monotonic()
        progress(0, len(kinds))
        for number, item in enumerate(items(), 1):
            now = time.monotonic()
            kind, cost = kinds[number - 1]
            pace.record(kind, cost, now - since)
            since = now
            progress(number, len(kinds))
            if number < len(kinds):
                kind, cost = kinds[number]
                progress.set_time_left(pace.time_left(kind, cost, 0.0))
            yield item

    return iterate
