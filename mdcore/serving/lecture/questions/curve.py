"""Draw the cumulative margin curve of a method before it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mdcore.experiment import Experiment
from mdcore.serving.lecture.questions.kind import BUDGET, Kind, NoAnswer, Question, is_number

LEVELS = 21  # quantiles of a drawn curve, from 0 to 1
AXIS = {"prefixItems": [{"type": "number"}, {"type": "number"}], "minItems": 2, "maxItems": 2}
CURVES = 300  # drawn on the projector: more would only hide each other


def _faults(question: Question, revealed: Experiment) -> Iterator[tuple[str, str]]:
    if question["method"] not in revealed.methods:
        yield "method", f"the reveal does not show {question['method']!r}."
    if not question["axis"][0] < question["axis"][1]:
        yield "axis", "the first end must be the smaller one."


def _shown(question: Question) -> Question:
    return {**question, "levels": LEVELS}


def _read(question: Question, sent: Any) -> list[float]:
    if not isinstance(sent, list) or len(sent) != LEVELS or not all(map(is_number, sent)):
        raise NoAnswer(f"an answer is a list of {LEVELS} margins, the quantiles from 0 to 1.")
    low, high = question["axis"]
    if not all(low <= value <= high for value in sent):
        raise NoAnswer(f"the margins must lie between {low:g} and {high:g}, the ends of the axis.")
    if any(later < earlier for earlier, later in pairwise(sent)):
        raise NoAnswer("the margins must not decrease from one quantile to the next.")
    return [float(value) for value in sent]


def _tally(question: Question, answers: Sequence[list[float]]) -> dict[str, Any]:
    curves = [[_rounded(value) for value in curve] for curve in sorted(answers)[:CURVES]]
    return {"curves": curves, "median": np.median(np.array(answers), axis=0).tolist() if answers else None}


def _brief(tallied: dict[str, Any]) -> dict[str, Any]:
    return {**tallied, "curves": []}


def _truth(question: Question, revealed: Experiment) -> list[float]:
    run = revealed.run_method(question["method"], BUDGET)
    return [float(value) for value in np.asarray(run.train.quantile(np.linspace(0.0, 1.0, LEVELS)))]


def _rounded(value: float) -> float:
    """Round to the precision that can be drawn."""
    return float(f"{value:.4g}")


KIND = Kind(
    name="curve",
    description=f"Draw the cumulative margin curve of a method on the training data, as {LEVELS} quantiles, before the "
    "reveal shows it.",
    schema={
        "method": {"type": "string", "maxLength": 40},
        "axis": {"description": "The margins at the ends of the axis.", "type": "array", **AXIS},
    },
    faults=_faults,
    shown=_shown,
    read=_read,
    tally=_tally,
    brief=_brief,
    truth=_truth,
)
