"""What the papers' theorems say of the models on screen: a number for each, vacuous where it says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mdcore.bounds import Bound, multiclass_bound, semivariance_bound
from mdcore.margin import MarginDistribution
from mdcore.run import Run
from mdcore.ui.stage.message import finite


@dataclass(frozen=True)
class Told:
    """The bound of a method's paper for its model on screen."""

    method: str
    theorem: str
    value: float
    vacuous: bool


def bounds_of(runs: Mapping[str, Run]) -> list[Told]:
    """One for each method whose paper has one, in the order of the screen."""
    return [told for run in runs.values() if (told := _bound(run)) is not None]


def pack_bounds(runs: Mapping[str, Run]) -> list[dict[str, Any]]:
    return [
        {
            "key": told.method,
            "name": runs[told.method].name,
            "theorem": told.theorem,
            "value": finite(told.value),
            "vacuous": told.vacuous,
        }
        for told in bounds_of(runs)
    ]


def _bound(run: Run) -> Told | None:
    model, key = run.model, run.method.key
    if run.one_versus_rest:
        return None
    functional = MarginDistribution(run.fit.train, "functional")
    diagonal = run.fit.space.kernel.diagonal(run.fit.space.rows)
    if hasattr(model, "loo_bound_"):
        value = float(model.loo_bound_)
        return Told(key, "LDM, Theorem 3 (leave one out)", value, not value < 1.0)
    if key == "msvmav":
        return _told(key, semivariance_bound(functional, model.norm_, diagonal, linear=hasattr(model, "coef_")))
    if key == "mcodm":
        radius = float(np.sqrt(diagonal.max()))
        classes = len(run.prepared.dataset.classes)
        return _told(key, multiclass_bound(functional, model.norm_, radius, classes, run.params["theta"]))
    return None


def _told(key: str, bound: Bound) -> Told:
    return Told(key, bound.name, bound.value, bound.vacuous)
