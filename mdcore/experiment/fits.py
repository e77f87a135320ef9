"""The fits of an experiment's methods, computed once and cached."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mdcore.data import Prepared
from mdcore.experiment.result_caches import caches_of
from mdcore.experiment.run import Fit
from mdcore.experiment.shared_spaces import GRAM_ROWS, landmark_kernel
from mdcore.margins.distribution import Margins
from mdcore.methods import METHODS
from mdcore.methods.base import MarginClassifier
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.one_versus_rest import is_one_versus_rest, new_estimator, part_of
from mdcore.methods.online.base import OnlineLearner
from mdcore.methods.online.pumma import PUMMA
from mdcore.methods.online.trace import Trace
from mdcore.solvers.budget import time_budget
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Method

if TYPE_CHECKING:
    from mdcore.experiment.experiment import Experiment

PREVIEW_TOL = 2e-4  # relative gap of a preview; a larger error would be told as the effect of a slider


def fit_of(experiment: Experiment, method: str, budget: float) -> Fit:
    """Return the fit of a method; one that was cut short is repeated only with a larger budget."""
    caches = caches_of(experiment.data.own)
    # Few are kept of large samples, because each fit holds a reference to its space.
    large = experiment.sample is None and experiment.training_rows > GRAM_ROWS
    step = experiment.step if _has_stream(experiment, method) else math.inf
    return (caches.large_fits if large else caches.fits).get(
        (*_fit_key(experiment, method), step),
        lambda: _fit(experiment, method, budget, step),
        accept=lambda fit: not fit.cut or fit.budget >= budget,
    )


def trace_of(experiment: Experiment, method: str, budget: float) -> Trace:
    """Return the complete trace of an online learner."""
    key = *_fit_key(experiment, method), budget
    return caches_of(experiment.data.own).traces.get(key, lambda: _trace(experiment, method, budget))


def new_model(experiment: Experiment, method: str, **options: Any) -> MarginClassifier:
    """Return the estimator of a method with the experiment's parameters, and those of the `options` that it has."""
    settings = experiment.settings(method) | {"fit_intercept": experiment.kernel.bias, "kernel": experiment.kernel.name}
    return new_estimator(METHODS[method], experiment.classes, experiment.several, settings | options)


def fit_model(model: MarginClassifier, record: Method, space: KernelSpace, prepared: Prepared) -> MarginClassifier:
    if record.kernels:
        assert isinstance(model, KernelMachine | BinaryModels)
        return model.fit_space(space, prepared.y_train)
    return model.fit(prepared.X_train, prepared.y_train)


def _has_stream(experiment: Experiment, method: str) -> bool:
    """Return whether the method is a single online learner; one learner per class would have no common stream."""
    record = METHODS[method]
    return record.family == "online" and not is_one_versus_rest(record, experiment.classes, experiment.several)


def _fit_key(experiment: Experiment, method: str) -> tuple[Any, ...]:
    within, kernel = experiment.within(method), experiment.kernel
    landmarks = None if experiment.sample is None else landmark_kernel(experiment, within.landmarks)
    settings = tuple(experiment.settings(method).items())
    return experiment.data_key, experiment.sample, kernel, within, landmarks, experiment.several, method, settings


def _fit(experiment: Experiment, method: str, budget: float, step: float) -> Fit:
    record, prepared, space = METHODS[method], experiment.prepare(), experiment.space_for(method)
    started = time.perf_counter()
    traced = min(step, budget) < math.inf and _has_stream(experiment, method)
    trace = experiment.trace(method, budget) if traced else None
    if trace is None:
        with time_budget(budget) as spent:
            model = new_model(experiment, method) if experiment.sample is None else _preview_model(experiment, method)
            fit_model(model, record, space, prepared)
        if experiment.sample is not None:
            caches_of(experiment.data.own).previews.put(_preview_key(experiment, method), model)
        cut, mid_stream = spent.exceeded and not model.converged_, False
    else:
        model = trace.model(step)
        cut, mid_stream = trace.cut and step >= trace.end, step < trace.end
    seconds = time.perf_counter() - started
    train = model.margins_of_fit(prepared.X_train, prepared.y_train)
    test = model.both_margins(prepared.X_test, prepared.y_test) if len(prepared.y_test) else Margins.none()
    if not (np.isfinite(train.functional).all() and np.isfinite(test.functional).all()):
        raise ValueError(
            f"{record.name}: the margins overflow because the parameters are too large. Reduce the parameters."
        )
    return Fit(model, space, train, test, seconds, cut, mid_stream, budget)


def _preview_model(experiment: Experiment, method: str) -> MarginClassifier:
    """Return the model to fit for a preview: a copy of the previous preview's model, if any, to continue from it."""
    record = METHODS[method]
    tol = max(PREVIEW_TOL, record.estimator().get_params().get("tol", 0.0))  # no stricter than with all rows
    model = new_model(experiment, method, tol=tol, warm_start=record.convex)
    before: MarginClassifier | None = caches_of(experiment.data.own).previews.peek(_preview_key(experiment, method))
    if before is None or part_of(model) is not model:
        return model
    return copy.copy(before).set_params(**experiment.settings(method))


def _preview_key(experiment: Experiment, method: str) -> tuple[Any, ...]:
    kernel = replace(experiment.kernel, gamma=1.0)  # a preview with another gamma continues too
    return experiment.data_key, experiment.sample, kernel, experiment.within(method), experiment.several, method


def _trace(experiment: Experiment, method: str, budget: float) -> Trace:
    model, prepared = new_model(experiment, method), experiment.prepare()
    with time_budget(budget):
        if isinstance(model, PUMMA):
            return model.trace_space(experiment.space(), prepared.y_train)
        assert isinstance(model, OnlineLearner)
        return model.trace(prepared.X_train, prepared.y_train)
