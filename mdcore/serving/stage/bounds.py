"""The papers' generalisation bounds for the models on screen, each marked as vacuous or not."""

from __future__ import annotations

from collections.abc import Mapping

from mdcore.experiment.run import Run
from mdcore.serving.stage.header import ToldBound
from mdcore.serving.stage.message import finite


def told_bounds(runs: Mapping[str, Run]) -> list[ToldBound]:
    """Return the bounds of all methods whose paper has one, in the order on screen."""
    return [
        {
            "key": key,
            "name": run.name,
            "theorem": bound.name,
            "value": finite(bound.value),
            "vacuous": bound.vacuous,
        }
        for key, run in runs.items()
        if (bound := run.bound) is not None
    ]
