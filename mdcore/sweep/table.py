"""The results of a sweep, possibly partial, as a table: tidy records, arrays over the points, bands over the
repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array
from mdcore.sweep.plan import Place, Sweep

NO_ROWS = np.empty(0, dtype=np.intp)
NO_SIDES = np.empty(0, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class PointResult:
    """One method at one point of one repeat.

    `terms` are the summands of the objective; `correct` tells for every row whether its margin is positive. If the
    method cannot be fitted, `problem` is the reason and there are no numbers. `landmarks` is the number of landmarks
    that span the feature space, 0 for the exact kernel; `exact_gap` is an upper bound on the distance from the exact
    solution, if known.
    """

    repeat: int
    statistics: Mapping[str, float] = field(default_factory=dict)
    terms: Mapping[str, float] = field(default_factory=dict)
    rows: NDArray[np.intp] = field(default_factory=lambda: NO_ROWS)
    correct: NDArray[np.bool_] = field(default_factory=lambda: NO_SIDES)
    converged: bool = True
    gap: float = np.nan
    landmarks: int = 0
    exact_gap: float = np.nan
    problem: str = ""
    place: Place = ()
    method: str = ""


@dataclass(frozen=True, eq=False)
class Sides:
    """The side of the boundary on which every example lies along a path: `correct[i, k]` for row `rows[i]` at point
    k."""

    rows: NDArray[np.intp]
    correct: NDArray[np.bool_]

    @property
    def changes(self) -> NDArray[np.bool_]:
        """changes[i, k]: whether row i changes sides between points k and k + 1."""
        return np.asarray(self.correct[:, 1:] != self.correct[:, :-1])

    def changing(self) -> Sides:
        """Return the rows that change sides, ordered by their first change."""
        changes = self.changes
        if not changes.size:
            return Sides(self.rows[:0], self.correct[:0])
        which = np.flatnonzero(changes.any(axis=1))
        which = which[np.argsort(changes[which].argmax(axis=1), kind="stable")]
        return Sides(self.rows[which], self.correct[which])


@dataclass(frozen=True, eq=False)
class SweepTable:
    """The results of a sweep so far. Points that are not computed yet, or cannot be, are nan."""

    sweep: Sweep
    results: tuple[PointResult, ...]

    @property
    def complete(self) -> bool:
        return len(self.results) == self.sweep.size

    def refined(self, sweep: Sweep, results: Sequence[PointResult]) -> SweepTable:
        """Return the table of a sweep of which this table is the preview; new results replace the results of the
        preview."""
        ours = [replace(result, place=self._place_in(sweep, result.place)) for result in self.results]
        known = {(result.repeat, result.place, result.method): result for result in (*ours, *results)}
        return SweepTable(sweep, tuple(known.values()))

    def _place_in(self, sweep: Sweep, place: Place) -> Place:
        values = self.sweep.values_at(place)
        return tuple(axis.values.index(value) for axis, value in zip(sweep.axes, values, strict=True))

    def through_landmarks(self, method: str) -> tuple[PointResult, ...]:
        """Return the results of a method that used landmarks instead of the exact kernel."""
        return tuple(result for result in self.results if result.method == method and result.landmarks)

    def spanned(self, method: str) -> NDArray[np.bool_]:
        """Return at which points a method used landmarks in some repeat."""
        landmarks = self._array(method, lambda result: float(result.landmarks))
        return np.asarray((landmarks > 0.0).any(axis=0))

    @property
    def mixed(self) -> bool:
        """Whether some method used landmarks at some points and the exact kernel at others."""
        return any(
            len({result.landmarks > 0 for result in found if not result.problem}) > 1 for found in self._of.values()
        )

    @property
    def methods(self) -> tuple[str, ...]:
        return self.sweep.experiment.methods

    def name(self, method: str) -> str:
        """Return a method's name, which may depend on the data."""
        return self.sweep.experiment.name(method)

    @cached_property
    def _of(self) -> dict[str, list[PointResult]]:
        found: dict[str, list[PointResult]] = {method: [] for method in self.methods}
        for result in self.results:
            found[result.method].append(result)
        return found

    def values(self, method: str, statistic: str) -> Array:
        """Return the statistic as an array over (repeat, first axis, ...)."""
        return self._array(method, lambda result: result.statistics.get(statistic, np.nan))

    def terms(self, method: str, repeat: int = 0) -> dict[str, Array]:
        """Return the summands of the objective over the points of one repeat."""
        names = dict.fromkeys(name for result in self._of[method] for name in result.terms)

        def values(name: str) -> Array:
            return np.asarray(self._array(method, lambda result: result.terms.get(name, np.nan))[repeat])

        return {name: values(name) for name in names}

    def band(self, method: str, statistic: str, low: float = 0.1, high: float = 0.9) -> tuple[Array, Array, Array]:
        """Return the quantiles `low`, 1/2 and `high` over the repeats that have reached a point."""
        values = self.values(method, statistic)
        bands = np.full((3, *self.sweep.shape), np.nan)
        there = ~np.isnan(values).all(axis=0)
        bands[:, there] = np.nanquantile(values[:, there], (low, 0.5, high), axis=0)
        return bands[0], bands[1], bands[2]

    def unconverged(self, method: str) -> NDArray[np.bool_]:
        """Return at which points the solver did not converge in some repeat."""
        converged = self._array(method, lambda result: float(result.converged))
        return np.asarray((converged == 0.0).any(axis=0))

    def sides(self, method: str, repeat: int = 0) -> Sides:
        """Return the examples' sides at the points reached so far.

        Raise ValueError for two axes, or for a parameter that changes the sample.
        """
        if len(self.sweep.axes) != 1:
            raise ValueError("examples can be followed along one parameter only; this sweep has two.")
        found = sorted((r for r in self._of[method] if r.repeat == repeat and not r.problem), key=lambda r: r.place)
        if not found:
            return Sides(NO_ROWS, np.empty((0, 0), dtype=np.bool_))
        rows = found[0].rows
        if any(not np.array_equal(result.rows, rows) for result in found):
            key = self.sweep.axes[0].key
            raise ValueError(f"{key} changes the sample along the path, so examples cannot be followed.")
        return Sides(rows, np.column_stack([result.correct for result in found]))

    def problems(self) -> dict[str, int]:
        """Return the reasons why methods could not be fitted, with their counts."""
        reasons = [result.problem for result in self.results if result.problem]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield tidy records: one for each method at each point of each repeat."""
        for result in self.results:
            where = dict(zip((axis.key for axis in self.sweep.axes), self.sweep.values_at(result.place), strict=True))
            own = {name: result.statistics.get(name, np.nan) for name in self.sweep.statistics}
            seed = self.sweep.experiment.data.seed + result.repeat
            yield where | {"method": result.method, "seed": seed} | own | {"converged": result.converged}

    def _array(self, method: str, number: Callable[[PointResult], float]) -> Array:
        values = np.full((self.sweep.repeats, *self.sweep.shape), np.nan)
        for result in self._of[method]:
            values[(result.repeat, *result.place)] = number(result)
        return values
