"""What a cross-validation chooses from, parameters, the width of the kernel and the treatment of several classes, and
the search for the best candidate: which to try next, given the scores of those tried so far.

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
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from mdcore.spec import Interval, Method, Param, Search, Setting

Point = tuple[int, ...]

REACH = 6  # steps beyond the values of an axis, at most
DIGITS = 12  # of a value beyond those of an axis, so that 0.1 / 10⁵ is 1e-6
LEADERS = 2  # points whose neighbours are tried

WIDTH, WAY = "width", "several"
LINEAR = None  # as a width: the linear kernel, the limit of ever smoother kernels
WIDTHS = Search((2.0**-4, 2.0**-2, 1.0, 2.0**2), first=(2.0**-4, 2.0**-2, 1.0))
"""Factors of γ with which a search begins, the smoothest kernel first."""
STEPS_OF_WIDTH = 4.0


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


@dataclass(frozen=True)
class Option:
    """A candidate for the choice: parameters, a factor of γ (LINEAR for the linear kernel), and how a method for two
    classes treats several. Parameters in `per_row` are multiplied by the number of rows of the fit."""

    params: Mapping[str, Any]
    width: float | None
    several: str
    per_row: tuple[str, ...] = ()

    def settings(self, rows: int) -> dict[str, Any]:
        """Return the parameters for a fit to this number of rows."""
        return {name: value * rows if name in self.per_row else value for name, value in self.params.items()}


@dataclass(frozen=True)
class Lattice:
    """The options of a choice as points of a lattice, a single one without axes; at most `most` are tried, with None
    all."""

    axes: tuple[Axis, ...]
    given: Option
    most: int | None
    conflict: Callable[[Option], str]

    @property
    def is_choice(self) -> bool:
        return bool(self.axes)

    def option(self, point: Point) -> Option:
        chosen = {axis.name: axis.value(position) for axis, position in zip(self.axes, point, strict=True)}
        width, several = chosen.pop(WIDTH, self.given.width), chosen.pop(WAY, self.given.several)
        return replace(self.given, params={**self.given.params, **chosen}, width=width, several=several)

    def following(self, scores: Mapping[Point, float]) -> list[Point]:
        """Return the points to try next, given the scores of those tried so far; at the end, none."""
        return following(self.axes, scores, self.most, self._is_possible)

    @cached_property
    def points(self) -> list[Point]:
        """The points with which the choice begins; of a grid, all."""
        return self.following({})

    def _is_possible(self, point: Point) -> bool:
        return not self.conflict(self.option(point))


def axes_of_search(method: Method, widths: tuple[float | None, ...], ways: Sequence[str]) -> tuple[Axis, ...]:
    """Return an axis for everything that a search varies: by the method's record, `widths` and `ways` if not empty."""
    axes = [Axis(WAY, tuple(ways), (0,))] if ways else []
    if widths:
        first = tuple(i for i, width in enumerate(widths) if width is LINEAR or width in WIDTHS.first)
        axes.append(Axis(WIDTH, widths, first, STEPS_OF_WIDTH))
    return (*axes, *(_axis(setting, setting.search) for setting in method.params if setting.search))


def axes_of_grid(widths: tuple[float, ...], grid: Sequence[tuple[str, tuple[Any, ...]]]) -> tuple[Axis, ...]:
    """Return the axes of a grid, all of whose points are tried."""
    given = [(WIDTH, widths), *grid]
    return tuple(Axis(name, values, tuple(range(len(values)))) for name, values in given if len(values) > 1)


def per_row(method: Method) -> tuple[str, ...]:
    """Return the parameters whose searched values are for each row."""
    return tuple(setting.name for setting in method.params if setting.search and setting.search.per_row)


def _axis(setting: Setting, search: Search) -> Axis:
    first = tuple(search.values.index(value) for value in search.first)
    if not isinstance(setting, Param):
        return Axis(setting.name, search.values, first)
    ratio = search.values[-1] / search.values[-2] if search.grows else 0.0
    return Axis(setting.name, search.values, first, ratio, _legal(setting.legal), setting.integer)


def _legal(legal: Interval) -> Callable[[float], bool]:
    return legal.__contains__
