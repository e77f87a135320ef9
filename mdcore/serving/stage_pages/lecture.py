"""The Lecture page: the stage's pictures and the papers' bounds, opening on the step in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING
from mdcore.experiment.run import Run
from mdcore.serving.lecture.lesson import BadLesson
from mdcore.serving.lecture.lesson_files import FIRST, NoLesson, find_lesson
from mdcore.serving.stage.arrays import Arrays
from mdcore.serving.stage.bounds import told_bounds
from mdcore.serving.stage.header import LectureScene
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage.stage_page import StagePage


def query_at(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the state of the step in the URL; the lecture's first lesson or step if it names an invalid one."""
    address = dict(pairs)
    try:
        lesson = find_lesson(address.get("lesson", FIRST))
    except (NoLesson, BadLesson):  # the browser shows the error
        lesson = find_lesson(FIRST)
    step = address.get("step", "1")
    number = min(max(int(step), 1), len(lesson.steps)) if step.isdecimal() and len(step) < 4 else 1
    before, after = lesson.states(number)
    return after if address.get("phase") == "reveal" else before


def extra(experiment: Experiment, runs: Mapping[str, Run], edges: NDArray[np.float64]) -> tuple[LectureScene, Arrays]:
    return {"bounds": told_bounds(runs)}, {}


LECTURE = StagePage("lecture", OPENING, extra=extra, address=query_at)


def picture_of(query: str) -> bytes:
    """Return the stage's message for a state, independent of any session."""
    return answer(Request(query), None, LECTURE)[0]
