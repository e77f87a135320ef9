"""The text of an experiment, as it stands in the page's address, and what it is made of: keys and numbers.

`data=moons&n=300&noise=0.3&seed=0&methods=svm,ldm&kernel=rbf&gamma=1&ldm.lambda1=0.0625`
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from mdcore.data import SCALING, SEED, TEST, OwnSource, ScalingName, Source, find_source
from mdcore.data import edits as hand
from mdcore.kernels import COEF0, DEGREE, GAMMA, GAMMA_WORDS, KERNEL, Kernel, KernelName
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import SEVERAL
from mdcore.spec import Choice, Interval, Param, Setting, Slider

Params = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]

SCALE = Choice(
    "scale",
    "margin scale",
    "geometric",
    ("geometric", "functional"),
    "geometric: y f(x)/‖w‖, the distance to the boundary in the method's own space, comparable between methods; "
    "functional: y f(x), as it stands in the problem.",
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
    "Online learners are shown after so many examples of their stream: the training rows in their order, pass after "
    "pass. Left out, at the end: after a pass without an update. A batch method has one solution, whatever the step.",
    integer=True,
)
METHOD_LIMIT = 4
VIEW = "view."
OPENING = (
    "data=moons&n=300&noise=0.25&outliers=6&seed=0&kernel=rbf&gamma=4&methods=svm,ldm"
    "&svm.C=100&ldm.lambda1=256&ldm.lambda2=256&ldm.C=10"
)


class BadKey(ValueError):
    """A key of the query whose value cannot be used; `key` names it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class DataKey:
    """All that the prepared data depend on. `own` is the source itself where it is somebody's own table."""

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
    """All that the kernel depends on, beside the rows that a word for gamma refers to."""

    name: KernelName
    gamma: float | str
    degree: int
    coef0: float
    bias: bool

    def kernel(self, gamma: float) -> Kernel:
        """With the number that a word for gamma stands for."""
        return Kernel(self.name, gamma, self.degree, self.coef0, self.bias)


def parse_query(query: str) -> dict[str, str]:
    """The keys of a query string; a leading `?` is allowed, a key given twice is not."""
    given: dict[str, str] = {}
    for key, value in parse_qsl(query.removeprefix("?"), keep_blank_values=True):
        if key in given:
            raise BadKey(key, f"{key!r} is given twice.")
        given[key] = value
    return given


def number_text(value: Any) -> str:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def read_query(query: str, own: Collection[OwnSource], opening: str) -> dict[str, Any]:
    """The fields of an Experiment.

    Keys beginning with `view.` belong to the page that shows the experiment, and are passed over here.
    """
    given, first = parse_query(query), parse_query(opening)
    given = ({"methods": first["methods"]} if "data" in given else first) | given
    left = {key: text for key, text in given.items() if not key.startswith(VIEW)}
    data = _take_data(left, own)
    kernel = data.record.kernel or first.get("kernel")
    fields: dict[str, Any] = {"data": data, "kernel": _take_kernel(left, kernel, data.record.gamma)}
    fields["methods"] = _take_methods(left)
    fields |= {setting.name: _take(left, setting) for setting in (SCALE, SEVERAL, STEP)}
    fields["params"] = _take_params(left, fields["methods"])
    if left:
        key = next(iter(left))
        raise BadKey(key, f"{key!r} is no parameter of {fields['data'].source}, of a kernel, or of a method.")
    return fields


def _take(left: dict[str, str], setting: Setting, default: Any = None) -> Any:
    fallback = setting.default if default is None else default
    text = left.pop(setting.name, None)
    if text is None:
        return fallback
    return _read(setting, setting.name, text)


def _read(setting: Setting, key: str, text: str) -> Any:
    try:
        return setting.parse(text, key.split(".")[0] if "." in key else "query")
    except ValueError as error:
        raise BadKey(key, str(error)) from None


def _take_data(left: dict[str, str], tables: Collection[OwnSource]) -> DataKey:
    name = left.pop("data")
    own = next((table for table in tables if table.key == name), None)
    try:
        source = own or find_source(name)
    except ValueError as error:
        raise BadKey("data", str(error)) from None
    seed = _take(left, SEED)
    options: dict[str, Any] = {}
    for option in source.options:
        if option.name == SEED.name:
            options[option.name] = seed
        elif option.name in left:
            options[option.name] = _read(option, option.name, left.pop(option.name))
    test = _take(left, TEST)
    scaling = _take(left, SCALING, source.scaling)
    try:
        edits = hand.parse(left.pop("edits", ""))
    except ValueError as error:
        raise BadKey("edits", str(error)) from None
    chosen = tuple(source.recipe(options).items())
    return DataKey(name, chosen, edits, int(seed), float(test), scaling, own)


def _take_kernel(left: dict[str, str], kernel: str | None, gamma: float | str) -> KernelKey:
    """`kernel` and `gamma` where none is given."""
    name = _take(left, KERNEL, kernel)
    if "gamma" in left:
        text = left.pop("gamma")
        gamma = text if text in GAMMA_WORDS else float(_read(GAMMA, "gamma", text))
    degree, coef0 = int(_take(left, DEGREE)), float(_take(left, COEF0))
    return KernelKey(name, gamma, degree, coef0, _take(left, BIAS) == "1")


def _take_methods(left: dict[str, str]) -> tuple[str, ...]:
    text = left.pop("methods")
    methods = tuple(part for part in text.split(",") if part)
    unknown = [key for key in methods if key not in METHODS]
    if unknown:
        raise BadKey("methods", f"unknown method {unknown[0]!r}; the methods are {', '.join(METHODS)}.")
    if not 1 <= len(methods) <= METHOD_LIMIT or len(set(methods)) < len(methods):
        raise BadKey("methods", f"methods must be one to {METHOD_LIMIT} different ones; got {text!r}.")
    return methods


def _take_params(left: dict[str, str], shown: tuple[str, ...]) -> Params:
    chosen: dict[str, dict[str, Any]] = {method: {} for method in shown}
    for key in [key for key in left if "." in key]:
        method, name = key.split(".", 1)
        if method not in METHODS:
            raise BadKey(key, f"{key!r}: unknown method {method!r}; the methods are {', '.join(METHODS)}.")
        settings = {setting.name: setting for setting in METHODS[method].params}
        if name not in settings:
            raise BadKey(key, f"{METHODS[method].name} has no parameter {name!r}; it has {', '.join(settings)}.")
        chosen.setdefault(method, {})[name] = _read(settings[name], key, left.pop(key))
    complete = [(method, tuple(METHODS[method].settings(values).items())) for method, values in chosen.items()]
    return ordered(complete)


def ordered(params: Iterable[tuple[str, tuple[tuple[str, Any], ...]]]) -> Params:
    """In the order of the methods, so that equal experiments are equal values."""
    order = list(METHODS)
    return tuple(sorted(params, key=lambda item: order.index(item[0])))
