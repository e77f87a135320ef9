"""Background computations of the rooms, one at a time: the true curve of a step, and the runs of the audience."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from mdcore.experiment import Experiment
from mdcore.margins.distribution import Part
from mdcore.serving.lecture.lesson import LEVELS, with_value
from mdcore.serving.room.room import Room
from mdcore.serving.stage.live import run_all

_WORKER = ThreadPoolExecutor(1, thread_name_prefix="room")
BUDGET = 2.0  # s for all methods of one run


def queue_true_curve(room: Room, step: int) -> None:
    """Queue the computation of the curve that a step asks the audience to draw; do nothing for other steps."""
    question = room.lesson.question(step)
    if question is not None and question["kind"] == "curve":
        queue_task(partial(_store_true_curve, room, step, question["method"]))


def queue_run(room: Room, step: int, value: float) -> None:
    """Queue the run for a parameter value that one of the audience has chosen, unless it is known."""
    if not room.has_run(step, value):
        queue_task(partial(_run, room, step, value))


def true_curve(query: str, method: str) -> list[float]:
    """Return `LEVELS` quantiles of the training margins."""
    run = Experiment.from_query(query).run_method(method, BUDGET)
    return [float(value) for value in np.asarray(run.train.quantile(np.linspace(0.0, 1.0, LEVELS)))]


def _store_true_curve(room: Room, step: int, method: str) -> None:
    quantiles = true_curve(room.lesson.states(step)[1], method)
    if not room.ended:
        room.store_true_curve(step, quantiles)


def _run(room: Room, step: int, value: float) -> None:
    question = room.lesson.question(step)
    if question is None or room.ended or room.has_run(step, value):
        return
    experiment = with_value(Experiment.from_query(room.lesson.states(step)[1]), question, value)
    runs, _ = run_all(experiment, BUDGET)
    name = question["statistic"]
    part: Part = "test" if name == "accuracy" else "train"
    known = {key: run for key, run in runs.items() if name == "accuracy" or not run.is_flat}
    room.store_run(step, value, {key: float(getattr(run.margins(part), name)) for key, run in known.items()})


def queue_task(work: Callable[[], None]) -> None:
    """Queue a computation behind the others of all rooms."""
    _WORKER.submit(_run_logged, work)


def _run_logged(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:  # the thread continues with its next task: nothing else could report the failure
        logging.getLogger(__name__).exception("A room's computation failed")
