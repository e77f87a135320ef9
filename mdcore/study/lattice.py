"""What a cross-validation chooses from: parameters, the width of the kernel, and the treatment of several classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mdcore.spec import Interval, Method, Param, Search, Setting
from mdcore.study.search import Axis, Point, following

WIDTH, WAY = "width", "several"
LINEAR = None  # as a width: the linear kernel, the limit of ever smoother kernels
WIDTHS = Search((2.0**-4, 2.0**-2, 1.0, 2.0**2), first=(2.0**-4, 2.0**-2, 1.0))
"""Factors of γ with which a search begins, the smoothest kernel first."""
STEPS_OF_WIDTH = 4.0


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
