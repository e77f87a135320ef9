"""Preparation of rows for a method, and the method's estimator with its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from mdcore.data import feature_names
from mdcore.data.splitting import Rows
from mdcore.kernels import Kernel, resolve_gamma
from mdcore.landmarks import LandmarkSpace
from mdcore.methods.one_versus_rest import new_estimator
from mdcore.space import KernelSpace
from mdcore.study.data import Data
from mdcore.study.plan import Candidate, Plan

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """Prepared rows: `fit` to fit on, `new` to evaluate on. The preparation is fitted on the former only."""

    X_fit: Array
    y_fit: NDArray[Any]
    X_new: Array
    y_new: NDArray[Any]


def split_part(data: Data, plan: Plan, candidate: Candidate, number: int) -> tuple[Part, Rows, Rows, tuple[str, ...]]:
    """Return the prepared rows of one split, the indices of its training and test rows, and the names of the prepared
    columns."""
    rows, test = plan.parts(candidate.method, data.y, number, data.along)
    part, features = prepared(data, plan, candidate, rows, test)
    return part, rows, test, features


def prepared(
    data: Data, plan: Plan, candidate: Candidate, fit_rows: Rows, new_rows: Rows
) -> tuple[Part, tuple[str, ...]]:
    """Return the prepared rows, and the names of their columns."""
    preparation = clone(data.preparation)
    X_fit = dense(preparation.fit_transform(data.rows(fit_rows), data.y[fit_rows]))
    X_new = dense(preparation.transform(data.rows(new_rows)))
    if candidate.method.kernels or plan.nystroem == 0:
        return Part(X_fit, data.y[fit_rows], X_new, data.y[new_rows]), _names(
            preparation, data.features, X_fit.shape[1]
        )
    features = _nystroem(plan, X_fit)
    part = Part(features.fit_transform(X_fit), data.y[fit_rows], features.transform(X_new), data.y[new_rows])
    return part, tuple(f"Nystroem {i + 1}" for i in range(part.X_fit.shape[1]))


def fitter(plan: Plan, candidate: Candidate, part: Part, width: float) -> Callable[[dict[str, Any]], Any]:
    """Return a function that fits given parameters. The fits of a kernel method share the kernel matrix of the part."""
    method = candidate.method
    settings = kernel_settings(plan, candidate, part.X_fit, width)
    if not method.kernels:
        return lambda params: fitted_model(plan, candidate, part, params | settings)
    kernel, through_landmarks = kernel_of(plan, part.X_fit, width), plan.uses_landmarks(method, len(part.y_fit))
    space = LandmarkSpace(part.X_fit, kernel, plan.landmarks) if through_landmarks else KernelSpace(part.X_fit, kernel)
    return lambda params: estimator(plan, candidate, part, params | settings).fit_space(space, part.y_fit)


def estimator(plan: Plan, candidate: Candidate, part: Part, settings: dict[str, Any]) -> Any:
    return new_estimator(candidate.method, len(np.unique(part.y_fit)), plan.several, settings)


def fitted_model(plan: Plan, candidate: Candidate, part: Part, settings: dict[str, Any]) -> Any:
    return estimator(plan, candidate, part, settings).fit(part.X_fit, part.y_fit)


def kernel_of(plan: Plan, X_fit: Array, width: float) -> Kernel:
    key = plan.kernel
    return key.kernel(1.0 if key.name == "linear" else resolve_gamma(key.gamma, _thinned(plan, X_fit)) * width)


def _thinned(plan: Plan, X_fit: Array) -> Array:
    """Return a sample of rows that suffices to resolve γ: 'distance' needs all pairs."""
    return X_fit[:: max(1, len(X_fit) // plan.kernel_rows)]


def kernel_settings(plan: Plan, candidate: Candidate, X_fit: Array, width: float) -> dict[str, Any]:
    """Return kernel, landmarks and class weights as parameters, restricted to those that the estimator has."""
    settings: dict[str, Any] = {"fit_intercept": plan.kernel.bias}
    if candidate.method.kernels:
        kernel = kernel_of(plan, X_fit, width)
        settings |= {"kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    if plan.uses_landmarks(candidate.method, len(X_fit)):
        settings["landmarks"] = min(plan.landmarks, len(X_fit))
    if plan.balanced:
        settings["class_weight"] = "balanced"
    known = candidate.method.estimator().get_params()
    return {name: value for name, value in settings.items() if name in known}


def _nystroem(plan: Plan, X_fit: Array) -> Any:
    from sklearn.kernel_approximation import Nystroem

    key = plan.kernel
    if key.name == "linear":
        raise ValueError(
            "A Nystroem map approximates a nonlinear kernel: choose rbf, poly or laplacian, or 0 features."
        )
    gamma = resolve_gamma(key.gamma, _thinned(plan, X_fit))
    extra = {"degree": key.degree, "coef0": key.coef0} if key.name == "poly" else {}
    size = min(plan.nystroem, len(X_fit))
    return Nystroem(kernel=key.name, gamma=gamma, n_components=size, random_state=plan.seed, **extra)


def dense(X: Any) -> Array:
    return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)


def _names(preparation: Any, features: tuple[str, ...], columns: int) -> tuple[str, ...]:
    if "columns" in getattr(preparation, "named_steps", {}):
        return feature_names(preparation)
    try:
        names = tuple(map(str, preparation.get_feature_names_out(features or None)))
    except (AttributeError, ValueError):  # a user's transformer may not provide names
        names = ()
    return names if len(names) == columns else tuple(f"column {i + 1}" for i in range(columns))
