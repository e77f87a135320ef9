"""A linear scale for drawings in HTML: places in per cent of the width, and round ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    low: float
    high: float

    def place(self, value: float) -> float:
        """Return the place of a value in per cent, at most one per cent beyond the edges."""
        share = 100.0 * (value - self.low) / (self.high - self.low)
        return round(min(max(share, -1.0), 101.0), 2)

    def ticks(self, most: int = 5) -> list[float]:
        """Return at most `most` round values, evenly apart."""
        span = self.high - self.low
        size = 10.0 ** floor(log10(span / most))
        step = next(s * size for s in STEPS if span / (s * size) <= most)
        first = ceil(self.low / step - 1e-9)
        return [round(step * k, 10) for k in range(first, floor(self.high / step + 1e-9) + 1)]


def scale_of(values: Iterable[float | None], *, least: float, pad: float = 0.04) -> Scale:
    """Return a scale that holds all values, with a margin of a share `pad` at both ends, at least `least` wide."""
    known = [value for value in values if value is not None and isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    room = max(pad * (high - low), (least - (high - low)) / 2)
    return Scale(low - room, high + room)
