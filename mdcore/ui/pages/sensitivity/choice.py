"""The state of the page: the sweep, and the page's own query keys with their validation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np

from mdcore.basics.text import quoted
from mdcore.experiment import Experiment
from mdcore.experiment.query import VIEW, BadKey, number_text
from mdcore.methods import METHODS
from mdcore.spec import Interval, Param, Slider
from mdcore.sweep import MEASURES, Sweep, axis_params

NONE = "none"
POINTS = Param(
    "points",
    "points",
    41,
    Interval(2, 401),
    Slider(2, 101, step=1),
    "Number of values, equally spaced, on a log slider in log2. For two parameters: along each of them.",
    integer=True,
)
REPEATS = Param(
    "repeats",
    "repeats",
    5,
    Interval(1, 100),
    Slider(1, 30, step=1),
    "Each repeat has its own seed: its own sample of generated data, or split of given data. The curve is the median; "
    "the band runs from the 10 % to the 90 % quantile.",
    integer=True,
)
THRESHOLD = Param(
    "t",
    "t",
    0.0,
    Interval(-np.inf, np.inf, open_low=True, open_high=True),
    Slider(-1.0, 1.0, step=0.05),
    "Threshold of P(margin ≤ t), on the margin scale shown.",
)
COST = Param(
    "cost",
    "cost of a miss",
    1.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-5, 2**5, log=True),
    "The cost of missing a row of the second class, in false alarms; used by the expected cost.",
)
COSTS = "test.cost"  # the statistic that uses the cost of a miss instead of the threshold
PICTURES = {
    "curves": "Curves",
    "terms": "Objective",
    "sides": "Changing side",
    "ranking": "Ranking",
    "path": "Path scrubber",
    "table": "Table",
}


@dataclass(frozen=True)
class AxisView:
    """An axis: the key of its parameter, its ends (None for those of the slider), and its number of values."""

    key: str
    low: float | None = None
    high: float | None = None
    points: int = int(POINTS.default)

    def on(self, param: Param) -> AxisView:
        """Return the axis without ends that are illegal for the parameter, as it may be on other data."""
        low, high = (end if end is not None and end in param.legal else None for end in (self.low, self.high))
        return replace(self, low=low, high=high)


@dataclass(frozen=True)
class View:
    """What the page shows of an experiment; without `y` there are curves over one parameter."""

    x: AxisView | None = None
    y: AxisView | None = None
    repeats: int = int(REPEATS.default)
    statistic: str = "test.accuracy"
    threshold: float = THRESHOLD.default
    cost: float = COST.default
    method: str = ""
    picture: str = "curves"


@dataclass(frozen=True)
class SweepChoice:
    """The visitor's choices: the sweep to compute, and the view of it."""

    sweep: Sweep
    view: View

    @property
    def query(self) -> str:
        return query_of(self.sweep.experiment, self.view)


def query_of(experiment: Experiment, view: View) -> str:
    return f"{experiment.to_query()}&{urlencode(texts_of(view))}"


def read_view(given: Mapping[str, str], experiment: Experiment) -> View:
    """Return the view of a query; raise BadKey for an illegal value."""
    params = axis_params(experiment)

    def choice(name: str, legal: Collection[str], otherwise: str) -> str:
        text = given.get(VIEW + name, otherwise)
        if VIEW + name in given and text not in legal:
            raise BadKey(VIEW + name, f"{VIEW}{name} must be one of {', '.join(legal)}; got {quoted(text)}.")
        return text

    def number(name: str, param: Param) -> float | None:
        text = given.get(VIEW + name)
        try:
            return None if text is None else param.parse(text, VIEW + name)
        except ValueError as error:
            raise BadKey(VIEW + name, str(error)) from None

    def or_default(name: str, param: Param) -> float:
        found = number(name, param)
        return param.default if found is None else found

    def axis(name: str, legal: Collection[str]) -> AxisView | None:
        points = int(or_default(f"{name}n", POINTS))
        key = choice(name, legal, NONE)
        if key == NONE:
            return None
        return AxisView(key, number(f"{name}low", params[key]), number(f"{name}high", params[key]), points)

    return View(
        x=axis("x", params),
        y=axis("y", (NONE, *params)),
        repeats=int(or_default("repeats", REPEATS)),
        statistic=choice("stat", MEASURES, View.statistic),
        threshold=or_default("t", THRESHOLD),
        cost=or_default("cost", COST),
        method=choice("method", experiment.methods, View.method),
        picture=choice("show", PICTURES, View.picture),
    )


def texts_of(view: View) -> dict[str, str]:
    """Return the keys of a view in a query: the inverse of `read_view`."""
    values: dict[str, Any] = {"x": view.x and view.x.key, "y": view.y.key if view.y else NONE}
    for name, axis in (("x", view.x), ("y", view.y)):
        if axis is not None:
            values |= {f"{name}low": axis.low, f"{name}high": axis.high, f"{name}n": axis.points}
    values |= {"repeats": view.repeats, "stat": view.statistic, "t": view.threshold}
    values |= {"cost": view.cost} if view.statistic == COSTS else {}
    values |= {"method": view.method or None, "show": view.picture}
    return {VIEW + name: number_text(value) for name, value in values.items() if value is not None}


def axis_label(key: str, experiment: Experiment) -> str:
    """Return the label of a parameter in a list."""
    if key == NONE:
        return "none: curves"
    param = axis_params(experiment)[key]
    method, dot, _ = key.rpartition(".")
    if dot:
        return f"{METHODS[method].name}: {param.symbol}"
    owners = [METHODS[m].name for m in experiment.methods if any(p.name == key for p in METHODS[m].params)]
    return f"{' and '.join(owners)}: {param.symbol}" if owners else f"{key} ({param.symbol})"
