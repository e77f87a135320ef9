"""Answers of an audience: their validation and their tally. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mdcore.serving.lecture.lesson import LEVELS, is_number

Question = Mapping[str, Any]
Answer = Any  # an option's index, a list of quantiles, a point, or a parameter value

CURVES = 300  # drawn on the projector: more would only hide each other
FARTHEST = 1e6  # the largest coordinate of a point


class NoAnswer(ValueError):
    """An invalid answer to a question."""


def read_answer(question: Question, sent: Any) -> Answer:
    """Return the validated answer in the form in which the room stores it; raise NoAnswer if it is invalid."""
    return READERS[question["kind"]](question, sent)


def _option(question: Question, sent: Any) -> int:
    options = len(question["options"])
    if not isinstance(sent, int) or isinstance(sent, bool) or not 0 <= sent < options:
        raise NoAnswer(f"an answer is the number of an option, 0 to {options - 1}.")
    return sent


def _curve(question: Question, sent: Any) -> list[float]:
    if not isinstance(sent, list) or len(sent) != LEVELS or not all(map(is_number, sent)):
        raise NoAnswer(f"an answer is a list of {LEVELS} margins, the quantiles from 0 to 1.")
    low, high = question["axis"]
    if not all(low <= value <= high for value in sent):
        raise NoAnswer(f"the margins must lie between {low:g} and {high:g}, the ends of the axis.")
    if any(later < earlier for earlier, later in pairwise(sent)):
        raise NoAnswer("the margins must not decrease from one quantile to the next.")
    return [float(value) for value in sent]


def _point(question: Question, sent: Any) -> list[float]:
    fits = isinstance(sent, list) and len(sent) == 2 and all(map(is_number, sent))
    if not fits or max(map(abs, sent)) > FARTHEST:
        raise NoAnswer("an answer is a point, [x, y].")
    return [float(value) for value in sent]


def _value(question: Question, sent: Any) -> float:
    if not is_number(sent) or not question["low"] <= sent <= question["high"]:
        raise NoAnswer(f"an answer is a number from {question['low']:g} to {question['high']:g}.")
    return float(sent)


READERS: Mapping[str, Callable[[Question, Any], Answer]] = {
    "choice": _option,
    "curve": _curve,
    "points": _point,
    "runs": _value,
}


def tally(question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the combined answers to a question, without any hint of who gave which."""
    match question["kind"]:
        case "choice":
            return {"counts": np.bincount(np.array(answers, dtype=int), minlength=len(question["options"])).tolist()}
        case "curve":
            curves = [[_rounded(value) for value in curve] for curve in sorted(answers)[:CURVES]]
            return {"curves": curves, "median": np.median(np.array(answers), axis=0).tolist() if answers else None}
        case "points":
            return {"points": sorted(answers)}
        case _:
            return {"values": sorted(answers)}


def without_single_answers(tallied: dict[str, Any]) -> dict[str, Any]:
    """Return a tally whose size does not grow with the audience."""
    match tallied:
        case {"curves": _, "median": median}:
            return {"curves": [], "median": median}
        case {"points": answers} | {"values": answers}:
            return {"count": len(answers)}
    return tallied


def _rounded(value: float) -> float:
    """Round to the precision that can be drawn."""
    return float(f"{value:.4g}")


def distance(drawn: Sequence[float], truth: Sequence[float]) -> float:
    """Return the area between two cumulative curves, in units of margin, by the trapezoidal rule over their
    quantiles."""
    return float(np.trapezoid(np.abs(np.array(drawn) - np.array(truth)), dx=1.0 / (LEVELS - 1)))
