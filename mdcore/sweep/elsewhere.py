"""A sweep whose repeats and methods are computed on a cluster, each along a path of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import joblib

from mdcore.cluster import shared_out
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.methods.tiny import fit_tiny
from mdcore.sweep.plan import Sweep
from mdcore.sweep.table import PointResult
from mdcore.sweep.walk import points_of


def points_on(address: str, sweep: Sweep) -> Iterator[PointResult]:
    """Yield as `points`, one repeat of one method after the other, in the order in which they come back."""
    tasks = list(product(range(sweep.repeats), sweep.experiment.methods))
    for _, results in shared_out(address, Paths(sweep, fingerprint(sweep.experiment)), tasks):
        yield from results


def fingerprint(experiment: Experiment) -> str:
    """Return the same for the same rows in the same parts."""
    prepared = experiment.prepare()
    return str(joblib.hash((prepared.X_train, prepared.y_train, prepared.X_test, prepared.y_test)))


@dataclass(frozen=True, eq=False)
class Paths:
    """What a worker needs: the sweep, and by what to know that it has the same data."""

    sweep: Sweep
    expected: str

    def __call__(self, task: tuple[int, str]) -> tuple[PointResult, ...]:
        repeat, method = task
        return tuple(points_of(self.sweep, repeat, (method,)))

    def warm_up(self) -> None:
        if fingerprint(self.sweep.experiment) != self.expected:
            source = self.sweep.experiment.data.source
            raise ValueError(f"A worker has other data under the name {source}. Give all machines the same files.")
        experiment = self.sweep.experiment
        fit_tiny((METHODS[key] for key in experiment.methods), experiment.kernel.name)
