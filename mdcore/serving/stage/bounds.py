"""The papers' generalisation bounds for the models on screen, each marked as vacuous or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mdcore.experiment.run import Run
from mdcore.serving.stage.message import finite


@dataclass(frozen=True)
class PaperBound:
    """The bound from a method's paper, evaluated for the model on screen."""

    method: str
    theorem: str
    value: float
    vacuous: bool


def bounds_of(runs: Mapping[str, Run]) -> list[PaperBound]:
    """Return the bounds of all methods whose paper has one, in the order on screen."""
    return [bound for run in runs.values() if (bound := _bound(run)) is not None]


def pack_bounds(runs: Mapping[str, Run]) -> list[dict[str, Any]]:
    return [
        {
            "key": bound.method,
            "name": runs[bound.method].name,
            "theorem": bound.theorem,
            "value": finite(bound.value),
            "vacuous": bound.vacuous,
        }
        for bound in bounds_of(runs)
    ]


def _bound(run: Run) -> PaperBound | None:
    bound = run.bound
    return None if bound is None else PaperBound(run.method.key, bound.name, bound.value, bound.vacuous)
