"""The walk over the points of a sweep: every fit starts from its neighbour's, in the same KernelSpace."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data import Prepared
from mdcore.experiment import Experiment, fit_model, new_model
from mdcore.margin import MarginDistribution, rescale
from mdcore.methods import METHODS
from mdcore.methods.base import KernelMachine, one_blas_thread
from mdcore.space import KernelSpace
from mdcore.sweep.measures import MEASURES, Fitted
from mdcore.sweep.plan import Place, Sweep
from mdcore.sweep.table import Result, Table

Array = NDArray[np.float64]


def points(sweep: Sweep) -> Iterator[Result]:
    """The results as they come: one for each method at each point, the repeats one after the other."""
    for repeat in range(sweep.repeats):
        walker = _Walker(sweep, repeat)
        for place in sweep.path():
            yield from walker.visit(place)


def run(sweep: Sweep, proceed: Callable[[int], bool] = lambda done: True) -> Table:
    """The whole table, or what there was when `proceed`, asked after every result with their number, said no."""
    results: list[Result] = []
    for result in points(sweep):
        results.append(result)
        if not proceed(len(results)):
            break
    return Table(sweep, tuple(results))


@dataclass
class _Walker:
    """One repeat: a model per method, fitted again and again, and what has been measured.

    A method that a moved parameter does not concern is looked up instead of being fitted again.
    """

    sweep: Sweep
    repeat: int
    models: dict[str, Any] = field(default_factory=dict)
    measured: dict[Any, Result] = field(default_factory=dict)
    ground: _Ground | None = None

    def visit(self, place: Place) -> Iterator[Result]:
        experiment = self.sweep.experiment_at(place, self.repeat)
        for method in experiment.methods:
            key = (experiment.data, experiment.kernel, method, tuple(experiment.settings(method).items()))
            if key not in self.measured:
                self.measured[key] = self._measure(experiment, method, place)
            yield self.measured[key].at(place)

    def _measure(self, experiment: Experiment, method: str, place: Place) -> Result:
        try:
            ground = self._ground(experiment)
            model = self._model(experiment, method)
            begun = time.perf_counter()
            fit_model(model, METHODS[method], ground.space, ground.prepared)
            seconds = time.perf_counter() - begun
        except ValueError as error:
            return Result(place, self.repeat, method, problem=str(error))
        train, test = ground.margins(model)
        scale, norm = experiment.scale, model.norm_
        fitted = Fitted(
            METHODS[method],
            experiment.settings(method),
            model,
            ground.space,
            MarginDistribution(train),
            MarginDistribution(rescale(train, norm, scale), scale),
            MarginDistribution(rescale(test, norm, scale), scale),
            seconds,
            self.sweep.threshold,
        )
        return Result(
            place,
            self.repeat,
            method,
            {key: MEASURES[key].of(fitted) for key in self.sweep.statistics},
            fitted.terms(),
            ground.rows,
            np.concatenate([train, test]) > 0.0,
            bool(model.converged_),
        )

    def _ground(self, experiment: Experiment) -> _Ground:
        if self.ground is None or not self.ground.carries(experiment):
            self.ground = _Ground(experiment)
        return self.ground

    def _model(self, experiment: Experiment, method: str) -> Any:
        if method not in self.models:
            self.models[method] = new_model(experiment, method, warm_start=True)
        return self.models[method].set_params(**experiment.settings(method))


@dataclass
class _Ground:
    """What all points on the same data and kernel share."""

    experiment: Experiment

    def carries(self, other: Experiment) -> bool:
        return (other.data, other.kernel) == (self.experiment.data, self.experiment.kernel)

    @cached_property
    def prepared(self) -> Prepared:
        return self.experiment.prepare()

    @cached_property
    def space(self) -> KernelSpace:
        return self.experiment.space()

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Numbers of the training rows, then of the test rows."""
        return np.concatenate([self.prepared.train, self.prepared.test])

    @cached_property
    def _cross(self) -> Array:
        return self.space.cross(self.prepared.X_test)

    def margins(self, model: Any) -> tuple[Array, Array]:
        """Functional margins of both parts. The kernel of the test rows is computed once, not once for each fit."""
        prepared = self.prepared
        if not isinstance(model, KernelMachine) or hasattr(model, "coef_") or model.dual_coef_.ndim > 1:
            parts = ((prepared.X_train, prepared.y_train), (prepared.X_test, prepared.y_test))
            train, test = (model.margins(X, y) if len(y) else np.empty(0) for X, y in parts)
            return train, test
        positive = model.classes_[1]
        with one_blas_thread(len(self.space)):
            f_train, f_test = self.space.gram @ model.dual_coef_, self._cross @ model.dual_coef_
        return (
            np.where(prepared.y_train == positive, f_train, -f_train),
            np.where(prepared.y_test == positive, f_test, -f_test),
        )
