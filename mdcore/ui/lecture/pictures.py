"""The pictures of a lesson: the stage's, extended by the papers' bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.query import OPENING
from mdcore.run import Run
from mdcore.ui.stage.bounds import pack_bounds
from mdcore.ui.stage.openings import Opening
from mdcore.ui.stage.scene import Request, answer


def extra(
    experiment: Experiment, runs: Mapping[str, Run], edges: NDArray[np.float64]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    return {"bounds": pack_bounds(runs)}, {}


PICTURES = Opening("lecture", OPENING, extra=extra)


def picture_of(query: str) -> bytes:
    """Return the stage's message for a state, independent of any session."""
    return answer(Request(query), None, PICTURES)[0]
