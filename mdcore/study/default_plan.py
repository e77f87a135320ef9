"""Defaults of a first comparison: a sound plan without any choices by the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from mdcore.study.plan import CHOSEN, EQUAL_FOLDS, PAPER_WIDTHS, Candidate, Plan, Tuning
from mdcore.study.references import REFERENCES
from mdcore.study.scores import are_unequal, fitting_score

SLOW_METHOD, SLOW_ABOVE = "msvmav", 1000  # a method whose many steps make the answer wait, and rows above which it does
SPLITS_OF_ROWS = ((10, 2_000), (5, 20_000), (3, 200_000))  # splits of up to so many rows
FEWEST_SPLITS = 2


def first_methods(rows: int) -> tuple[str, ...]:
    """Return the methods of a first comparison, with which the answer does not take long."""
    return ("svm", "ldm", "odm", *((SLOW_METHOD,) if rows <= SLOW_ABOVE else ()))


def first_repeats(rows: int) -> int:
    """Return the number of splits of a first comparison: fewer of many rows, as each tests many of them."""
    return next((splits for splits, most in SPLITS_OF_ROWS if rows <= most), FEWEST_SPLITS)


def candidates(keys: Sequence[str], tuning: Tuning) -> tuple[Candidate, ...]:
    """Return candidates that are tuned with equal effort, have default parameters, or choose from the papers' grids."""
    make = {"none": Candidate.fixed, "equal": Candidate.searched, "papers": Candidate.tuned}[tuning]
    return tuple(make(key) for key in keys)


def first_plan(
    y: NDArray[Any],
    *,
    methods: Sequence[str] = (),
    references: bool = True,
    tuning: Tuning = "equal",
    **protocol: Any,
) -> Plan:
    """Return a plan of the methods, by default those of a first comparison, and the reference learners.

    For unequal classes, every class has the same weight, and parameters are chosen by balanced accuracy.
    """
    methods = tuple(methods) or first_methods(len(y))
    keys = tuple(dict.fromkeys((*methods, *(REFERENCES if references else ()))))
    grids: dict[Tuning, dict[str, Any]] = {"equal": {"folds": EQUAL_FOLDS}, "papers": {"widths": PAPER_WIDTHS}}
    made = {"criterion": fitting_score(y), "balanced": are_unequal(y), "several": CHOSEN}
    made["repeats"] = first_repeats(len(y))
    return Plan(candidates(keys, tuning), **{**made, **grids.get(tuning, {}), **protocol})
