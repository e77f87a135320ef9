"""A sweep on a cluster: each task is one repeat of one method; with two axes, one stretch of its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import joblib

from mdcore.cluster import run_tasks
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.methods.tiny import fit_tiny
from mdcore.sweep.axis import affects
from mdcore.sweep.plan import Place, Sweep
from mdcore.sweep.table import PointResult
from mdcore.sweep.walk import points_of

Task = tuple[int, str, tuple[Place, ...]]


def points_on(address: str, sweep: Sweep) -> Iterator[PointResult]:
    """Yield the results of `points`, task after task, in the order in which the tasks finish."""
    for _, results in run_tasks(address, Paths(sweep, fingerprint(sweep.experiment)), tasks_of(sweep)):
        yield from results


def tasks_of(sweep: Sweep) -> list[Task]:
    """Return (repeat, method, places) of each task: one stretch, or the whole path if the outer axis does not affect
    the method."""
    outer = sweep.axes[sweep.order[0]].key
    whole, stretches = (tuple(sweep.path()),), tuple(sweep.stretches())
    return [
        (repeat, method, places)
        for repeat, method in product(range(sweep.repeats), sweep.experiment.methods)
        for places in (stretches if affects(outer, method) else whole)
    ]


def fingerprint(experiment: Experiment) -> str:
    """Return a hash of the training and test rows."""
    prepared = experiment.prepare()
    return str(joblib.hash((prepared.X_train, prepared.y_train, prepared.X_test, prepared.y_test)))


@dataclass(frozen=True, eq=False)
class Paths:
    """The results of a path as a function of its task, with the sweep and the fingerprint `expected` of its data."""

    sweep: Sweep
    expected: str

    @cached_property
    def checked(self) -> Sweep:
        """The sweep, once a worker has the same data and has compiled the code of its methods."""
        experiment = self.sweep.experiment
        if fingerprint(experiment) != self.expected:
            source = experiment.data.source
            raise ValueError(f"A worker has other data under the name {source}. All machines need the same files.")
        fit_tiny((METHODS[key] for key in experiment.methods), experiment.kernel.name)
        return self.sweep

    def __call__(self, task: Task) -> tuple[PointResult, ...]:
        repeat, method, places = task
        return tuple(points_of(self.checked, repeat, (method,), places))
