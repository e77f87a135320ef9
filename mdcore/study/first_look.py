"""Defaults of a first comparison: a sound plan without any choices by the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.one_versus_rest import OWN, REST
from mdcore.study.headline import are_unequal, fitting_score
from mdcore.study.plan import PAPER_WIDTHS, QUICK_FOLDS, QUICK_WIDTHS, Candidate, Plan, Tuning
from mdcore.study.references import LEARNERS, REFERENCES

FIRST_METHODS = ("svm", "ldm")


def candidates(keys: Sequence[str], tuning: Tuning) -> tuple[Candidate, ...]:
    """Return candidates that are tuned with equal effort, have default parameters, or choose from the papers' grids."""
    make = {"none": Candidate.fixed, "equal": Candidate.quick, "papers": Candidate.tuned}[tuning]
    return tuple(make(key) for key in keys)


def first_plan(
    y: NDArray[Any],
    *,
    methods: Sequence[str] = FIRST_METHODS,
    references: bool = True,
    tuning: Tuning = "none",
    **protocol: Any,
) -> Plan:
    """Return a plan of the methods and the reference learners.

    For unequal classes, every class has the same weight, and parameters are chosen by balanced accuracy. With `tuning`,
    γ is in the grid too.
    """
    keys = tuple(dict.fromkeys((*methods, *(REFERENCES if references else ()))))
    several = len(np.unique(y)) > 2 and not all(LEARNERS[key].multiclass for key in keys if key in LEARNERS)
    grid: dict[str, Any] = {}
    if tuning != "none":
        grid["widths"] = PAPER_WIDTHS if tuning == "papers" else QUICK_WIDTHS
    if tuning == "equal":
        grid["folds"] = QUICK_FOLDS
    made = {"criterion": fitting_score(y), "balanced": are_unequal(y), "several": REST if several else OWN}
    return Plan(candidates(keys, tuning), **{**made, **grid, **protocol})
