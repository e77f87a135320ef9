"""An experiment as a value: what is computed, as keys and numbers; run() computes it.

The text form is the query string of the page, one grammar for both:
`data=moons&n=300&noise=0.3&seed=0&methods=svm,ldm&kernel=rbf&gamma=1&ldm.lambda1=0.0625`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, urlencode
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from mdcore.data import SCALING, SEED, TEST, OwnSource, Prepared, Source, find_source, load_dataset, prepare
from mdcore.data import edits as hand
from mdcore.kernels import COEF0, DEGREE, GAMMA, GAMMA_DEFAULT, GAMMA_WORDS, KERNEL, Kernel, resolve_gamma
from mdcore.margin import MarginDistribution, Scale, rescale
from mdcore.memo import Recent
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import OWN, REST, SEVERAL, OneVersusRest, new_estimator, title_of
from mdcore.methods.trace import Trace
from mdcore.solvers.budget import time_budget
from mdcore.space import KernelSpace
from mdcore.spec import Choice, Interval, Mark, Method, Param, Setting, Slider

Array = NDArray[np.float64]
Number = float | int

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
    "data=moons&n=300&noise=0.25&outliers=6&seed=0&kernel=rbf&gamma=1&methods=svm,ldm"
    "&svm.C=10&ldm.lambda1=256&ldm.lambda2=256&ldm.C=1"
)
OF_PAGE = ("methods", "kernel")  # what a page is about, whichever data it is given
MEGABYTE = 2**20


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
    scaling: str
    own: OwnSource | None = None

    @property
    def record(self) -> Source:
        return self.own or find_source(self.source)


@dataclass(frozen=True)
class KernelKey:
    """All that the kernel depends on, beside the rows that a word for gamma refers to."""

    name: str
    gamma: float | str
    degree: int
    coef0: float
    bias: bool


@dataclass(frozen=True)
class Experiment:
    """Which data, prepared how, in which kernel space, fitted by which methods with which parameters.

    `params` holds every parameter of every method shown, and those given for methods that are not. `several` says what
    methods of two classes make of more: see SEVERAL. `step` is where in their stream online learners are looked at, see
    STEP.
    """

    data: DataKey
    kernel: KernelKey
    methods: tuple[str, ...]
    params: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    scale: Scale = "geometric"
    several: str = OWN
    step: float = math.inf

    @classmethod
    def from_query(cls, query: str, own: Collection[OwnSource] = (), opening: str = OPENING) -> Self:
        """The experiment of a query string; keys left out take those of `opening` without `data`, else their defaults.

        Whatever the data, methods and kernel are by default those of the opening.
        Keys beginning with `view.` belong to the page that shows the experiment, and are passed over here. Of people's
        own tables only those of `own` can be named.
        """
        given, first = parse_query(query), parse_query(opening)
        given = ({key: first[key] for key in OF_PAGE if key in first} if "data" in given else first) | given
        left = {key: text for key, text in given.items() if not key.startswith(VIEW)}
        data, kernel = _take_data(left, own), _take_kernel(left)
        methods = _take_methods(left)
        scale, several, step = _take(left, SCALE), _take(left, SEVERAL), _take(left, STEP)
        params = _take_params(left, methods)
        if left:
            key = next(iter(left))
            raise BadKey(key, f"{key!r} is no parameter of {data.source}, of a kernel, or of a method.")
        return cls(data, kernel, methods, params, scale, several, step)

    def to_query(self) -> str:
        """The query string with every key of what is shown, so that it means the same when defaults change."""
        pairs: list[tuple[str, Any]] = [("data", self.data.source), *self.data.options]
        if "seed" not in dict(self.data.options):
            pairs.append(("seed", self.data.seed))
        if self.data.edits:
            pairs.append(("edits", hand.format(self.data.edits)))
        pairs += [("test", self.data.test), ("scaling", self.data.scaling), ("kernel", self.kernel.name)]
        pairs += [("gamma", self.kernel.gamma), ("degree", self.kernel.degree), ("coef0", self.kernel.coef0)]
        pairs += [("bias", int(self.kernel.bias)), ("methods", ",".join(self.methods))]
        pairs += [(f"{key}.{name}", value) for key, _ in self.params for name, value in self.settings(key).items()]
        pairs += [("scale", self.scale), (SEVERAL.name, self.several)]
        if math.isfinite(self.step):
            pairs.append((STEP.name, self.step))
        return urlencode([(key, number_text(value)) for key, value in pairs], safe=",")

    def settings(self, method: str) -> dict[str, Any]:
        """All parameters of a method, those left out at their defaults."""
        return METHODS[method].settings(dict(dict(self.params).get(method, ())))

    def with_param(self, method: str, name: str, value: Number | str) -> Self:
        """The same with one parameter moved."""
        moved = self.settings(method) | {name: value}
        METHODS[method].settings(moved)
        others = tuple((key, chosen) for key, chosen in self.params if key != method)
        return replace(self, params=_ordered([*others, (method, tuple(moved.items()))]))

    @property
    def classes(self) -> int:
        """How many classes the training part has."""
        return len(np.unique(self.prepare().y_train))

    def name(self, method: str) -> str:
        """What a method is called on these data."""
        return title_of(METHODS[method], self.classes, self.several)

    def prepare(self) -> Prepared:
        return self._memory.prepared.get(self.data_key, lambda: _prepare(self.data))

    def space(self) -> KernelSpace:
        """The training rows in the kernel, shared by all methods."""
        key = (self.data_key, self.kernel)
        return self._memory.spaces.get(key, lambda: _space(self.prepare(), self.kernel))

    def run(self) -> dict[str, Run]:
        return {method: self.run_method(method) for method in self.methods}

    def run_method(self, method: str, budget: float = math.inf) -> Run:
        """One method of it. Its fit is remembered, so a moved slider computes its own method only.

        After `budget` seconds the solver has to end with what it has; without, it takes the time it takes.
        """
        step = self.step if METHODS[method].family == "online" else math.inf
        fit = self._memory.fits.get((*self._fit_key(method), budget, step), lambda: _fit(self, method, budget, step))
        return Run(METHODS[method], self.settings(method), fit, self.prepare(), self.scale)

    def trace(self, method: str, budget: float = math.inf) -> Trace:
        """The whole run of an online learner, for any step; as far as it comes in `budget` seconds."""
        return self._memory.traces.get((*self._fit_key(method), budget), lambda: _trace(self, method, budget))

    def _fit_key(self, method: str) -> tuple[Any, ...]:
        return self.data_key, self.kernel, self.several, method, tuple(self.settings(method).items())

    @property
    def _memory(self) -> _Memory:
        """Where its results are kept; those on somebody's own table go when the table goes."""
        return _SHARED if self.data.own is None else _OWN.setdefault(self.data.own, _Memory(64 * MEGABYTE, fits=32))

    @property
    def data_key(self) -> DataKey:
        """The data's key without a source: results must not keep alive what they are kept for."""
        return self.data if self.data.own is None else replace(self.data, own=None)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and its functional margins; `seconds` is what the fit itself took.

    `cut`: the solver was told to end before it was done, after its `budget`. `on_the_way`: an online learner before the
    end of its stream.
    """

    model: Any
    space: KernelSpace
    train: Array
    test: Array
    seconds: float
    cut: bool = False
    on_the_way: bool = False
    budget: float = math.inf


@dataclass(frozen=True, eq=False)
class Run:
    """What one method made of an experiment. Every number on screen is read from here."""

    method: Method
    params: Mapping[str, Any]
    fit: Fit
    prepared: Prepared
    scale: Scale

    @cached_property
    def train(self) -> MarginDistribution:
        return self._on_scale(self.fit.train)

    @cached_property
    def test(self) -> MarginDistribution:
        return self._on_scale(self.fit.test)

    @property
    def model(self) -> Any:
        return self.fit.model

    @property
    def opposed(self) -> bool:
        """Whether a method of two classes was fitted for each class against the rest."""
        return isinstance(self.model, OneVersusRest)

    @property
    def name(self) -> str:
        """The method, and what was made of it for several classes."""
        return title_of(self.method, len(self.model.classes_), REST if self.opposed else OWN)

    @cached_property
    def norm(self) -> float:
        """‖w‖ of the f of two classes; that of a method of several is f_1 - f_0."""
        return float(self.model.weights_apart())

    @property
    def unit(self) -> float:
        """The functional margin of the outer contours; 1 where a mean margin is none."""
        mean = float(self.fit.train.mean())
        return mean if self.method.unit == "mean margin" and mean > 0 else 1.0

    @property
    def votes(self) -> bool:
        """Whether its scores count votes, so that its margins share no unit with those of other methods."""
        return bool(self.model.multiclass and self.model.voting and len(self.model.classes_) > 2)

    def by_class(self, part: Literal["train", "test"]) -> list[MarginDistribution]:
        """The margins of the examples of each class, in the order of the data's classes."""
        labels = self.prepared.y_train if part == "train" else self.prepared.y_test
        whole: MarginDistribution = getattr(self, part)
        classes = self.prepared.dataset.classes
        return [MarginDistribution(whole.values[labels == label], whole.scale) for label in classes]

    def marks(self) -> tuple[Mark, ...]:
        """Where the parameters act on the margin axis, on the scale shown; not on margins that no one problem has."""
        if self.opposed:
            return ()
        unit = float(rescale(np.ones(1), self.model.norm_, self.scale)[0])
        marks = self.method.marks(self.params, MarginDistribution(self.fit.train, "functional"))
        return tuple(replace(mark, low=mark.low * unit, high=mark.high * unit) for mark in marks)

    def field(self, xs: Array, ys: Array) -> Array:
        """f on the grid xs x ys of two features, in the space the solver sees; rows follow ys. For two classes."""
        if len(self.model.classes_) > 2:
            raise ValueError(f"{self.name} has {len(self.model.classes_)} scores, not one: use Run.regions.")
        if self.model.multiclass:
            scores = self._scores(xs, ys)
            return scores[1] - scores[0]
        return self._planes(self.model, xs, ys)[0]

    def regions(self, xs: Array, ys: Array) -> tuple[NDArray[np.intp], Array]:
        """Which class (its index in classes_) is predicted on the grid, and the scores f_l, class by class.

        A method of two classes has the scores -f/2 and f/2, so that the margin is the difference of scores for all.
        """
        if self.model.multiclass:
            scores = self._scores(xs, ys)
        else:
            f = self.field(xs, ys)
            scores = np.stack([-0.5 * f, 0.5 * f])
        return np.argmax(scores, axis=0), scores

    def _scores(self, xs: Array, ys: Array) -> Array:
        if self.votes:
            decisions = self._fields(self.model, self.model.binary_coef_, xs, ys)
            return np.moveaxis(self.model.from_decisions(np.moveaxis(decisions, 0, -1)), -1, 0)
        if self.opposed:
            return 0.5 * np.concatenate([self._planes(model, xs, ys) for model in self.model.estimators_])
        return self._planes(self.model, xs, ys)

    def _planes(self, model: Any, xs: Array, ys: Array) -> Array:
        """The functions of a model's weights on the grid: f, or f_l of every class."""
        if hasattr(model, "coef_"):
            across, up = model.coef_.T[:, :, None, None]
            return np.asarray(across * xs[None, None, :] + up * ys[None, :, None] + model.intercept_[:, None, None])
        return self._fields(model, model.dual_coef_.reshape(len(self.fit.space), -1), xs, ys)

    def _fields(self, model: Any, coefficients: Array, xs: Array, ys: Array) -> Array:
        """On the grid, a function for each column of coefficients."""
        space = self.fit.space if model.kernel_.bias else self.fit.space.plain
        return np.stack([space.field(column, xs, ys) for column in coefficients.T]) + model.offset_

    def _on_scale(self, functional: Array) -> MarginDistribution:
        return MarginDistribution(rescale(functional, self.model.norm_, self.scale), self.scale)


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


def clear_caches() -> None:
    for memory in (_SHARED, *_OWN.values()):
        memory.clear()


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


def _take_kernel(left: dict[str, str]) -> KernelKey:
    name = _take(left, KERNEL)
    gamma: float | str = GAMMA_DEFAULT
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


def _take_params(left: dict[str, str], shown: tuple[str, ...]) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
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
    return _ordered(complete)


def _ordered(
    params: Iterable[tuple[str, tuple[tuple[str, Any], ...]]],
) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
    order = list(METHODS)
    return tuple(sorted(params, key=lambda item: order.index(item[0])))


def _prepare(key: DataKey) -> Prepared:
    options = dict(key.options)
    examples = key.own.make(**options) if key.own else load_dataset(key.source, **options)
    try:
        return prepare(examples, scaling=key.scaling, test=key.test, seed=key.seed, edits=key.edits)  # type: ignore[arg-type]
    except ValueError as error:
        raise BadKey("edits" if key.edits else "test", str(error)) from None


def _space(prepared: Prepared, key: KernelKey) -> KernelSpace:
    gamma = resolve_gamma(key.gamma, prepared.X_train)
    return KernelSpace(prepared.X_train, Kernel(key.name, gamma, key.degree, key.coef0, key.bias))  # type: ignore[arg-type]


def _fit(experiment: Experiment, method: str, budget: float, step: float) -> Fit:
    record, prepared, space = METHODS[method], experiment.prepare(), experiment.space()
    begun = time.perf_counter()
    traced = record.family == "online" and min(step, budget) < math.inf
    trace = experiment.trace(method, budget) if traced else None
    if trace is None:
        with time_budget(budget) as spent:
            model = fit_model(new_model(experiment, method), record, space, prepared)
        cut, on_the_way = spent.exceeded and not model.converged_, False
    else:
        model = trace.model(step)
        cut, on_the_way = trace.cut and step >= trace.end, step < trace.end
    seconds = time.perf_counter() - begun
    train = model.margins(prepared.X_train, prepared.y_train)
    test = model.margins(prepared.X_test, prepared.y_test) if len(prepared.y_test) else np.empty(0)
    return Fit(model, space, train, test, seconds, cut, on_the_way, budget)


def _trace(experiment: Experiment, method: str, budget: float) -> Trace:
    model, prepared = new_model(experiment, method), experiment.prepare()
    with time_budget(budget):
        if METHODS[method].kernels:
            return model.trace_space(experiment.space(), prepared.y_train)
        return model.trace(prepared.X_train, prepared.y_train)


def new_model(experiment: Experiment, method: str, **options: Any) -> Any:
    """The estimator of a method with the experiment's parameters; of the `options` it takes those it has."""
    settings = experiment.settings(method) | {"fit_intercept": experiment.kernel.bias, "kernel": experiment.kernel.name}
    return new_estimator(METHODS[method], experiment.classes, experiment.several, settings | options)


def fit_model(model: Any, record: Method, space: KernelSpace, prepared: Prepared) -> Any:
    if record.kernels:
        return model.fit_space(space, prepared.y_train)
    return model.fit(prepared.X_train, prepared.y_train)


def _space_bytes(space: KernelSpace) -> float:
    return 40.0 * len(space) ** 2  # two Gram matrices, with and without the constant feature, and three derived ones


class _Memory:
    """The latest results."""

    def __init__(self, space_bytes: float, fits: int) -> None:
        self.prepared: Recent[Prepared] = Recent(room=64)
        self.spaces: Recent[KernelSpace] = Recent(room=space_bytes, weight=_space_bytes)
        self.fits: Recent[Fit] = Recent(room=fits)
        self.traces: Recent[Trace] = Recent(room=space_bytes / 2, weight=lambda trace: float(trace.nbytes))

    def clear(self) -> None:
        for results in (self.prepared, self.spaces, self.fits, self.traces):
            results.clear()


_SHARED = _Memory(512 * MEGABYTE, fits=256)
_OWN: WeakKeyDictionary[OwnSource, _Memory] = WeakKeyDictionary()
