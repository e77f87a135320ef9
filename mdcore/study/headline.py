"""The result of a comparison in one sentence, which names a winner only if the tests do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.study.comparison import Comparison
from mdcore.study.differences import CONFIDENCE, Difference, against_majority, differences
from mdcore.study.references import MAJORITY
from mdcore.study.scores import SCORES
from mdcore.text import listed, percent, short

UNEQUAL = 1.5  # ratio of largest to smallest class from which classes count as unequal
SURE = 0.95  # probability from which methods count as equivalent


def fitting_score(y: NDArray[Any]) -> str:
    """Return "accuracy", or "balanced_accuracy" for unequal classes, where accuracy rewards ignoring the rare ones."""
    return "balanced_accuracy" if are_unequal(y) else "accuracy"


def are_unequal(y: NDArray[Any]) -> bool:
    counts = np.unique(y, return_counts=True)[1]
    return bool(counts.max() >= UNEQUAL * counts.min())


def headline(comparison: Comparison, score: str) -> str:
    """Return the means (best first), the verdict of the tests, and the score of predicting the majority class."""
    order = sorted(comparison.keys_done, key=lambda key: -comparison.spread(key, score).mean)
    if not order:
        return "Nothing is finished yet."
    means = ", ".join(f"{_name(comparison, key)} {percent(comparison.spread(key, score).mean)}" for key in order)
    always = f"{comparison.baseline_name}: {percent(comparison.spread(MAJORITY, score).mean)}"
    verdict = _verdict(comparison, score, order)
    so_far = "" if comparison.complete else "So far: "
    return f"{so_far}{SCORES[score]}: {means}{verdict}; {always}{_against(comparison, score, order)}."


def _verdict(comparison: Comparison, score: str, order: list[str]) -> str:
    """Return the verdict of the tests on the best method against the others."""
    if len(order) < 2:
        return ""
    best = order[0]
    mine = {_other(d, best): d for d in differences(comparison, score) if best in (d.first, d.second)}
    if len(mine) < len(order) - 1:
        return ": one split is not enough for a test"
    level = 1.0 - CONFIDENCE
    if all(d.practical.neither >= SURE for d in mine.values()):
        sure = min(d.practical.neither for d in mine.values())
        return f": no difference worth mentioning (within one point with probability {_sure(sure)})"
    if all(d.adjusted < level for d in mine.values()):
        return f": {_name(comparison, best)} is best ({_p(max(d.adjusted for d in mine.values()))})"
    rivals = [_name(comparison, key) for key in order[1:] if mine[key].adjusted >= level]
    smallest = min(d.adjusted for d in mine.values() if d.adjusted >= level)
    if len(rivals) == len(mine):
        return f": which is best is not established ({_p(smallest)})"
    return f": which of {', '.join([_name(comparison, best), *rivals])} is best is not established ({_p(smallest)})"


def _sure(probability: float) -> str:
    """Format a probability; an estimate from a few splits is never reported as certain."""
    return "above 99 %" if probability > 0.99 else percent(probability, 2)


def _against(comparison: Comparison, score: str, order: list[str]) -> str:
    """Return which methods are not shown to be better than predicting the majority class."""
    tested = {d.first: d for d in against_majority(comparison, score)}
    level = 1.0 - CONFIDENCE
    none = [key for key in order if key in tested and not (tested[key].mean > 0 and tested[key].adjusted < level)]
    if not none:
        return ""
    names = listed([_name(comparison, key) for key in none], "or")
    if len(none) == len(order) and len(order) > 1:
        return ", and no method is shown to be better"
    return f", and {names} {'is' if len(none) == 1 else 'are'} not shown to be better"


def _name(comparison: Comparison, key: str) -> str:
    """Return a method's name without commas outside of parentheses, as names stand between commas in a sentence."""
    name, *more = re.split(r", | \(", comparison.names[key].removesuffix(")"))
    return f"{name} ({', '.join(more)})" if more else name


def _other(d: Difference, key: str) -> str:
    return d.second if d.first == key else d.first


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {short(value, 2)}"
