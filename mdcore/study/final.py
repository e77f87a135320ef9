"""The final model: parameters chosen and fitted on all rows, with calibrated probabilities for two classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mdcore.data.splitting import stratified
from mdcore.solvers.arrays import Array
from mdcore.study.cross_validation import choose
from mdcore.study.data import Data
from mdcore.study.decisions import calibrator, held_out_decisions
from mdcore.study.fitting import fitted_model, settings_of
from mdcore.study.folds import Folds, prepare_rows
from mdcore.study.plan import Plan
from mdcore.study.scores import predicted


@dataclass(frozen=True, eq=False)
class Final:
    """The final model of a method.

    `pipeline` takes the unprepared columns and was fitted on `rows` rows. For two classes, `probability` maps decision
    values to the probability of the positive class, by a sigmoid fitted to held-out decision values; it is None if
    there are none.
    """

    key: str
    pipeline: Pipeline
    params: dict[str, Any]
    rows: int
    positive: Any
    probability: Any

    @property
    def classes(self) -> NDArray[Any]:
        return np.asarray(self.pipeline.classes_)


def final_model(data: Data, plan: Plan, key: str) -> Final:
    """Choose the parameters and fit the method on all rows, as the plan does inside a training part."""
    candidate = plan.candidate(key)
    if plan.nystroem and not candidate.method.kernels:
        raise ValueError("A model on Nystroem features cannot be exported: compare without them.")
    rows = np.arange(len(data.y))
    if 0 < candidate.within.rows < len(rows):
        rows = stratified(data.y, candidate.within.rows, plan.seed)
    classes, counts = np.unique(data.y[rows], return_counts=True)
    two = len(classes) == 2 and counts.min() > 1
    folds = max(2, min(plan.folds, counts.min()))
    inside = replace(plan, held_out=two, folds=folds)
    chosen = choose(inside, candidate, Folds(data, inside), rows, 0, plan.seed, lambda: None)
    prepared = prepare_rows(data, plan, candidate, rows, rows)
    params = settings_of(plan, candidate, prepared, chosen.option)
    model = fitted_model(plan, candidate, prepared, params)
    preparation = clone(data.preparation).fit(data.rows(rows), data.y[rows])
    pipeline = Pipeline([("preparation", preparation), ("method", model)])
    probability = None
    if two:
        held_out = held_out_decisions(plan, model.classes_, chosen.inner, data.y[rows])
        probability = _Probability(plan.sign(model.classes_), calibrator(*held_out, "sigmoid"))
    return Final(key, pipeline, params, len(rows), plan.positive_class(model.classes_), probability)


@dataclass(frozen=True)
class _Probability:
    sign: float
    map: Any

    def __call__(self, f: Array) -> Array:
        return np.asarray(self.map(self.sign * f), dtype=np.float64)


def scored(final: Final, X: Any) -> dict[str, NDArray[Any]]:
    """Return for every row the predicted class and its margin; for two classes also f and, if known, the
    probability."""
    f = np.asarray(final.pipeline.decision_function(X))
    said = predicted(final.classes, f)
    if f.ndim > 1:
        ordered = np.sort(f, axis=1)
        return {"class": said, "margin": ordered[:, -1] - ordered[:, -2]}
    found = {"class": said, "f": f, "margin": np.abs(f)}
    return found if final.probability is None else found | {f"probability of {final.positive}": final.probability(f)}
