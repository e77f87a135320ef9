"""The estimator of a method with its settings, and its fit to prepared rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.kernels import Kernel, resolve_gamma
from mdcore.landmarks import LandmarkSpace
from mdcore.methods.one_versus_rest import new_estimator
from mdcore.space import KernelSpace
from mdcore.study.plan import Candidate, Plan
from mdcore.study.prepared_rows import PreparedRows, thinned

Array = NDArray[np.float64]


def fitter(plan: Plan, candidate: Candidate, prepared: PreparedRows, width: float) -> Callable[[dict[str, Any]], Any]:
    """Return a function that fits given parameters. The fits of a kernel method share the kernel matrix."""
    method = candidate.method
    settings = kernel_settings(plan, candidate, prepared.X_fit, width)
    if not method.kernels:
        return lambda params: fitted_model(plan, candidate, prepared, params | settings)
    X, kernel = prepared.X_fit, kernel_of(plan, prepared.X_fit, width)
    landmarks = plan.landmarks_of(candidate, len(X))
    space = LandmarkSpace(X, kernel, landmarks) if landmarks else KernelSpace(X, kernel)
    return lambda params: estimator(plan, candidate, prepared, params | settings).fit_space(space, prepared.y_fit)


def estimator(plan: Plan, candidate: Candidate, prepared: PreparedRows, settings: dict[str, Any]) -> Any:
    return new_estimator(candidate.method, len(np.unique(prepared.y_fit)), plan.several, settings)


def fitted_model(plan: Plan, candidate: Candidate, prepared: PreparedRows, settings: dict[str, Any]) -> Any:
    return estimator(plan, candidate, prepared, settings).fit(prepared.X_fit, prepared.y_fit)


def kernel_of(plan: Plan, X_fit: Array, width: float) -> Kernel:
    key = plan.kernel
    return key.kernel(1.0 if key.name == "linear" else resolve_gamma(key.gamma, thinned(X_fit)) * width)


def kernel_settings(plan: Plan, candidate: Candidate, X_fit: Array, width: float) -> dict[str, Any]:
    """Return kernel, landmarks and class weights as parameters, restricted to those that the estimator has."""
    settings: dict[str, Any] = {"fit_intercept": plan.kernel.bias}
    if candidate.method.kernels:
        kernel = kernel_of(plan, X_fit, width)
        settings |= {"kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    landmarks = plan.landmarks_of(candidate, len(X_fit))
    if landmarks:
        settings["landmarks"] = landmarks
    if plan.balanced:
        settings["class_weight"] = "balanced"
    known = candidate.method.estimator().get_params()
    return {name: value for name, value in settings.items() if name in known}
