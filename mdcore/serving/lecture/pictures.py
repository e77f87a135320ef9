"""The pictures of a lesson: the stage's, extended by the papers' bounds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING
from mdcore.experiment.run import Run
from mdcore.serving.stage.arrays import Arrays
from mdcore.serving.stage.bounds import told_bounds
from mdcore.serving.stage.header import LectureScene
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage.stage_page import StagePage


def extra(experiment: Experiment, runs: Mapping[str, Run], edges: NDArray[np.float64]) -> tuple[LectureScene, Arrays]:
    return {"bounds": told_bounds(runs)}, {}


PICTURES = StagePage("lecture", OPENING, extra=extra)


def picture_of(query: str) -> bytes:
    """Return the stage's message for a state, independent of any session."""
    return answer(Request(query), None, PICTURES)[0]
