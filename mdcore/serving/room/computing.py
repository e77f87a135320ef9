"""Background computations of the rooms, one at a time: what a kind of question computes for its reveal and answers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mdcore.experiment import Experiment
from mdcore.serving.lecture.questions import kind_of
from mdcore.serving.lecture.questions.kind import Answer
from mdcore.serving.room.room import Room

_WORKER = ThreadPoolExecutor(1, thread_name_prefix="room")


def queue_truth(room: Room, step: int) -> None:
    """Queue the computation of what the reveal of a step shows; do nothing if there is nothing to compute."""
    question = room.lesson.question(step) or {}
    compute = kind_of(question).truth if question else None

    def work() -> None:
        if compute and not room.ended:
            room.store_truth(step, compute(question, _revealed(room, step)))

    if compute:
        _queue(work)


def queue_run(room: Room, step: int, answer: Answer) -> None:
    """Queue the run of an answer, unless it is known; do nothing if the answers of the step have none."""
    question = room.lesson.question(step) or {}
    compute = kind_of(question).run if question else None

    def work() -> None:
        if compute and not room.ended and not room.has_run(step, answer):
            room.store_run(step, answer, compute(question, _revealed(room, step), answer))

    if compute and not room.has_run(step, answer):
        _queue(work)


def _revealed(room: Room, step: int) -> Experiment:
    return Experiment.from_query(room.lesson.states(step)[1])


def _queue(work: Callable[[], None]) -> None:
    _WORKER.submit(_run_logged, work)


def _run_logged(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:  # the thread continues with its next task: nothing else could report the failure
        logging.getLogger(__name__).exception("A room's computation failed")
