"""The model of a result as a function of the data's own columns, before their preparation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mdcore.solvers.arrays import Array
from mdcore.study.comparison import Comparison
from mdcore.study.data import Data
from mdcore.study.evaluation import Result
from mdcore.study.fitting import fitted_model
from mdcore.study.folds import dense, prepare_split


@dataclass(frozen=True, eq=False)
class ColumnModel:
    """A result's model with its preparation: maps columns as given to decision values."""

    preparation: Any
    estimator: Any
    positive: int

    @property
    def classes(self) -> NDArray[Any]:
        return np.asarray(self.estimator.classes_)

    def decide(self, X: Any) -> Array:
        return np.asarray(self.estimator.decision_function(dense(self.preparation.transform(X))))


def model_of(data: Data, comparison: Comparison, result: Result) -> ColumnModel:
    """Refit the model of a result."""
    plan = comparison.plan
    candidate = plan.candidate(result.key)
    if plan.nystroem and not candidate.method.kernels:
        raise ValueError("Nystroem features are not columns: compare without them to see what columns do.")
    prepared = prepare_split(data, plan, candidate, result.split)
    fitted = clone(data.preparation).fit(data.rows(prepared.fit), prepared.y_fit)
    model = fitted_model(plan, candidate, prepared, result.params)
    return ColumnModel(fitted, model, plan.positive_code(model.classes_))


def weights(data: Data, comparison: Comparison, result: Result) -> list[tuple[str, float]]:
    """Return the weights of a linear model on the prepared columns, largest first; empty for other models."""
    plan = comparison.plan
    candidate = plan.candidate(result.key)
    prepared = prepare_split(data, plan, candidate, result.split)
    names, model = prepared.features, fitted_model(plan, candidate, prepared, result.params)
    if not hasattr(model, "coef_") or model.coef_.shape != (1, len(names)):
        return []
    coef = model.coef_[0]
    return [(names[j], float(coef[j])) for j in np.argsort(-np.abs(coef))]


def frame_of(data: Data) -> Any:
    """Return the columns as a DataFrame with their names."""
    import pandas as pd

    if hasattr(data.X, "columns"):
        return data.X
    return pd.DataFrame(data.X, columns=list(data.columns))


def as_input(data: Data, frame: Any) -> Any:
    """Return the rows in the type that the preparation expects."""
    return frame if hasattr(data.X, "columns") else frame.to_numpy()
