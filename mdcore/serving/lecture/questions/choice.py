"""Choose one of several options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mdcore.experiment import Experiment
from mdcore.serving.lecture.questions.kind import Kind, NoAnswer, Question

OPTION = {"type": "string", "minLength": 1, "maxLength": 160}


def _faults(question: Question, revealed: Experiment) -> Iterator[tuple[str, str]]:
    if question["answer"] >= len(question["options"]):
        yield "answer", "there is no such option; the first is 0."


def _read(question: Question, sent: Any) -> int:
    options = len(question["options"])
    if not isinstance(sent, int) or isinstance(sent, bool) or not 0 <= sent < options:
        raise NoAnswer(f"an answer is the number of an option, 0 to {options - 1}.")
    return sent


def _tally(question: Question, answers: Sequence[int]) -> dict[str, Any]:
    return {"counts": np.bincount(np.array(answers, dtype=int), minlength=len(question["options"])).tolist()}


KIND = Kind(
    name="choice",
    schema={
        "options": {"type": "array", "minItems": 2, "maxItems": 6, "items": OPTION},
        "answer": {"description": "The correct option, counted from 0.", "type": "integer", "minimum": 0, "maximum": 5},
    },
    faults=_faults,
    listed=lambda question: question["options"],
    read=_read,
    tally=_tally,
)
