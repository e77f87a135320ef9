"""An experiment as an immutable value that specifies what to compute; its methods compute and cache the results."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from mdcore.costs import exact_bytes
from mdcore.data import SEED, TEST, OwnSource, Prepared, Source, find_source, load_dataset, prepare
from mdcore.data.splitting import Rows, stratified
from mdcore.kernels import COEF0, DEGREE, KERNEL, Kernel, KernelName, resolve_gamma
from mdcore.keys import COMMON, METHODS_KEY, find_key, keys_on, written_keys
from mdcore.landmarks import BLOCK, FixedLandmarks, LandmarkSpace
from mdcore.margin import Margins, Scale
from mdcore.memo import LRUCache
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import OWN, is_one_versus_rest, new_estimator, part_of, title_of
from mdcore.methods.online.trace import Trace
from mdcore.picture_fits import PICTURE_SECONDS, SPANNED, Case, Decided
from mdcore.query import BIAS, OPENING, VIEW, BadKey, DataKey, KernelKey, ordered, parse_query
from mdcore.result_caches import BYTES_PER_PAIR, ResultCaches, caches_of
from mdcore.run import Fit, Run
from mdcore.solvers.budget import time_budget
from mdcore.space import KernelSpace
from mdcore.spec import Method
from mdcore.within import EXACT, Within

Array = NDArray[np.float64]

GRAM_ROWS = 3500  # training rows up to which the Gram matrix is computed at once
PREVIEW_TOL = 2e-4  # relative gap of a preview; a larger error would be told as the effect of a slider


@dataclass(frozen=True)
class Experiment:
    """Which data, prepared how, in which kernel space, fitted by which methods with which parameters.

    `params` holds all parameters of the methods shown, and of other methods for which a parameter was given. `several`
    says how two-class methods treat more classes: see SEVERAL. `step` is the position in the stream at which online
    learners are shown: see STEP. `sample` is the number of training rows of a preview, else None: see `preview`.
    `decided` is what the methods are fitted on, None if that is decided anew: see `settled`.
    """

    data: DataKey
    kernel: KernelKey
    methods: tuple[str, ...]
    params: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    scale: Scale = "geometric"
    several: str = OWN
    step: float = math.inf
    sample: int | None = None
    decided: Decided | None = None

    @classmethod
    def from_query(cls, query: str, own: Collection[OwnSource] = (), opening: str = OPENING) -> Experiment:
        """Return the experiment of a query string.

        If the query has no `data`, missing keys take their values from `opening`. Otherwise they take their defaults,
        except that the methods are those of the opening, and so is the kernel unless the source has its own. Of users'
        own tables, the query can name only those in `own`.
        """
        return cls.from_texts(parse_query(query), own, opening)

    @classmethod
    def from_texts(
        cls, given: Mapping[str, str], own: Collection[OwnSource] = (), opening: str = OPENING
    ) -> Experiment:
        """Return the experiment of texts by key; keys of a page, which begin with `view.`, are ignored."""
        texts = dict(given) if "data" in given else parse_query(opening) | dict(given)
        made = cls._opened(_find_source(texts.pop("data"), own), opening)
        known = keys_on(made.data.record)
        for name, text in texts.items():
            if not name.startswith(VIEW):
                key = find_key(known, name)
                made = key.put(made, key.read(text))
        return made._completed()

    @classmethod
    def on(cls, source: Source, opening: str = OPENING) -> Experiment:
        """Return the experiment with which a source opens on a page: its default options, scaling, kernel and gamma,
        and the page's methods."""
        return cls._opened(source, opening)._completed()

    @classmethod
    def _opened(cls, source: Source, opening: str) -> Experiment:
        first = parse_query(opening)
        own = source if isinstance(source, OwnSource) else None
        options = tuple(source.recipe({}).items())
        data = DataKey(source.key, options, (), int(SEED.default), TEST.default, source.scaling, own)
        name: KernelName = source.kernel or COMMON[KERNEL.name].read(first.get(KERNEL.name, KERNEL.default))
        kernel = KernelKey(name, source.gamma, int(DEGREE.default), COEF0.default, BIAS.default == "1")
        return cls(data, kernel, METHODS_KEY.read(first["methods"]))

    def with_values(self, values: Mapping[str, Any]) -> Experiment:
        """Return the experiment with new values by key, in their own types: {"n": 80, "gamma": "scale", "svm.C": 4}."""
        made, known = self, keys_on(self.data.record)
        for name, value in values.items():
            key = find_key(known, name)
            made = key.put(made, key.checked(value))
        return made._completed()

    def with_value(self, name: str, value: Any) -> Experiment:
        return self.with_values({name: value})

    def _completed(self) -> Experiment:
        """Return the experiment with all parameters filled in, so that equal experiments compare equal."""
        methods = {*self.methods, *dict(self.params)}
        return replace(self, params=ordered((key, tuple(self.settings(key).items())) for key in methods))

    def to_query(self) -> str:
        """Return the query string with every key, so that it keeps its meaning when defaults change."""
        values = [(key, key.get(self)) for key in written_keys(self)]
        texts = [(key.name, key.text(value)) for key, value in values if value != key.omitted]
        return urlencode([("data", self.data.source), *texts], safe=",")

    def settings(self, method: str) -> dict[str, Any]:
        """Return all parameters of a method, with defaults for those that are not set."""
        return METHODS[method].settings(dict(dict(self.params).get(method, ())))

    def with_param(self, method: str, name: str, value: float | str) -> Experiment:
        """Return the experiment with another value of one parameter."""
        moved = METHODS[method].settings(self.settings(method) | {name: value})
        others = tuple((key, chosen) for key, chosen in self.params if key != method)
        return replace(self, params=ordered([*others, (method, tuple(moved.items()))]))

    @property
    def classes(self) -> int:
        """Number of classes in the training part."""
        return len(np.unique(self.prepare().y_train))

    def name(self, method: str) -> str:
        """Return the title of a method on these data."""
        return title_of(METHODS[method], self.classes, self.several)

    def preview(self, rows: int) -> Experiment:
        """Return the experiment on a stratified sample of `rows` training rows and the same share of the test rows.

        Scaling, kernel and landmarks are those of all rows, and parameters are adjusted so that the boundary is close
        to that of all rows. If there are no more than `rows` training rows, return the experiment itself.
        """
        m = len(self.prepare().y_train)
        if m <= rows:
            return self
        adjusted = {key: METHODS[key].sample_params(dict(chosen), m / rows) for key, chosen in self.params}
        params = ((key, tuple((dict(chosen) | adjusted[key]).items())) for key, chosen in self.params)
        return replace(self, params=ordered(params), sample=rows)

    @property
    def training_rows(self) -> int:
        """Number of training rows, including those that a preview leaves out."""
        return len(self._full.prepare().y_train)

    @property
    def row_weight(self) -> float:
        """Number of rows that each row stands for: more than 1 in a preview."""
        return 1.0 if self.sample is None else self.training_rows / self.sample

    def settled(self) -> Experiment:
        """Return the experiment with an explicit decision on what its methods are fitted on, so that its address gives
        the same picture on another machine. Few rows and linear kernels need none."""
        case, kernels = self.case, [key for key in self.methods if METHODS[key].kernels]
        if not case.decides or not kernels:
            return replace(self, decided=None)
        return replace(self, decided=Decided(case.rows, tuple((key, self._decided_within(key)) for key in kernels)))

    def within(self, method: str) -> Within:
        """Return what a method is fitted on: as decided for these rows and methods, else as decided now.

        A preview has landmarks, which follow a slider faster. Hard margins have none.
        """
        if not METHODS[method].landmarks or math.inf in self.settings(method).values():
            return EXACT
        found = self._decided_within(method)
        return SPANNED if found == EXACT and self.sample is not None else found

    def _decided_within(self, method: str) -> Within:
        if self.decided is not None and self.decided.rows == self.training_rows:
            known = dict(self.decided.within)
            if known.keys() >= {method, *(key for key in self.methods if METHODS[key].kernels)}:
                return known[method]
        return self.case.within(METHODS[method])

    @property
    def case(self) -> Case:
        """What decides on how its methods are fitted."""
        prepared = self._full.prepare()
        m, d = prepared.X_train.shape
        return Case(m, d, len(np.unique(prepared.y_train)), self.kernel.name, PICTURE_SECONDS / len(self.methods))

    @property
    def _full(self) -> Experiment:
        return replace(self, sample=None)

    def _sample_rows(self) -> tuple[Rows, Rows]:
        """Return the indices of the sample among the training rows and among the test rows."""
        return self._caches.sample_rows.get((self.data_key, self.sample), self._draw_sample)

    def _draw_sample(self) -> tuple[Rows, Rows]:
        assert self.sample is not None
        whole = self._full.prepare()
        share, seed = self.sample / len(whole.y_train), self.data.seed
        tested = max(1, round(share * len(whole.y_test))) if len(whole.y_test) else 0
        return stratified(whole.y_train, self.sample, seed), stratified(whole.y_test, tested, seed)

    def prepare(self) -> Prepared:
        """Return the prepared data, which are cached."""
        if self.sample is not None:
            key = (self.data_key, self.sample)
            return self._caches.prepared.get(key, lambda: self._full.prepare().part(*self._sample_rows()))
        return self._caches.prepared.get(self.data_key, lambda: _prepare(self.data))

    def space(self) -> KernelSpace:
        """Return the kernel space of the training rows, which all methods share."""
        if self.sample is not None:
            return self._sample_space("exact", self._full.space)
        key = (self.data_key, self.kernel)
        return self._caches.spaces.get(key, lambda: _space(self.prepare(), self.kernel))

    def space_for(self, method: str) -> KernelSpace:
        """Return the space that a method is fitted in: the exact one, or that of landmarks."""
        landmarks = self.within(method).landmarks if self.kernel.name != "linear" else 0
        if not landmarks:
            return self.space()
        if self.sample is not None:
            kind = landmarks, self._landmark_kernel(landmarks)
            return self._sample_space(kind, lambda: self._full_landmark_space(landmarks))
        return self._landmark_space(landmarks)

    def _landmark_space(self, landmarks: int) -> LandmarkSpace:
        key = (self.data_key, self.kernel, landmarks)
        space = self._caches.landmark_spaces.get(key, lambda: _landmark_space(self.prepare(), self.kernel, landmarks))
        self._caches.landmarks.put(key, FixedLandmarks(space.landmarks))
        self._caches.landmark_kernels.put((self.data_key, landmarks), self.kernel)
        return space

    def _landmark_kernel(self, landmarks: int) -> KernelKey:
        """Return the kernel whose landmarks a preview uses.

        This is the preview's own kernel if landmarks have been drawn for it, or else the last kernel with landmarks if
        it differs only in γ: a change of landmarks would be mistaken for an effect of γ.
        """
        last = self._caches.landmark_kernels.peek((self.data_key, landmarks))
        known = (self.data_key, self.kernel, landmarks) in self._caches.landmarks
        return last if last and not known and replace(last, gamma=self.kernel.gamma) == self.kernel else self.kernel

    def _full_landmark_space(self, landmarks: int) -> LandmarkSpace:
        """Return the space of all rows that a preview is a sample of, with the known landmarks if these are independent
        in this kernel."""
        drawn = self._caches.landmarks.peek((self.data_key, self._landmark_kernel(landmarks), landmarks))
        if drawn is not None:
            space = _landmark_space(self._full.prepare(), self.kernel, landmarks, drawn)
            if space.independent and not space.exhausted:
                return space
        return self._full._landmark_space(landmarks)

    @property
    def bytes(self) -> float:
        """Memory of the largest space of its methods, in bytes, estimated before any space is computed."""
        rows, most = self.training_rows, 0.0
        for method in filter(lambda name: METHODS[name].kernels, self.methods):
            landmarks, record = self.within(method).landmarks, METHODS[method]
            if self.kernel.name == "linear" and record.explicit and rows > GRAM_ROWS:
                continue
            exact = exact_bytes(record, rows) if rows > GRAM_ROWS else BYTES_PER_PAIR * rows**2
            most = max(most, 16.0 * (rows * (landmarks + 1) + BLOCK) if landmarks else exact)
        return most

    def _sample_space(self, kind: Hashable, whole: Callable[[], KernelSpace]) -> KernelSpace:
        key = (self.data_key, self.kernel, self.sample, kind)
        return self._caches.samples.get(key, lambda: whole().sampled(self._sample_rows()[0]))

    def run(self) -> dict[str, Run]:
        """Return the runs of all methods shown, by method."""
        return {method: self.run_method(method) for method in self.methods}

    def run_method(self, method: str, budget: float = math.inf) -> Run:
        """Return the run of one method. Fits are cached, so that a moved slider recomputes its own method only.

        After `budget` seconds the solver ends with its best result so far. A fit that was cut short is repeated only
        with a larger budget.
        """
        step = self.step if self._has_stream(method) else math.inf
        fit = self._fits.get(
            (*self._fit_key(method), step),
            lambda: _fit(self, method, budget, step),
            accept=lambda fit: not fit.cut or fit.budget >= budget,
        )
        return Run(METHODS[method], self.settings(method), fit, self.prepare(), self.scale)

    def trace(self, method: str, budget: float = math.inf) -> Trace:
        """Return the complete trace of an online learner, for all steps, as far as it gets within `budget` seconds."""
        return self._caches.traces.get((*self._fit_key(method), budget), lambda: _trace(self, method, budget))

    def _has_stream(self, method: str) -> bool:
        """Return whether the method is a single online learner; one learner per class would have no common stream."""
        record = METHODS[method]
        return record.family == "online" and not is_one_versus_rest(record, self.classes, self.several)

    @property
    def _fits(self) -> LRUCache[Fit]:
        """The cache of its fits; small for large samples, because each fit holds a reference to its space."""
        whole = self.sample is None and self.training_rows > GRAM_ROWS
        return self._caches.large_fits if whole else self._caches.fits

    def _fit_key(self, method: str) -> tuple[Any, ...]:
        within = self.within(method)
        landmark_kernel = None if self.sample is None else self._landmark_kernel(within.landmarks)
        settings = tuple(self.settings(method).items())
        return self.data_key, self.sample, self.kernel, within, landmark_kernel, self.several, method, settings

    @property
    def _caches(self) -> ResultCaches:
        return caches_of(self.data.own)

    @property
    def data_key(self) -> DataKey:
        """The key of the data without the source object: cached results must not keep a user's table alive."""
        return self.data if self.data.own is None else replace(self.data, own=None)


def _find_source(name: str, own: Collection[OwnSource]) -> Source:
    try:
        return next((table for table in own if table.key == name), None) or find_source(name)
    except ValueError as error:
        raise BadKey("data", str(error)) from None


def _prepare(key: DataKey) -> Prepared:
    options = dict(key.options)
    examples = key.own.make(**options) if key.own else load_dataset(key.source, **options)
    try:
        return prepare(examples, scaling=key.scaling, test=key.test, seed=key.seed, edits=key.edits)
    except ValueError as error:
        raise BadKey("edits" if key.edits else "test", str(error)) from None


def _landmark_space(
    prepared: Prepared, key: KernelKey, landmarks: int, drawn: FixedLandmarks | None = None
) -> LandmarkSpace:
    X = prepared.X_train
    return LandmarkSpace(X, _kernel(X, key), min(landmarks, len(X)), drawn)


def _kernel(X: Array, key: KernelKey) -> Kernel:
    thinned = X[:: max(1, len(X) // GRAM_ROWS)]  # gamma='distance' takes all pairs
    return key.kernel(resolve_gamma(key.gamma, thinned))


def _space(prepared: Prepared, key: KernelKey) -> KernelSpace:
    """Return the space of the training rows.

    A small Gram matrix is computed at once; otherwise the last digits of a fit could depend on the fits before it.
    """
    space = KernelSpace(prepared.X_train, _kernel(prepared.X_train, key))
    if key.name != "linear" and len(space) <= GRAM_ROWS:
        _ = space.gram
    return space


def _fit(experiment: Experiment, method: str, budget: float, step: float) -> Fit:
    record, prepared, space = METHODS[method], experiment.prepare(), experiment.space_for(method)
    started = time.perf_counter()
    traced = min(step, budget) < math.inf and experiment._has_stream(method)
    trace = experiment.trace(method, budget) if traced else None
    if trace is None:
        with time_budget(budget) as spent:
            model = new_model(experiment, method) if experiment.sample is None else _preview_model(experiment, method)
            fit_model(model, record, space, prepared)
        if experiment.sample is not None:
            experiment._caches.previews.put(_preview_key(experiment, method), model)
        cut, mid_stream = spent.exceeded and not model.converged_, False
    else:
        model = trace.model(step)
        cut, mid_stream = trace.cut and step >= trace.end, step < trace.end
    seconds = time.perf_counter() - started
    train = model.margins_of_fit(prepared.X_train, prepared.y_train)
    test = model.both_margins(prepared.X_test, prepared.y_test) if len(prepared.y_test) else Margins.none()
    if not (np.isfinite(train.functional).all() and np.isfinite(test.functional).all()):
        raise ValueError(
            f"{record.name}: the margins overflow because the parameters are too large. Reduce the parameters."
        )
    return Fit(model, space, train, test, seconds, cut, mid_stream, budget)


def _preview_model(experiment: Experiment, method: str) -> Any:
    """Return the model to fit for a preview: a copy of the previous preview's model, if any, to continue from it."""
    record = METHODS[method]
    tol = max(PREVIEW_TOL, record.estimator().get_params().get("tol", 0.0))  # no stricter than with all rows
    model = new_model(experiment, method, tol=tol, warm_start=record.convex)
    before = experiment._caches.previews.peek(_preview_key(experiment, method))
    if before is None or part_of(model) is not model:
        return model
    return copy.copy(before).set_params(**experiment.settings(method))


def _preview_key(experiment: Experiment, method: str) -> tuple[Any, ...]:
    kernel = replace(experiment.kernel, gamma=1.0)  # a preview with another gamma continues too
    return experiment.data_key, experiment.sample, kernel, experiment.within(method), experiment.several, method


def _trace(experiment: Experiment, method: str, budget: float) -> Trace:
    model, prepared = new_model(experiment, method), experiment.prepare()
    with time_budget(budget):
        if METHODS[method].kernels:
            return model.trace_space(experiment.space(), prepared.y_train)
        return model.trace(prepared.X_train, prepared.y_train)


def new_model(experiment: Experiment, method: str, **options: Any) -> Any:
    """Return the estimator of a method with the experiment's parameters, and those of the `options` that it has."""
    settings = experiment.settings(method) | {"fit_intercept": experiment.kernel.bias, "kernel": experiment.kernel.name}
    return new_estimator(METHODS[method], experiment.classes, experiment.several, settings | options)


def fit_model(model: Any, record: Method, space: KernelSpace, prepared: Prepared) -> Any:
    if record.kernels:
        return model.fit_space(space, prepared.y_train)
    return model.fit(prepared.X_train, prepared.y_train)
