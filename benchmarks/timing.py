"""Timing of calls, and a row of results."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Row:
    """A comparison.

    `ratio` is the peer's time over ours, nan if the peer is not available; `goal` is the ratio to reach, if any.
    """

    what: str
    peer: str
    ours_ms: float
    peer_ms: float
    quality: str
    goal: float | None = None

    @property
    def ratio(self) -> float:
        return self.peer_ms / self.ours_ms

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return f"{'met' if self.ratio >= self.goal else 'MISSED'} (≥ {self.goal:.3g})"


def measure(call: Callable[[Any], Any], setup: Callable[[], Any] = lambda: None, repeat: int = 5) -> tuple[float, Any]:
    """Return the median milliseconds of `call(setup())` without the setup, after one warm-up call, and the last
    result."""
    call(setup())
    times = []
    result = None
    for _ in range(repeat):
        ready = setup()
        gc.collect()
        begun = time.perf_counter()
        result = call(ready)
        times.append(1e3 * (time.perf_counter() - begun))
    return median(times), result


def processor_seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of the better of two runs, and the last result."""
    times, result = [], None
    for _ in range(2):
        begun = time.process_time()
        result = call()
        times.append(time.process_time() - begun)
    return min(times), result
