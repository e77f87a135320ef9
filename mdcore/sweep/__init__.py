"""Sensitivity: a statistic of every method against one parameter or two, along a path of warm starts."""

from mdcore.sweep.axis import Axis, axis_params, moved, spaced
from mdcore.sweep.exact import kinks
from mdcore.sweep.measures import MEASURES, Measure
from mdcore.sweep.plan import Sweep
from mdcore.sweep.rank import TIE, Disagreement, disagreements, ranks, winners
from mdcore.sweep.table import Result, Sides, Table
from mdcore.sweep.walk import Outcome, points, run, walk

__all__ = [
    "MEASURES",
    "TIE",
    "Axis",
    "Disagreement",
    "Measure",
    "Outcome",
    "Result",
    "Sides",
    "Sweep",
    "Table",
    "axis_params",
    "disagreements",
    "kinks",
    "moved",
    "points",
    "ranks",
    "run",
    "spaced",
    "walk",
    "winners",
]
