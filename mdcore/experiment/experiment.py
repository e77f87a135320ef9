"""An experiment as an immutable value that specifies what to compute; shared_spaces.py and fits.py compute it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import urlencode

import numpy as np

from mdcore.data import SEED, TEST, OwnSource, Prepared, Source, find_source
from mdcore.experiment import fits, shared_spaces
from mdcore.experiment.keys import COMMON, METHODS_KEY, find_key, keys_on, written_keys
from mdcore.experiment.picture_fits import PICTURE_SECONDS, SPANNED, Case, Decided
from mdcore.experiment.query import BIAS, OPENING, VIEW, BadKey, DataKey, KernelKey, ordered, parse_query
from mdcore.experiment.result_caches import BYTES_PER_PAIR
from mdcore.experiment.run import Run
from mdcore.experiment.shared_spaces import GRAM_ROWS
from mdcore.margins.distribution import Scale
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import OWN, title_of
from mdcore.methods.online.trace import Trace
from mdcore.spaces.costs import exact_bytes
from mdcore.spaces.kernels import COEF0, DEGREE, KERNEL, KernelName
from mdcore.spaces.landmarks import BLOCK
from mdcore.spaces.space import KernelSpace
from mdcore.spaces.within import EXACT, Within


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
        texts = dict(given) if "data" in given else {**_texts_of(opening), **given}
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
        first = _texts_of(opening)
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
        return METHODS[method].defaults | dict(dict(self.params).get(method, ()))

    def with_param(self, method: str, name: str, value: float | str) -> Experiment:
        """Return the experiment with another value of one parameter."""
        moved = METHODS[method].settings(self.settings(method) | {name: value})
        others = tuple((key, chosen) for key, chosen in self.params if key != method)
        return replace(self, params=ordered([*others, (method, tuple(moved.items()))]))

    @cached_property
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
        return self.case.rows

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

    @cached_property
    def case(self) -> Case:
        """What decides on how its methods are fitted."""
        prepared = self.full.prepare()
        m, d = prepared.X_train.shape
        return Case(m, d, len(np.unique(prepared.y_train)), self.kernel.name, PICTURE_SECONDS / len(self.methods))

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

    @cached_property
    def data_key(self) -> DataKey:
        """The key of the data without the source object: cached results must not keep a user's table alive."""
        return self.data if self.data.own is None else replace(self.data, own=None)

    @property
    def full(self) -> Experiment:
        """The experiment on all rows, of which this may be a preview."""
        return replace(self, sample=None) if self.sample is not None else self

    def prepare(self) -> Prepared:
        """Return the prepared data, which are cached."""
        return shared_spaces.prepared(self)

    def space(self) -> KernelSpace:
        """Return the kernel space of the training rows, which all methods share."""
        return shared_spaces.exact_space(self)

    def space_for(self, method: str) -> KernelSpace:
        """Return the space that a method is fitted in: the exact one, or that of landmarks."""
        landmarks = self.within(method).landmarks if self.kernel.name != "linear" else 0
        return shared_spaces.landmark_space(self, landmarks) if landmarks else self.space()

    def run(self) -> dict[str, Run]:
        """Return the runs of all methods shown, by method."""
        return {method: self.run_method(method) for method in self.methods}

    def run_method(self, method: str, budget: float = math.inf) -> Run:
        """Return the run of one method. Fits are cached, so that a moved slider recomputes its own method only.

        After `budget` seconds the solver ends with its best result so far. A fit that was cut short is repeated only
        with a larger budget.
        """
        fit = fits.fit_of(self, method, budget)
        return Run(METHODS[method], self.settings(method), fit, self.prepare(), self.scale)

    def trace(self, method: str, budget: float = math.inf) -> Trace:
        """Return the complete trace of an online learner, for all steps, as far as it gets within `budget` seconds."""
        return fits.trace_of(self, method, budget)


def _find_source(name: str, own: Collection[OwnSource]) -> Source:
    try:
        return next((table for table in own if table.key == name), None) or find_source(name)
    except ValueError as error:
        raise BadKey("data", str(error)) from None


@lru_cache(maxsize=8)
def _texts_of(opening: str) -> Mapping[str, str]:
    """Return the keys of a page's opening, of which there are few."""
    return parse_query(opening)
