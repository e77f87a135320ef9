"""Place one example; the reveal shows the data with the examples of the whole audience."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mdcore.serving.lecture.questions.kind import Kind, NoAnswer, Question, is_number

FARTHEST = 1e6  # the largest coordinate of a point


def _read(question: Question, sent: Any) -> list[float]:
    fits = isinstance(sent, list) and len(sent) == 2 and all(map(is_number, sent))
    if not fits or max(map(abs, sent)) > FARTHEST:
        raise NoAnswer("an answer is a point, [x, y].")
    return [float(value) for value in sent]


def _tally(question: Question, answers: Sequence[list[float]]) -> dict[str, Any]:
    return {"points": sorted(answers)}


def _brief(tallied: dict[str, Any]) -> dict[str, Any]:
    return {"count": len(tallied["points"])}


KIND = Kind(
    name="points",
    description="Everyone places one example of this class; the reveal shows the data with all of them.",
    schema={"class": {"description": "The first class is 0, the second 1.", "enum": [0, 1]}},
    read=_read,
    tally=_tally,
    brief=_brief,
)
