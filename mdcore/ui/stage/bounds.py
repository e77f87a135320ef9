"""The papers' generalisation bounds for the models on screen, each marked as vacuous or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mdcore.bounds import Bound
from mdcore.run import Run
from mdcore.ui.stage.message import finite


@dataclass(frozen=True)
class Told:
    """The bound from a method's paper, evaluated for the model on screen."""

    method: str
    theorem: str
    value: float
    vacuous: bool


def bounds_of(runs: Mapping[str, Run]) -> list[Told]:
    """Return the bounds of all methods whose paper has one, in the order on screen."""
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
    return None if run.bound is None else _told(run.method.key, run.bound)


def _told(key: str, bound: Bound) -> Told:
    return Told(key, bound.name, bound.value, bound.vacuous)
