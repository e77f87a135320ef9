"""The state of the page: the sweep, and the page's own query keys with their validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.query import VIEW, BadKey
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
PICTURES = {
    "curves": "Curves",
    "terms": "Objective",
    "sides": "Changing side",
    "ranking": "Ranking",
    "path": "Path scrubber",
    "table": "Table",
}


@dataclass(frozen=True)
class SweepChoice:
    """The visitor's choices; `view` has the page's own query keys."""

    sweep: Sweep
    statistic: str
    picture: str
    method: str
    view: Mapping[str, str]

    @property
    def query(self) -> str:
        return f"{self.sweep.experiment.to_query()}&{urlencode(self.view)}"


def read_view(given: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """Return the page's own keys; raise BadKey for an illegal value. The ends of an axis are checked when it is
    built."""
    view = {key: value for key, value in given.items() if key.startswith(VIEW)}
    params = tuple(axis_params(experiment))
    allowed = {
        "view.x": params,
        "view.y": (NONE, *params),
        "view.stat": tuple(MEASURES),
        "view.method": experiment.methods,
        "view.show": tuple(PICTURES),
    }
    for key in sorted(view.keys() & allowed.keys()):
        if view[key] not in allowed[key]:
            raise BadKey(key, f"{key} must be one of {', '.join(allowed[key])}; got {view[key]!r}.")
    numbers = {"view.xn": POINTS, "view.yn": POINTS, "view.repeats": REPEATS, "view.t": THRESHOLD, "view.cost": COST}
    for key, param in numbers.items():
        if key in view:
            param.parse(view[key], key)
    return view


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
