"""What a method, or a source of data, says of itself.

Everything the app, the command line, the reference page and the tests know of a method is read from its `Method`
record: nothing else is edited when a method is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from numbers import Integral, Real
from typing import Any, Literal

from mdcore.margin import MarginDistribution
from mdcore.text import quoted

HUGE = 1e100  # squares and cubes of larger numbers, or of numbers smaller than its inverse, are none to a computer


@dataclass(frozen=True)
class Interval:
    """The legal values of a number: `low <= v <= high`, an end left out where it is open."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def __contains__(self, value: float) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"{left}{_short(self.low)}, {_short(self.high)}{right}"


@dataclass(frozen=True)
class Slider:
    """What a slider reaches; never wider than the legal domain.

    On a log slider the positions are equally spaced in log2. `zero` adds one position, 0, left of `low`.
    """

    low: float
    high: float
    log: bool = False
    zero: bool = False
    step: float | None = None


@dataclass(frozen=True)
class Param:
    """A number the user sets: legal domain, slider, the paper's grid (ticks on the slider), help."""

    name: str
    symbol: str
    default: float
    legal: Interval
    slider: Slider
    help: str
    grid: tuple[float, ...] = ()
    integer: bool = False

    def check(self, value: Any, owner: str) -> float:
        """`value` as a plain number of the legal domain, or a ValueError that names the parameter and the domain."""
        accepted = Integral if self.integer else Real
        fits = not isinstance(value, bool) and isinstance(value, accepted) and _is_double(value)
        if not fits or float(value) not in self.legal:
            raise ValueError(f"{self._wanted(owner)}; got {_cut(repr(value))}.")
        size = abs(float(value))
        if not (size == 0.0 or 1.0 / HUGE <= size <= HUGE or math.isinf(size)):
            raise ValueError(
                f"{self._wanted(owner)} and, if not 0, between {1.0 / HUGE:g} and {HUGE:g} in size; "
                f"got {quoted(value)}."
            )
        return int(value) if isinstance(value, Integral) else float(value)

    def parse(self, text: str, owner: str) -> float:
        """Return the same from a string, as it stands in a URL or on a command line."""
        try:
            value = int(text) if self.integer else float(text)
        except ValueError:
            raise ValueError(f"{self._wanted(owner)}; got {_cut(repr(text))}.") from None
        return self.check(value, owner)

    def _wanted(self, owner: str) -> str:
        kind = "an integer" if self.integer else "a number"
        return f"{owner}: {self.name} must be {kind} in {self.legal}"


@dataclass(frozen=True)
class Choice:
    """One of a few named options."""

    name: str
    symbol: str
    default: str
    options: tuple[str, ...]
    help: str

    def check(self, value: Any, owner: str) -> str:
        if value not in self.options:
            raise ValueError(f"{owner}: {self.name} must be one of {', '.join(self.options)}; got {quoted(value)}.")
        return value

    def parse(self, text: str, owner: str) -> str:
        return self.check(text, owner)


Setting = Param | Choice


@dataclass(frozen=True)
class Paper:
    """Where a method comes from."""

    authors: str
    title: str
    venue: str
    equations: str
    doi: str = ""


@dataclass(frozen=True)
class Mark:
    """Something drawn on the margin axis, in functional units: a line where `low == high`, a band otherwise."""

    low: float
    high: float
    label: str
    strength: float = 1.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a bound is computed from: a model, its functional training margins, the k(x_i, x_i), the parameters."""

    model: Any
    margins: MarginDistribution
    diagonal: Any
    params: Mapping[str, Any]


def price_of_all(params: Mapping[str, Any], times: float) -> dict[str, Any]:
    """Return the price of an example's loss, which is called C in every method that has one, times those it stands
    for."""
    return {"C": times * params["C"]} if "C" in params else {}


@dataclass(frozen=True)
class Method:
    """The record of a method.

    `objective(margins, norm, **params)` is the primal problem as code; where margins and norm do not determine it, it
    takes what `needs` names as well, and `value` hands it over: `signs` (the labels as -1/+1), `offset` (a bias outside
    ||w||), `dual_coef`. `bias` is a constant feature, part of ||w||, or a number outside of it.
    `space` is where w lives: the kernel's, with ||w||^2 = a'Ka for a = dual_coef_, or that of the kernel values
    k(x_i, x), each with a weight, and ||w||^2 = a'a. `marks` says where parameters act on the margin axis. `support`
    names the examples in the estimator's `support_`. `unit` is the functional margin at which the two outer contours
    are drawn: one, or, where margins have no natural unit, the mean training margin.
    `terms`, with the arguments of the objective, are its summands by name, None where it is no sum. `bound` and
    `complexity` are for the reference page; `bound_of` computes that bound for a fitted model.
    `family`: a batch method has one solution for a sample; an online one learns example by example, so that the order
    of the rows counts, in epochs until one passes without an update, and its margins are in units of ||w||_q without
    the bias. `conflict` says why legal parameters do not go together in a kernel; "" where they do.
    `convex` is False where a fit that begins at another solution may end at another one than a fresh fit.
    `for_part(params, times)` are parameters, those that change, with which a sample of the rows, each of them standing
    for so many, has about the solution of all.
    What its estimator says of itself the record asks it; of one that solves several `problems` the objective is that of
    each.
    """

    key: str
    name: str
    summary: str
    estimator: Any
    latex: str
    objective: Callable[..., float]
    paper: Paper
    color: str
    marks: Callable[[Mapping[str, Any], MarginDistribution], tuple[Mark, ...]]
    limits: str
    support: str
    certificate: Literal["gap", "none"] = "gap"
    needs: tuple[Literal["signs", "offset", "dual_coef"], ...] = ()
    bias: Literal["feature", "own"] = "feature"
    space: Literal["kernel", "kernel values"] = "kernel"
    unit: Literal["one", "mean margin"] = "one"
    bound: str = ""
    bound_of: Callable[[Fitted], Any] | None = None
    complexity: str = ""
    convex: bool = True
    terms: Callable[..., dict[str, float]] | None = None
    family: Literal["batch", "online"] = "batch"
    conflict: Callable[[Mapping[str, Any], str], str] = lambda params, kernel: ""
    for_part: Callable[[Mapping[str, Any], float], dict[str, Any]] = price_of_all

    @cached_property
    def params(self) -> tuple[Setting, ...]:
        """What the user sets."""
        return tuple(self.estimator.parameters)

    @cached_property
    def kernels(self) -> bool:
        """Whether it takes a kernel."""
        return "kernel" in signature(self.estimator).parameters

    @cached_property
    def weights(self) -> bool:
        """Whether examples can weigh more or less."""
        return "sample_weight" in signature(self.estimator.fit).parameters

    @property
    def sparse(self) -> bool:
        """Whether it takes sparse rows, with the linear kernel if it has kernels."""
        return bool(self.estimator.accepts_sparse)

    @property
    def multiclass(self) -> bool:
        """Whether it takes two classes or more; else two."""
        return bool(self.estimator.multiclass)

    @property
    def landmarks(self) -> bool:
        """Whether it can be fitted on all rows in the space of some."""
        return hasattr(self.estimator, "landmarks")

    def split_objective(self, margins: Any, norm: float, params: Mapping[str, Any], whole: float) -> dict[str, float]:
        """Return the objective's summands by name, or the `whole` value where it is no sum."""
        return {"objective": whole} if self.terms is None else self.terms(margins, norm, **params)

    def value(self, margins: Any, norm: float, params: Mapping[str, Any], **fitted: Any) -> float:
        """Return the objective; `fitted` holds signs, offset and dual_coef, of which it gets what it needs."""
        return self.objective(margins, norm, **{name: fitted[name] for name in self.needs}, **params)

    def outer_margin(self, mean: float) -> float:
        """Return the functional margin of the outer contours for a mean training margin; 1 where that is none."""
        return mean if self.unit == "mean margin" and mean > 0 else 1.0

    def settings(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, the chosen ones checked and the others at their defaults."""
        known = {p.name: p for p in self.params}
        for name in chosen:
            if name not in known:
                raise ValueError(f"{self.name} has no parameter {quoted(name)}; it has {', '.join(known)}.")
        return {name: p.check(chosen[name], self.name) if name in chosen else p.default for name, p in known.items()}


def _is_double(value: Any) -> bool:
    """Return whether it fits into a floating-point number: a whole number may have any length."""
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _cut(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _short(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    exponent = math.log2(abs(value)) if value else 0.0
    if abs(exponent) > 9 and exponent.is_integer():
        return f"{'-' if value < 0 else ''}2^{int(exponent)}"
    return f"{value:g}"
