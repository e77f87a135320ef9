"""The records of methods, and the settings of methods and sources of data.

The app, the command line, the reference page and the tests read everything about a method from its `Method` record, so
that nothing else has to be edited when a method is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mdcore.basics.text import quoted
from mdcore.margins.bounds import Bound
from mdcore.margins.distribution import MarginDistribution

LONGEST = 60  # characters of a value in a message
HUGE = 1e100  # larger numbers, and numbers below its inverse, are rejected: their powers overflow or underflow


@dataclass(frozen=True)
class Interval:
    """The legal values of a number: `low <= v <= high`, without an end that is open."""

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
    """The range of a slider, which is never wider than the legal values.

    On a log slider the positions are equally spaced in log2. `zero` adds one position, 0, to the left of `low`.
    """

    low: float
    high: float
    log: bool = False
    zero: bool = False
    step: float | None = None


@dataclass(frozen=True)
class Search:
    """The values among which a search for the best parameter begins: ascending, and first those in `first`.

    If it `grows`, it goes on beyond an end at which the best value lies, in steps of the ratio of the last two values.
    With `per_row` the values are for each training row: those of a weight of a mean over the rows, which acts like a
    weight of every row times their number.
    """

    values: tuple[Any, ...]
    first: tuple[Any, ...]
    grows: bool = False
    per_row: bool = False


@dataclass(frozen=True)
class Param:
    """A number that the user sets: legal values, slider, the paper's grid (the ticks of the slider), help, and the
    search for its best value, None if a search leaves it at its default."""

    name: str
    symbol: str
    default: float
    legal: Interval
    slider: Slider
    help: str
    grid: tuple[float, ...] = ()
    integer: bool = False
    search: Search | None = None

    def check(self, value: Any, owner: str) -> float:
        """Return `value` as an int if the parameter is an integer, else as a float, since numba compiles a function for
        each type of number. Raise a ValueError with the name and the legal values if it is not legal."""
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
        return int(value) if self.integer else float(value)

    def parse(self, text: str, owner: str) -> float:
        """Return the number of a text, for example from a URL or a command line; raise a ValueError as `check` does."""
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
    """A setting with a few named options."""

    name: str
    symbol: str
    default: str
    options: tuple[str, ...]
    help: str
    search: Search | None = None

    def check(self, value: Any, owner: str) -> str:
        if value not in self.options:
            raise ValueError(f"{owner}: {self.name} must be one of {', '.join(self.options)}; got {quoted(value)}.")
        return str(value)

    def parse(self, text: str, owner: str) -> str:
        return self.check(text, owner)


Setting = Param | Choice


@dataclass(frozen=True)
class Paper:
    """The publication of a method."""

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
    stated: float | None = None  # the place that the label states
    strength: float = 1.0


@dataclass(frozen=True)
class Work:
    """The work of a solver for two classes, besides one kernel value for each pair of rows.

    On m rows it passes over the kernel matrix `passes` times and does `cubes` * m³ multiplications; with n landmarks,
    it does `spans` * n² (m + n) besides computing the features. With `columns`, the solver holds only those columns of
    the kernel matrix that it needs, as far as memory allows.
    """

    passes: float = 50.0
    cubes: float = 1.0
    spans: float = 6.0
    columns: bool = False


class Classifier(Protocol):
    """The estimator of a method: what its record reads from the class, and what every fitted model has."""

    parameters: ClassVar[tuple[Setting, ...]]
    accepts_sparse: ClassVar[bool]
    multiclass: ClassVar[bool]
    voting: ClassVar[bool]
    explicit: ClassVar[bool]
    followed: ClassVar[tuple[str, ...]]
    for_choice: ClassVar[Mapping[str, Any]]
    work: ClassVar[Work]
    matrices: ClassVar[float]

    classes_: NDArray[Any]
    norm_: float
    objective_: float
    gap_: float
    n_iter_: int
    converged_: bool
    support_: NDArray[np.intp]

    def __init__(self, **settings: Any) -> None: ...
    @classmethod
    def models(cls, classes: int) -> float: ...
    @property
    def is_linear(self) -> bool: ...
    def get_params(self) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...


@dataclass(frozen=True, eq=False)
class Fitted:
    """The input of a bound: a model, its functional training margins, the values k(x_i, x_i), and the parameters."""

    model: Classifier
    margins: MarginDistribution
    diagonal: NDArray[np.float64]
    params: Mapping[str, Any]


def scaled_price(params: Mapping[str, Any], times: float) -> dict[str, Any]:
    """Return the price C of an example's loss times the number of rows that it stands for; {} for methods without C."""
    return {"C": times * params["C"]} if "C" in params else {}


def summed(terms: Callable[..., dict[str, float]]) -> Callable[..., float]:
    """Return the objective with these summands."""
    return lambda margins, norm, **params: sum(terms(margins, norm, **params).values())


@dataclass(frozen=True)
class Method:
    """The record of a method.

    `objective(margins, norm, **params)` is the primal problem as code; for an estimator that solves several `problems`
    it is the objective of each. If margins and norm do not determine it, `needs` names its further arguments, which
    `value` passes: `signs` (the labels as -1/+1), `offset` (a bias outside ||w||), `dual_coef`. `terms(margins, norm,
    **params)` returns the summands of the objective by name; it is None if the objective is not a sum.

    `bias` is either a constant feature, part of ||w||, or a number outside ||w||. `space` is the space of w: that of
    the kernel, with ||w||^2 = a'Ka for a = dual_coef_, or that of the kernel values k(x_i, x), with one weight each and
    ||w||^2 = a'a. `unit` is the functional margin at which the two outer contours are drawn: one or, if margins have
    no natural unit, the mean training margin. `marks` returns where parameters act on the margin axis. `support`
    describes the examples in the estimator's `support_`. `bound` and `complexity` are texts for the reference page;
    `bound_of` computes the bound for a fitted model.

    `family` is "batch" for methods with one solution per sample. "online" methods learn example by example, so that the
    order of the rows counts, in epochs until one has no update, and their margins are in units of ||w||_q without the
    bias. `conflict` returns why legal parameters cannot be combined with a kernel, or "". `convex` is False if a fit
    that starts at another solution may end at a different solution than a fresh fit. `sample_params(params, times)`
    returns the parameters to change so that a sample of the rows, each of which stands for `times` rows, has about the
    same solution as all rows.

    The properties are read from the estimator.
    """

    key: str
    name: str
    summary: str
    estimator: type[Classifier]
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
    bound_of: Callable[[Fitted], Bound] | None = None
    complexity: str = ""
    convex: bool = True
    terms: Callable[..., dict[str, float]] | None = None
    family: Literal["batch", "online"] = "batch"
    conflict: Callable[[Mapping[str, Any], str], str] = lambda params, kernel: ""
    sample_params: Callable[[Mapping[str, Any], float], dict[str, Any]] = scaled_price

    @cached_property
    def params(self) -> tuple[Setting, ...]:
        """The parameters that the user sets."""
        return tuple(self.estimator.parameters)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of every parameter."""
        return {param.name: param.default for param in self.params}

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of all parameters of the estimator."""
        return frozenset(signature(self.estimator).parameters)

    @cached_property
    def kernels(self) -> bool:
        """Whether the method can use kernels."""
        return "kernel" in self.known

    @cached_property
    def weights(self) -> bool:
        """Whether the method supports sample weights."""
        return "sample_weight" in signature(self.estimator.fit).parameters

    @property
    def sparse(self) -> bool:
        """Whether the method accepts sparse rows, if it has kernels with the linear kernel."""
        return bool(self.estimator.accepts_sparse)

    @property
    def multiclass(self) -> bool:
        """Whether the method accepts more than two classes."""
        return bool(self.estimator.multiclass)

    @property
    def voting(self) -> bool:
        """Whether scores of three or more classes count votes, so that margins have no unit."""
        return bool(self.estimator.voting)

    @property
    def explicit(self) -> bool:
        """Whether the linear kernel needs no kernel matrix."""
        return bool(self.estimator.explicit)

    @property
    def followed(self) -> tuple[str, ...]:
        """The parameters in which the solution is piecewise linear, so that its path can be followed exactly."""
        return tuple(self.estimator.followed)

    @property
    def landmarks(self) -> bool:
        """Whether the method can be fitted in the features of landmarks."""
        return "landmarks" in self.known

    def split_objective(self, margins: Any, norm: float, params: Mapping[str, Any], whole: float) -> dict[str, float]:
        """Return the summands of the objective by name, or the `whole` value if the objective is not a sum."""
        return {"objective": whole} if self.terms is None else self.terms(margins, norm, **params)

    def value(self, margins: Any, norm: float, params: Mapping[str, Any], **fitted: Any) -> float:
        """Return the value of the objective; `fitted` holds signs, offset and dual_coef, as far as it `needs` them."""
        return self.objective(margins, norm, **{name: fitted[name] for name in self.needs}, **params)

    def outer_margin(self, mean: float) -> float:
        """Return the functional margin of the outer contours, given the mean training margin; 1 if that is not
        positive."""
        return mean if self.unit == "mean margin" and mean > 0 else 1.0

    def settings(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters: those `chosen`, after a check, and the defaults of the others."""
        known = {p.name: p for p in self.params}
        for name in chosen:
            if name not in known:
                raise ValueError(f"{self.name} has no parameter {quoted(name)}; its parameters are {', '.join(known)}.")
        return self.defaults | {name: known[name].check(value, self.name) for name, value in chosen.items()}


def _is_double(value: Any) -> bool:
    """Return whether a number fits into a float; Python's integers may be too large."""
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _short(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    exponent = math.log2(abs(value)) if value else 0.0
    if abs(exponent) > 9 and exponent.is_integer():
        return f"{'-' if value < 0 else ''}2^{int(exponent)}"
    return f"{value:g}"
