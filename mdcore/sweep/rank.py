"""Points where two statistics rank the methods differently: a larger mean margin need not mean a better test
accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mdcore.methods import METHODS
from mdcore.sweep.measures import MEASURES
from mdcore.sweep.plan import Place, Sweep
from mdcore.sweep.table import SweepTable

CRITERIA = ("train.mean", "train.min", "test.accuracy")
NEEDS_RULER = ("train.mean", "train.min")  # criteria that compare the sizes of margins
TIE = -1
EQUAL = 1e-9  # relative difference below which values count as tied


@dataclass(frozen=True)
class Disagreement:
    """At `place`, `winner` is better than `loser` by the statistic `first` and worse by `second`."""

    place: Place
    winner: str
    loser: str
    first: str
    second: str


def criteria_of(table: SweepTable) -> list[str]:
    """Return the criteria that can rank the methods of a sweep: those with values, and sizes of margins only if all
    methods measure them with one ruler."""
    first = table.methods[0]
    known = [key for key in CRITERIA if not (table.values(first, key) != table.values(first, key)).all()]
    return known if has_one_ruler(table.sweep) else [key for key in known if key not in NEEDS_RULER]


def has_one_ruler(sweep: Sweep) -> bool:
    """Return whether all methods of a sweep measure margins as distances in the same space, at every point."""
    experiment = sweep.experiment
    several = len(experiment.prepare().dataset.classes) > 2
    records = [METHODS[key] for key in experiment.methods]
    spaces = {experiment.kernel.name if record.kernels else "linear" for record in records}
    norms = {experiment.settings(record.key).get("p", 2.0) for record in records}
    swept = any(axis.key.endswith(".p") for axis in sweep.axes)
    distances = experiment.scale == "geometric" and not (several and any(record.voting for record in records))
    return distances and len(spaces) == len(norms) == 1 and not swept


def ranks(table: SweepTable, statistic: str) -> dict[str, NDArray[np.float64]]:
    """Return each method's rank at every point: 1 is best, tied methods share the better rank, nan means no value."""
    medians = _oriented(table, statistic)
    return {
        method: np.where(np.isnan(own), np.nan, 1.0 + sum(_better(other, own) for other in medians.values()))
        for method, own in medians.items()
    }


def winners(table: SweepTable, statistic: str) -> NDArray[np.float64]:
    """Return the index of the best method at every point: TIE if there is none, nan if any method has no value.

    The best method has a better median than every other, outside the other's band over the repeats.
    """
    medians = _oriented(table, statistic)
    missing = np.any([np.isnan(own) for own in medians.values()], axis=0)
    best = np.where(missing, np.nan, float(TIE))
    for number, method in enumerate(table.methods):
        ahead = ~missing
        for other in table.methods:
            if other != method:
                low, _, high = table.band(other, statistic)
                own = table.band(method, statistic)[1]
                outside = (own < low) | (own > high)
                ahead &= _better(medians[method], medians[other]) & outside
        best[ahead] = number
    return best


def disagreements(table: SweepTable, criteria: Sequence[str] = CRITERIA) -> list[Disagreement]:
    """Return every pair of methods that two criteria rank in opposite order, point by point, by the medians over
    repeats."""
    oriented = {criterion: _oriented(table, criterion) for criterion in criteria}
    found = []
    for first, second in combinations(criteria, 2):
        for a, b in combinations(table.methods, 2):
            for winner, loser in ((a, b), (b, a)):
                ahead = _better(oriented[first][winner], oriented[first][loser])
                behind = _better(oriented[second][loser], oriented[second][winner])
                places = np.argwhere(ahead & behind)
                found += [Disagreement(tuple(place), winner, loser, first, second) for place in places.tolist()]
    return sorted(found, key=lambda item: item.place)


def _oriented(table: SweepTable, statistic: str) -> dict[str, NDArray[np.float64]]:
    """Return the medians over the repeats, with the sign chosen so that larger is better."""
    better = MEASURES[statistic].better
    if better == "neither":
        raise ValueError(f"{statistic}: neither larger nor smaller values are better, so it gives no ranking.")
    sign = 1.0 if better == "higher" else -1.0
    return {method: sign * table.band(method, statistic)[1] for method in table.methods}


def _better(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(one - other > EQUAL * np.maximum(np.abs(one), np.abs(other)))
