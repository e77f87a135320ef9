"""Estimates of remaining time: predicted costs, corrected by the time that steps have taken so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

LATE = 0.1  # tolerated delay of a step, as a share of the time left after it


@dataclass(frozen=True)
class TimeLeft:
    """The estimated seconds left, and the seconds left after the current step."""

    seconds: float
    after: float

    def remaining(self, passed: float) -> float:
        """Return the seconds left after `passed` more seconds in the same step: at least the time of later steps."""
        return max(self.seconds - passed, self.after)

    def is_late(self, passed: float) -> bool:
        """Return whether the current step is so late that the estimate is no longer about right."""
        return passed - (self.seconds - self.after) > LATE * self.after


def constant_pace(made: int, total: int, seconds: float) -> TimeLeft | None:
    """Return the time left if all steps take equally long; None before the first step is done."""
    if not made:
        return None
    each = seconds / made
    return TimeLeft(each * (total - made), each * max(total - made - 1, 0))


class Pace:
    """Estimates for steps of several kinds with predicted costs.

    The prediction of a kind is multiplied by the ratio of time to predicted cost of its finished steps; for a kind
    without finished steps, by the ratio of all finished steps. Costs may be in any unit; if they are in seconds, there
    is an estimate before the first step is done.
    """

    def __init__(self, steps: Iterable[tuple[Hashable, float]], *, seconds: bool) -> None:
        self._cost_left: defaultdict[Hashable, float] = defaultdict(float)
        self._cost_done: defaultdict[Hashable, float] = defaultdict(float)
        self._seconds: defaultdict[Hashable, float] = defaultdict(float)
        self._initial_ratio = 1.0 if seconds else None
        for kind, cost in steps:
            self._cost_left[kind] += cost

    def record(self, kind: Hashable, cost: float, seconds: float) -> None:
        """Record a finished step of a kind with its predicted cost and the seconds it took."""
        self._cost_left[kind] -= cost
        self._cost_done[kind] += cost
        self._seconds[kind] += seconds

    def time_left(self, kind: Hashable, cost: float, passed: float) -> TimeLeft | None:
        """Return the time left while a step of this kind and cost has been running for `passed` seconds, or None."""
        ratios = {each: self._ratio(each) for each in self._cost_left}
        known = [self._cost_left[each] * ratio for each, ratio in ratios.items() if ratio is not None]
        current = ratios.get(kind)
        if len(known) < len(ratios) or current is None:
            return None
        after = max(sum(known) - cost * current, 0.0)
        return TimeLeft(max(sum(known) - passed, after), after)

    def _ratio(self, kind: Hashable) -> float | None:
        """Return the ratio of time to predicted cost of a kind, or None if it is unknown."""
        if self._cost_done[kind] > 0.0:
            return self._seconds[kind] / self._cost_done[kind]
        done = sum(self._cost_done.values())
        return sum(self._seconds.values()) / done if done > 0.0 else self._initial_ratio
