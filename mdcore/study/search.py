"""The search for the best candidate: which to try next, given the scores of those tried so far.

Candidates are points of a lattice with an axis for each parameter. The search begins with some points in the middle.
Then, again and again, it tries the untried neighbours of the best point: one step along each axis, the middle of a
wider gap or, beyond the values of an axis, a step of twice the length of the last one. It goes beyond the values only
from a point that is better than the nearest one on the inside: on a plateau there is nothing to find outside.
Directions in which the score rises come first. Where the best point has no untried neighbour left, the neighbours of
the second best are tried. The search ends where those are tried too, or after a number of points that is the same for
every method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Point = tuple[int, ...]

REACH = 6  # steps beyond the values of an axis, at most
DIGITS = 12  # of a value beyond those of an axis, so that 0.1 / 10⁵ is 1e-6
LEADERS = 2  # points whose neighbours are tried


@dataclass(frozen=True)
class Axis:
    """The ascending values of a parameter, the simplest first; the search begins at the positions `first`.

    With a `ratio`, values go on beyond the last one, each `ratio` times the one before, and likewise before the first
    one, as far as they are `legal`.
    """

    name: str
    values: tuple[Any, ...]
    first: tuple[int, ...]
    ratio: float = 0.0
    legal: Callable[[float], bool] = lambda value: True
    integer: bool = False

    def value(self, position: int) -> Any:
        beyond = self._beyond(position)
        if beyond == 0:
            return self.values[position]
        value = self.values[-1 if beyond > 0 else 0] * self.ratio**beyond
        return round(value) if self.integer else float(f"{value:.{DIGITS}g}")

    def __contains__(self, position: int) -> bool:
        beyond = self._beyond(position)
        if beyond == 0:
            return True
        end = self.values[-1 if beyond > 0 else 0]
        return bool(self.ratio and end and abs(beyond) <= REACH and self.legal(self.value(position)))

    def within_reach(self, position: int) -> int:
        return min(max(position, -REACH), len(self.values) - 1 + REACH)

    def _beyond(self, position: int) -> int:
        """Return the number of steps beyond the last value, negative before the first one; 0 within the values."""
        return min(position, 0) + max(position - len(self.values) + 1, 0)


def following(
    axes: Sequence[Axis], scores: Mapping[Point, float], most: int | None, possible: Callable[[Point], bool]
) -> list[Point]:
    """Return the points to try next, none at the end of the search.

    If no point with which the search begins is possible, all are returned, so that trying them gives the reason.
    """
    if not scores:
        first = list(product(*(axis.first for axis in axes)))
        return ([point for point in first if possible(point)] or first)[:most]
    for point in ranked(scores)[:LEADERS]:
        found = _neighbours(axes, scores, point)
        untried = [(rising, other) for rising, other in found if other not in scores and possible(other)]
        if untried:
            onwards = dict.fromkeys(other for rising, other in untried if rising)
            points = list(onwards or dict.fromkeys(other for _, other in untried))
            return points if most is None else points[: most - len(scores)]
    return []


def ranked(scores: Mapping[Point, float]) -> list[Point]:
    """Return the points, best first; of equally good ones, the simplest first."""
    return sorted(scores, key=lambda point: (-scores[point], point))


def _neighbours(axes: Sequence[Axis], scores: Mapping[Point, float], point: Point) -> Iterator[tuple[bool, Point]]:
    """Yield the neighbours of a point, and whether each is the next one in a direction in which the score rises."""
    for i, axis in enumerate(axes):
        here, rest = point[i], (*point[:i], *point[i + 1 :])
        line = [other[i] for other in scores if (*other[:i], *other[i + 1 :]) == rest and other[i] != here]
        inside = min(line, key=lambda there: abs(there - here), default=None)
        rises = inside is not None and scores[point] > scores[(*point[:i], inside, *point[i + 1 :])]
        for side in (-1, 1):
            ahead = [abs(there - here) for there in line if (there - here) * side > 0]
            step = min(ahead) // 2 if ahead else _step(axis, here, line)
            there = axis.within_reach(here + side * step)
            if there != here and there in axis and (rises or 0 <= there < len(axis.values)):
                yield rises and not ahead, (*point[:i], there, *point[i + 1 :])


def _step(axis: Axis, here: int, line: Sequence[int]) -> int:
    """Return the length of a step away from all points of a line: twice the last one if that was beyond the values."""
    if not line or 0 <= here < len(axis.values):
        return 1
    return 2 * min(abs(there - here) for there in line)
