"""The path over the points of a sweep: every fit is warm-started from its neighbour's, in the same KernelSpace.

A non-convex problem is solved from scratch, so that its result at a point does not depend on the path. Where the
solution path can be followed exactly, the fit starts from the path's solution and only has to certify it.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from mdcore.basics.threads import one_blas_thread
from mdcore.data import Prepared
from mdcore.experiment import Experiment
from mdcore.experiment.fits import fit_model, new_model
from mdcore.experiment.result_caches import caches_of
from mdcore.experiment.run import Fit, Run
from mdcore.margins.distribution import Margins
from mdcore.methods import METHODS
from mdcore.methods.base import MarginClassifier
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.one_versus_rest import part_of
from mdcore.solvers.arrays import Array
from mdcore.spaces.space import KernelSpace
from mdcore.sweep.exact import ExactStarts
from mdcore.sweep.measures import MEASURES
from mdcore.sweep.plan import Place, Sweep
from mdcore.sweep.table import PointResult, SweepTable

RunOrReason = Run | ValueError
T = TypeVar("T")


def points(sweep: Sweep) -> Iterator[PointResult]:
    """Yield the results as they are computed: one for each method at each point, one repeat after the other."""
    for repeat in range(sweep.repeats):
        yield from points_of(sweep, repeat, sweep.experiment.methods)


def points_of(
    sweep: Sweep, repeat: int, methods: Sequence[str], places: Iterable[Place] | None = None
) -> Iterator[PointResult]:
    """Yield the results of one repeat for the given methods, at the given places or else on the whole path."""

    def measure(outcome: RunOrReason) -> PointResult:
        return _measured(sweep, repeat, outcome)

    for place, method, result in _visit(sweep, repeat, methods, places or sweep.path(), measure):
        yield replace(result, place=place, method=method)


def walk(sweep: Sweep) -> Iterator[tuple[Place, str, RunOrReason]]:
    """Yield (place, method, run) of the first repeat; the run is a ValueError where the fit fails."""
    return _visit(sweep, 0, sweep.experiment.methods, sweep.path(), lambda outcome: outcome)


def run(sweep: Sweep, proceed: Callable[[int], bool] = lambda done: True) -> SweepTable:
    """Return the table; stop early when `proceed(number of results)`, called after every result, returns False."""
    results: list[PointResult] = []
    for result in points(sweep):
        results.append(result)
        if not proceed(len(results)):
            break
    return SweepTable(sweep, tuple(results))


def _visit(
    sweep: Sweep, repeat: int, methods: Sequence[str], places: Iterable[Place], make: Callable[[RunOrReason], T]
) -> Iterator[tuple[Place, str, T]]:
    """Yield `make(run)` for every place and method.

    Each distinct run is made once: when LDM's lambda1 moves, SVM has one run.
    """
    fitter = _Fitter(sweep)
    made: dict[tuple[str, Place], T] = {}
    for place in places:
        experiment = sweep.experiment_at(place, repeat)
        for method in methods:
            key = method, sweep.own_place(place, method)
            if key not in made:
                made[key] = make(fitter.run(experiment, method))
            yield place, method, made[key]


def _measured(sweep: Sweep, repeat: int, outcome: RunOrReason) -> PointResult:
    if isinstance(outcome, ValueError):
        return PointResult(repeat, problem=str(outcome))
    fit, prepared = outcome.fit, outcome.prepared
    norm, objective = outcome.model.norm_, outcome.model.objective_
    return PointResult(
        repeat,
        {key: MEASURES[key].of(outcome, sweep.threshold, sweep.ratio) for key in sweep.statistics},
        {"objective": objective}  # the sum over the one-versus-rest problems, each with its own margins
        if outcome.one_versus_rest
        else outcome.method.split_objective(fit.train, norm, outcome.params, objective),
        np.concatenate([prepared.train, prepared.test]),
        np.concatenate([fit.train, fit.test]) > 0.0,
        bool(outcome.model.converged_),
        float(outcome.model.gap_),
        outcome.landmarks,
        outcome.exact_gap[0] if outcome.landmarks else np.nan,
    )


class _Fitter:
    """Fits the models along the path, one model for each method, each warm-started from its last fit."""

    def __init__(self, sweep: Sweep) -> None:
        self.models: dict[str, Any] = {}
        self.shared: _SharedData | None = None
        self.starts = ExactStarts(sweep.axes)

    def run(self, experiment: Experiment, method: str) -> RunOrReason:
        chosen = experiment.settings(method)
        try:
            shared = self._shared_data(experiment)
            if method not in self.models:
                self.models[method] = new_model(experiment, method, warm_start=METHODS[method].convex)
            model = self.models[method]
            begun = time.perf_counter()
            space = shared.space_for(method)
            self.starts.prepare(experiment, method, model, space, shared.prepared.y_train)
            part_of(model).set_params(**chosen)
            fit_model(model, METHODS[method], space, shared.prepared)
            seconds = time.perf_counter() - begun
        except ValueError as error:
            return error
        fit = Fit(copy.copy(model), space, *shared.margins(model, space), seconds)
        return Run(METHODS[method], chosen, fit, shared.prepared, experiment.scale)

    def _shared_data(self, experiment: Experiment) -> _SharedData:
        if self.shared is None or not self.shared.serves(experiment):
            self.shared = _SharedData(experiment)
        return self.shared


@dataclass
class _SharedData:
    """Data, kernel matrices and test kernel shared by all points with the same data and kernel."""

    experiment: Experiment
    _cached_cross: tuple[KernelSpace, Array] | None = None

    def serves(self, other: Experiment) -> bool:
        return (other.data, other.kernel) == (self.experiment.data, self.experiment.kernel)

    @cached_property
    def prepared(self) -> Prepared:
        return self.experiment.prepare()

    def space_for(self, method: str) -> KernelSpace:
        return self.experiment.space_for(method)

    def _cross(self, space: KernelSpace) -> Array:
        if self._cached_cross is None or self._cached_cross[0] is not space:
            self._cached_cross = space, space.cross(self.prepared.X_test)
        return self._cached_cross[1]

    def margins(self, model: MarginClassifier, space: KernelSpace) -> tuple[Margins, Margins]:
        """Return the training and test margins of a fit. The kernel of the test rows is computed once for all fits."""
        prepared = self.prepared
        train = model.margins_of_fit(prepared.X_train, prepared.y_train)
        if not len(prepared.y_test):
            return train, Margins.none()
        expansion = space.expansion
        if isinstance(model, KernelMachine) and not model.is_linear and model.uses(expansion):
            with one_blas_thread(len(expansion)):
                return train, model.measure(model.decide(self._cross(expansion)), prepared.y_test)
        return train, model.both_margins(prepared.X_test, prepared.y_test)


def points_once(sweep: Sweep) -> Iterator[PointResult]:
    """Yield what `points` yields, at once if the sweep has been computed before.

    Sweeps over a user's own table are not kept, nor are those with a problem, which may have been a lack of memory.
    """
    if sweep.experiment.data.own is not None:
        yield from points(sweep)
        return
    completed = caches_of(None).sweeps
    results = completed.peek(sweep)
    if results is None:
        computed = []
        for result in points(sweep):
            computed.append(result)
            yield result
        if not any(result.problem for result in computed):
            completed.put(sweep, tuple(computed))
    else:
        yield from results
