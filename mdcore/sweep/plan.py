"""The specification of a sweep: its points, the order in which they are visited, and the kinds of fits on the way, for
estimates of the time left: fits of the same kind take about the same time."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, product

from mdcore.data import SEED
from mdcore.experiment import Experiment
from mdcore.sweep.axis import Axis, affects, axis_params, is_shared, with_axis_value
from mdcore.sweep.measures import MEASURES

AT_ONCE = tuple(key for key, measure in MEASURES.items() if not measure.inside)  # no fits besides the sweep's own
Place = tuple[int, ...]

# Assumed costs until fits have been timed: of a fit on new data or a new kernel, and of a warm start.
COLD_COST, WARM_COST = 1.0, 0.2
REPEATED = "made"


@dataclass(frozen=True)
class Sweep:
    """A sweep over one or two axes, repeated on `repeats` samples (of a toy) or splits (of a given data set).

    The seeds count up from the experiment's own. `statistics` are keys of MEASURES; `threshold` is the t of P(margin <=
    t); `ratio` is the cost of a missed row of the second class relative to a false alarm.
    """

    experiment: Experiment
    axes: tuple[Axis, ...]
    statistics: tuple[str, ...] = AT_ONCE
    repeats: int = 1
    threshold: float = 0.0
    ratio: float = 1.0

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= 2 or len({axis.key for axis in self.axes}) < len(self.axes):
            raise ValueError(f"a sweep has one axis or two different ones; got {[axis.key for axis in self.axes]}.")
        known = axis_params(self.experiment)
        for axis in self.axes:
            if axis.key not in known:
                raise ValueError(f"cannot sweep {axis.key!r}; choose from: {', '.join(known)}.")
            for value in axis.values:
                known[axis.key].check(value, "sweep")
        unknown = [key for key in self.statistics if key not in MEASURES]
        if unknown:
            raise ValueError(f"unknown statistic {unknown[0]!r}; the statistics are {', '.join(MEASURES)}.")
        if not 0.0 < self.ratio < math.inf:
            raise ValueError(f"ratio must be in (0, ∞); got {self.ratio!r}.")
        if self.repeats < 1:
            raise ValueError(f"repeats must be an integer in [1, ∞); got {self.repeats!r}.")
        self._check_edits()

    def _check_edits(self) -> None:
        """Raise ValueError if points were edited by hand and the sweep draws new samples: edits refer to rows of one
        sample."""
        options = {option.name for option in self.experiment.data.record.options}
        new_sample = self.repeats > 1 and SEED.name in options
        new_data = [axis.key for axis in self.axes if axis.key in options]
        if self.experiment.data.edits and (new_sample or new_data):
            what = f"a sweep over {new_data[0]}" if new_data else "each repeat"
            raise ValueError(f"points were edited by hand, and {what} draws new points: reset the edits first.")

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def size(self) -> int:
        """Number of results."""
        return math.prod(self.shape) * self.repeats * len(self.experiment.methods)

    def preview(self, places: int) -> Sweep:
        """Return one repeat of the sweep with at most `places` places, spread over all axes."""
        most = math.floor(places ** (1 / len(self.axes)))
        return replace(self, axes=tuple(axis.thinned(most) for axis in self.axes), repeats=1)

    def values_at(self, place: Place) -> tuple[float, ...]:
        return tuple(axis.values[at] for axis, at in zip(self.axes, place, strict=True))

    def own_place(self, place: Place, method: str) -> Place:
        """Return the part of a place that affects a method."""
        return tuple(at for axis, at in zip(self.axes, place, strict=True) if affects(axis.key, method))

    def experiment_at(self, place: Place, repeat: int = 0) -> Experiment:
        """Return the experiment of one point, whose query opens the stage there."""
        experiment = self.experiment
        if repeat:
            experiment = with_axis_value(experiment, SEED.name, experiment.data.seed + repeat)
        for axis, value in zip(self.axes, self.values_at(place), strict=True):
            experiment = with_axis_value(experiment, axis.key, value)
        return experiment

    def path(self) -> Iterator[Place]:
        """Yield every place once, neighbours in succession; axes of the data or kernel move least often."""
        return chain.from_iterable(self.stretches())

    def stretches(self) -> Iterator[tuple[Place, ...]]:
        """Yield the parts of the path along which only the last axis of `order` moves."""
        *outer, inner = (range(self.shape[number]) for number in self.order)
        for turn, before in enumerate(product(*outer)):
            places = (dict(zip(self.order, (*before, last), strict=True)) for last in inner)
            stretch = [tuple(at[number] for number in range(len(self.order))) for at in places]
            yield tuple(stretch if turn % 2 == 0 else reversed(stretch))

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the axes, from the axis that moves least often to the axis that moves most often."""
        return tuple(sorted(range(len(self.axes)), key=lambda number: not is_shared(self.axes[number].key)))


def cost_sequence(sweep: Sweep) -> Iterator[tuple[Hashable, float]]:
    """Yield (kind, cost) for every result, in the order of `points`.

    Fits of a method have the same kind if the same axes moved since its last fit. A result that is only repeated,
    because the axis that moved does not affect the method, has kind REPEATED and cost 0.
    """
    axes = {
        method: [number for number, axis in enumerate(sweep.axes) if affects(axis.key, method)]
        for method in sweep.experiment.methods
    }
    outer = {number for number, axis in enumerate(sweep.axes) if is_shared(axis.key)} | set(sweep.order[:-1])
    for _ in range(sweep.repeats):
        last: dict[str, Place] = {}
        made: set[tuple[str, Place]] = set()
        for place in sweep.path():
            for method, numbers in axes.items():
                own = tuple(place[number] for number in numbers)
                if (method, own) in made:
                    yield REPEATED, 0.0
                    continue
                made.add((method, own))
                before = last.get(method)
                last[method] = own
                if before is None:
                    yield (method,), COLD_COST
                    continue
                moved = tuple(number for number, here, there in zip(numbers, own, before, strict=True) if here != there)
                yield (method, moved), COLD_COST if set(moved) & outer else WARM_COST
