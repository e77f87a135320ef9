"""The estimator of a method with its settings, and its fit to prepared rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mdcore.methods.base import MarginClassifier
from mdcore.methods.one_versus_rest import OWN, new_estimator, part_of
from mdcore.solvers.arrays import Array
from mdcore.spaces.kernels import Kernel, resolve_gamma
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.study.folds import Fold, PreparedRows, thinned
from mdcore.study.plan import Candidate, Plan
from mdcore.study.search import LINEAR, WAY, Option

INNER_TOL = 1e-4  # relative duality gap of fits that only serve a choice
INNER_TIMES = 3.0  # factor of their tolerance where there is no gap


def inner_fitter(plan: Plan, candidate: Candidate, fold: Fold, first: Option) -> Callable[[Option], tuple[Array, Any]]:
    """Return a function that fits options with the kernel and the treatment of classes of the `first` to a fold, and
    returns f of the held-out rows and the classes.

    Fits of a convex problem start from the solution of the one before. Their tolerance is looser than that of a final
    fit, far below what changes a choice.
    """
    method, prepared = candidate.method, fold.prepared
    rows = len(prepared.X_fit)
    settings = kernel_settings(plan, candidate, prepared.X_fit, first.width)
    model = estimator(plan, candidate, prepared, first.settings(rows) | settings, first.several)
    part = part_of(model)
    if "tol" in method.known:
        part.tol = max(part.tol, INNER_TOL) if method.certificate == "gap" else INNER_TIMES * part.tol
    if method.convex and "warm_start" in method.known:
        part.set_params(warm_start=True)
    part.set_params(**part.for_choice)
    fit, decide = _ways_to_fit(plan, candidate, fold, first.width)

    def fit_one(option: Option) -> tuple[Array, Any]:
        for name, value in option.settings(rows).items():
            setattr(part, name, value)
        fit(model)
        return decide(model), model.classes_

    return fit_one


def _ways_to_fit(
    plan: Plan, candidate: Candidate, fold: Fold, width: float | None
) -> tuple[Callable[[Any], Any], Callable[[Any], Array]]:
    """Return how to fit a model to a fold, and how to decide on the held-out rows."""
    X, y, new = fold.prepared.X_fit, fold.prepared.y_fit, fold.prepared.X_new
    if not candidate.method.kernels:
        return lambda model: model.fit(X, y), lambda model: model.decision_function(new)
    kernel = kernel_of(plan, X, width)
    landmarks = plan.landmarks_of(candidate, len(X)) if kernel.name != "linear" else 0
    if landmarks:
        space = LandmarkSpace(X, kernel, landmarks)
        return lambda model: model.fit_space(space, y), lambda model: model.decision_function(new)
    kernel = replace(kernel, bias=kernel.bias and candidate.method.bias == "feature")
    exact = fold.space(kernel)
    return lambda model: model.fit_space(exact, y), lambda model: fold.decisions(model, kernel)


def estimator(
    plan: Plan, candidate: Candidate, prepared: PreparedRows, settings: Mapping[str, Any], several: str = ""
) -> MarginClassifier:
    method, classes = candidate.method, len(np.unique(prepared.y_fit))
    return new_estimator(method, classes, plan.way(method, classes, several), settings)


def fitted_model(
    plan: Plan, candidate: Candidate, prepared: PreparedRows, settings: Mapping[str, Any]
) -> MarginClassifier:
    model = estimator(plan, candidate, prepared, settings, settings.get(WAY, ""))
    return model.fit(prepared.X_fit, prepared.y_fit)


def settings_of(plan: Plan, candidate: Candidate, prepared: PreparedRows, option: Option) -> dict[str, Any]:
    """Return all settings for the fit of an option to prepared rows, with which `fitted_model` makes it again."""
    rows = len(prepared.X_fit)
    settings = option.settings(rows) | kernel_settings(plan, candidate, prepared.X_fit, option.width)
    return settings if option.several == OWN else settings | {WAY: option.several}


def kernel_of(plan: Plan, X_fit: Array, width: float | None) -> Kernel:
    key = plan.kernel
    if key.name == "linear" or width is LINEAR:
        return replace(key.kernel(1.0), name="linear")
    return key.kernel(resolve_gamma(key.gamma, thinned(X_fit)) * width)


def kernel_settings(plan: Plan, candidate: Candidate, X_fit: Array, width: float | None) -> dict[str, Any]:
    """Return kernel, landmarks and class weights as parameters, restricted to those that the estimator has."""
    settings: dict[str, Any] = {"fit_intercept": plan.kernel.bias}
    if candidate.method.kernels:
        kernel = kernel_of(plan, X_fit, width)
        settings |= {"kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    landmarks = plan.landmarks_of(candidate, len(X_fit))
    if landmarks and width is not LINEAR:
        settings["landmarks"] = landmarks
    if plan.balanced:
        settings["class_weight"] = "balanced"
    return {name: value for name, value in settings.items() if name in candidate.method.known}
