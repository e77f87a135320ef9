"""The query string of an experiment, as in a page's address, and the keys and settings that it consists of.

`data=moons&n=300&noise=0.3&seed=0&methods=svm,ldm&kernel=rbf&gamma=1&ldm.lambda1=0.0625`
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from mdcore.basics.text import quoted
from mdcore.data import OwnSource, ScalingName, Source, find_source
from mdcore.data import edits as hand
from mdcore.methods import METHODS
from mdcore.spaces.kernels import Kernel, KernelName
from mdcore.spec import Choice, Interval, Param, Slider

MethodParams = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]

SCALE = Choice(
    "scale",
    "margin scale",
    "geometric",
    ("geometric", "functional"),
    "geometric: y f(x)/‖w‖, the distance to the boundary in the space of the kernel, comparable between methods; "
    "functional: y f(x), as in the optimisation problem.",
)
BIAS = Choice(
    "bias",
    "bias",
    "1",
    ("1", "0"),
    "1: a constant feature, regularised with the rest, or the method's own bias where it defines one; 0: none.",
)
STEP = Param(
    "step",
    "examples seen",
    math.inf,
    Interval(0, math.inf, open_high=True),
    Slider(0, 1000),
    "Number of examples after which online learners are shown. Their stream is the training rows in order, pass after "
    "pass. Without a number they are shown at the end, after a pass without an update. The solution of a batch method "
    "does not depend on it.",
    integer=True,
)
METHOD_LIMIT = 4
VIEW = "view."
OPENING = (
    "data=moons&n=300&noise=0.25&outliers=6&seed=0&kernel=rbf&gamma=4&methods=svm,ldm"
    "&svm.C=10&ldm.lambda1=128&ldm.lambda2=512&ldm.C=10"
)


class BadKey(ValueError):
    """Raised for an unknown key of a query or an illegal value; `key` is the name of the key."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class DataKey:
    """Everything that the prepared data depend on; `own` is the source itself if it is a user's own table."""

    source: str
    options: tuple[tuple[str, Any], ...]
    edits: tuple[hand.Edit, ...]
    seed: int
    test: float
    scaling: ScalingName
    own: OwnSource | None = None

    @property
    def record(self) -> Source:
        return self.own or find_source(self.source)


@dataclass(frozen=True)
class KernelKey:
    """Everything that the kernel depends on, except for the rows that a word for gamma refers to."""

    name: KernelName
    gamma: float | str
    degree: int
    coef0: float
    bias: bool

    def kernel(self, gamma: float) -> Kernel:
        """Return the kernel, given the number that gamma stands for."""
        return Kernel(self.name, gamma, self.degree, self.coef0, self.bias)


def parse_query(query: str) -> dict[str, str]:
    """Return the keys of a query string; a leading `?` is allowed, a key given twice is not."""
    given: dict[str, str] = {}
    for key, value in parse_qsl(query.removeprefix("?"), keep_blank_values=True):
        if key in given:
            raise BadKey(key, f"{quoted(key)} is given twice: keep one of the two values.")
        given[key] = value
    return given


def number_text(value: Any) -> str:
    """Return the shortest text that reads back as the same number; whole numbers without a point."""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def ordered(params: Iterable[tuple[str, tuple[tuple[str, Any], ...]]]) -> MethodParams:
    """Return the parameters in the order of METHODS, so that equal experiments compare equal."""
    order = list(METHODS)
    return tuple(sorted(params, key=lambda item: order.index(item[0])))
