"""The rows of a split, prepared for a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from mdcore.data import feature_names
from mdcore.data.splitting import GROUPS, Rows
from mdcore.data.tables.pipeline import fit_transform
from mdcore.spaces.kernels import resolve_gamma
from mdcore.study.data import Data
from mdcore.study.plan import Candidate, Plan

Array = NDArray[np.float64]

GAMMA_ROWS = 2000  # rows from which γ is resolved


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Rows to fit on and new rows to evaluate on, with the names of their columns.

    The preparation is fitted on the former only.
    """

    fit: Rows
    X_fit: Array
    y_fit: NDArray[Any]
    new: Rows
    X_new: Array
    y_new: NDArray[Any]
    features: tuple[str, ...]


def prepare_split(data: Data, plan: Plan, candidate: Candidate, number: int) -> PreparedRows:
    return prepare_rows(data, plan, candidate, *plan.parts(candidate, data.y, number, data.along))


def prepare_rows(data: Data, plan: Plan, candidate: Candidate, fit: Rows, new: Rows) -> PreparedRows:
    preparation = clone(data.preparation)
    groups = data.along_of(fit) if plan.kind == GROUPS else None
    X_fit = dense(fit_transform(preparation, data.rows(fit), data.y[fit], groups))
    X_new = dense(preparation.transform(data.rows(new)))
    if candidate.method.kernels or plan.nystroem == 0:
        features = _names(preparation, data.features, X_fit.shape[1])
    else:
        nystroem = _nystroem(plan, X_fit)
        X_fit, X_new = nystroem.fit_transform(X_fit), nystroem.transform(X_new)
        features = tuple(f"Nystroem {i + 1}" for i in range(X_fit.shape[1]))
    return PreparedRows(fit, X_fit, data.y[fit], new, X_new, data.y[new], features)


def thinned(X_fit: Array) -> Array:
    """Return a sample of rows that suffices to resolve γ: 'distance' needs all pairs."""
    return X_fit[:: max(1, len(X_fit) // GAMMA_ROWS)]


def dense(X: Any) -> Array:
    return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)


def _nystroem(plan: Plan, X_fit: Array) -> Any:
    from sklearn.kernel_approximation import Nystroem

    key = plan.kernel
    if key.name == "linear":
        raise ValueError(
            "A Nystroem map approximates a nonlinear kernel: choose rbf, poly or laplacian, or 0 features."
        )
    gamma = resolve_gamma(key.gamma, thinned(X_fit))
    extra = {"degree": key.degree, "coef0": key.coef0} if key.name == "poly" else {}
    size = min(plan.nystroem, len(X_fit))
    return Nystroem(kernel=key.name, gamma=gamma, n_components=size, random_state=plan.seed, **extra)


def _names(preparation: Any, features: tuple[str, ...], columns: int) -> tuple[str, ...]:
    if "columns" in getattr(preparation, "named_steps", {}):
        return feature_names(preparation)
    try:
        names = tuple(map(str, preparation.get_feature_names_out(features or None)))
    except (AttributeError, ValueError):  # a user's transformer may not provide names
        names = ()
    return names if len(names) == columns else tuple(f"column {i + 1}" for i in range(columns))
