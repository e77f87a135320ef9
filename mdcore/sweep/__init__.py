"""Sensitivity: a statistic of every method as a function of one or two parameters, computed with warm starts."""

from mdcore.sweep.axis import Axis, axis_params, spaced, with_axis_value
from mdcore.sweep.exact import kinks
from mdcore.sweep.measures import MEASURES, Measure
from mdcore.sweep.plan import AT_ONCE, Sweep
from mdcore.sweep.rank import TIE, Disagreement, criteria_of, disagreements, has_one_ruler, ranks, winners
from mdcore.sweep.table import PointResult, Sides, SweepTable
from mdcore.sweep.walk import RunOrReason, points, points_once, run, walk

__all__ = [
    "AT_ONCE",
    "MEASURES",
    "TIE",
    "Axis",
    "Disagreement",
    "Measure",
    "PointResult",
    "RunOrReason",
    "Sides",
    "Sweep",
    "SweepTable",
    "axis_params",
    "criteria_of",
    "disagreements",
    "has_one_ruler",
    "kinks",
    "points",
    "points_once",
    "ranks",
    "run",
    "spaced",
    "walk",
    "winners",
    "with_axis_value",
]
