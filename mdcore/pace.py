"""How long work will still take: as it was foretold, corrected by what its steps have taken so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

LATE = 0.1  # of what is left after a step


@dataclass(frozen=True)
class Left:
    """Seconds that are left, and how many of them once the step under way is done."""

    seconds: float
    after: float

    def later(self, passed: float) -> float:
        """Return what is left so many seconds later, in the same step: what comes after it has not begun."""
        return max(self.seconds - passed, self.after)

    def is_late(self, passed: float) -> bool:
        """Whether the step takes so much longer than it was thought to that what is left is no longer about right."""
        return passed - (self.seconds - self.after) > LATE * self.after


def at_one_pace(made: int, total: int, seconds: float) -> Left | None:
    """Where all steps are alike; None before the first."""
    if not made:
        return None
    each = seconds / made
    return Left(each * (total - made), each * max(total - made - 1, 0))


class Pace:
    """Steps of several kinds, each with what it is thought to cost. A kind takes as many times that as it has taken so
    far; one that has not been seen, as many times as the others together.

    What a step costs may be in any unit; where it is in `seconds`, something can be said before the first is done.
    """

    def __init__(self, steps: Iterable[tuple[Hashable, float]], *, seconds: bool) -> None:
        self._left: defaultdict[Hashable, float] = defaultdict(float)
        self._made: defaultdict[Hashable, float] = defaultdict(float)
        self._took: defaultdict[Hashable, float] = defaultdict(float)
        self._first = 1.0 if seconds else None
        for kind, cost in steps:
            self._left[kind] += cost

    def take(self, kind: Hashable, cost: float, seconds: float) -> None:
        """So much of a kind is done."""
        self._left[kind] -= cost
        self._made[kind] += cost
        self._took[kind] += seconds

    def left(self, kind: Hashable, cost: float, passed: float) -> Left | None:
        """Return what is left while a step of this kind and cost has been under way for `passed` seconds."""
        times = {each: self._times(each) for each in self._left}
        known = [self._left[each] * found for each, found in times.items() if found is not None]
        now = times.get(kind)
        if len(known) < len(times) or now is None:
            return None
        after = max(sum(known) - cost * now, 0.0)
        return Left(max(sum(known) - passed, after), after)

    def _times(self, kind: Hashable) -> float | None:
        """Return how many times what it is thought to cost a kind takes."""
        if self._made[kind] > 0.0:
            return self._took[kind] / self._made[kind]
        made = sum(self._made.values())
        return sum(self._took.values()) / made if made > 0.0 else self._first
