"""Estimates of remaining time: predicted costs, corrected by the time that steps have taken so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

LATE = 0.1  # tolerated delay of a step, as a share of the time left after it


@dataclass(frozen=True)
class Left:
    """The estimated seconds left, and the seconds left after the current step."""

    seconds: float
    after: float

    def later(self, passed: float) -> float:
        """Return the seconds left after `passed` more seconds in the same step: at least the time of later steps."""
        return max(self.seconds - passed, self.after)

    def is_late(self, passed: float) -> bool:
        """Return whether the current step is so late that the estimate is no longer about right."""
        return passed - (self.seconds - self.after) > LATE * self.after


def at_one_pace(made: int, total: int, seconds: float) -> Left | None:
    """Return the time left if all steps take equally long; None before the first step is done."""
    if not made:
        return None
    each = seconds / made
    return Left(each * (total - made), each * max(total - made - 1, 0))


class Pace:
    """Estimates for steps of several kinds with predicted costs.

    The prediction of a kind is multiplied by the ratio of time to predicted cost of its finished steps; for a kind
    without finished steps, by the ratio of all finished steps. Costs may be in any unit; if they are in seconds, there
    is an estimate before the first step is done.
    """

    def __init__(self, steps: Iterable[tuple[Hashable, float]], *, seconds: bool) -> None:
        self._left: defaultdict[Hashable, float] = defaultdict(float)
        self._made: defaultdict[Hashable, float] = defaultdict(float)
        self._took: defaultdict[Hashable, float] = defaultdict(float)
        self._first = 1.0 if seconds else None
        for kind, cost in steps:
            self._left[kind] += cost

    def take(self, kind: Hashable, cost: float, seconds: float) -> None:
        """Record a finished step of a kind with its predicted cost and the seconds it took."""
        self._left[kind] -= cost
        self._made[kind] += cost
        self._took[kind] += seconds

    def left(self, kind: Hashable, cost: float, passed: float) -> Left | None:
        """Return the time left while a step of this kind and cost has been running for `passed` seconds, or None."""
        times = {each: self._times(each) for each in self._left}
        known = [self._left[each] * found for each, found in times.items() if found is not None]
        now = times.get(kind)
        if len(known) < len(times) or now is None:
            return None
        after = max(sum(known) - cost * now, 0.0)
        return Left(max(sum(known) - passed, after), after)

    def _times(self, kind: Hashable) -> float | None:
        """Return the ratio of time to predicted cost of a kind, or None if it is unknown."""
        if self._made[kind] > 0.0:
            return self._took[kind] / self._made[kind]
        made = sum(self._made.values())
        return sum(self._took.values()) / made if made > 0.0 else self._first
