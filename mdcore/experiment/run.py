"""The result of one method on an experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.memo import LRUCache
from mdcore.data import Prepared
from mdcore.margins.bounds import Bound
from mdcore.margins.distribution import MarginDistribution, Margins, Part, Scale, rescale
from mdcore.methods.base import MarginClassifier
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.coded import VotingSVM
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.methods.one_versus_rest import OWN, REST, OneVersusRest, title_of
from mdcore.solvers.arrays import Array
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Fitted, Mark, Method

QUICK_ENTRIES = 2**25  # kernel values that can be computed in the time of a picture


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and its margins; `seconds` is the duration of the fit alone.

    `cut` is true if the solver ended before convergence because its time `budget` was spent. `mid_stream` is true for
    an online learner before the end of its stream.
    """

    model: MarginClassifier
    space: KernelSpace
    of_train: Margins
    of_test: Margins
    seconds: float
    cut: bool = False
    mid_stream: bool = False
    budget: float = math.inf

    @property
    def train(self) -> Array:
        """Functional margins of the training part."""
        return self.of_train.functional

    @property
    def are_distances(self) -> bool:
        """Whether every example of both parts has a geometric margin."""
        return self.of_train.are_distances and self.of_test.are_distances

    @property
    def test(self) -> Array:
        return self.of_test.functional

    @cached_property
    def norm(self) -> float:
        """The norm that makes distances of the f of two classes, which for a multi-class method is f_1 - f_0; nan if f
        is constant."""
        return float(self.model.distance_norm())

    @cached_property
    def derived(self) -> LRUCache[Any]:
        """What the last pictures derived from it: most fits stay the same while a slider of one method moves."""
        return LRUCache(capacity=2)


@dataclass(frozen=True, eq=False)
class Run:
    """The result of one method on an experiment. Every number on screen is read from here.

    `asked` is the scale of the experiment. Margins are functional if geometric ones are asked for and there are none.
    """

    method: Method
    params: Mapping[str, Any]
    fit: Fit
    prepared: Prepared
    asked: Scale

    @cached_property
    def scale(self) -> Scale:
        """The scale of the margins."""
        return self.asked if self.asked != "geometric" or self.fit.are_distances else "functional"

    @property
    def is_flat(self) -> bool:
        """Whether geometric margins are asked for, and there are none because some classes have no boundary between
        them: a function is constant to working precision."""
        return self.scale != self.asked and not self.votes

    @property
    def train(self) -> MarginDistribution:
        return self.fit.of_train.on(self.scale)

    @property
    def test(self) -> MarginDistribution:
        return self.fit.of_test.on(self.scale)

    @property
    def model(self) -> MarginClassifier:
        return self.fit.model

    @property
    def one_versus_rest(self) -> bool:
        """Whether a method of two classes was fitted for each class against the rest."""
        return isinstance(self.model, OneVersusRest)

    @property
    def landmarks(self) -> int:
        """Number of landmarks of the model's space; 0 for the exact kernel problem."""
        return int(self.model.landmark_count)

    @property
    def exact_gap(self) -> tuple[float, float]:
        """For a model in landmark features, a bound on the distance from the exact optimum, and its confidence."""
        assert isinstance(self.model, LandmarkParams | BinaryModels)
        return self.model.quick_exact_gap(QUICK_ENTRIES)

    @property
    def has_stream(self) -> bool:
        """Whether the model is a single online learner, whose updates can be followed."""
        return self.method.family == "online" and not self.one_versus_rest

    @property
    def name(self) -> str:
        """The title of the method, including how it treats several classes."""
        return title_of(self.method, len(self.model.classes_), REST if self.one_versus_rest else OWN)

    @property
    def why_flat(self) -> str:
        """Why a flat run has no margins on the scale asked for, to working precision."""
        if len(self.model.classes_) > 2:
            return "some classes have no boundary between them: their scores differ by a constant"
        return "there is no boundary: f is constant"

    @property
    def ruler(self) -> tuple[object, ...]:
        """The unit of the margins: those of two runs can be compared only if their rulers are equal.

        Distances depend on the space of the kernel, with its settings and the columns, and on the norm; functional
        margins and shares of votes are units of the method.
        """
        if self.scale != "geometric":
            return self.method.key, self.scale
        dataset = self.prepared.dataset
        return self.kernel.ruler, self.p, dataset.features, self.prepared.scaling.name

    @property
    def kernel(self) -> Kernel:
        """The kernel in whose space the method works."""
        return self.fit.space.kernel if self.method.kernels else Kernel("linear")

    @property
    def p(self) -> float:
        """The p of the norm in which geometric margins are distances."""
        return float(self.params.get("p", 2.0))

    @property
    def unit(self) -> float:
        """The functional margin at which the outer contours are drawn."""
        return self.method.outer_margin(self.fit.of_train.on("functional").mean)

    @property
    def votes(self) -> bool:
        """Whether the scores count votes, so that margins cannot be compared with those of other methods."""
        return bool(self.model.voting and len(self.model.classes_) > 2)

    @cached_property
    def bound(self) -> Bound | None:
        """The paper's bound for this fit, or None if the method has none, or is used one versus the rest."""
        if self.method.bound_of is None or self.one_versus_rest:
            return None
        space, margins = self.fit.space, self.fit.of_train.on("functional")
        return self.method.bound_of(Fitted(self.model, margins, space.kernel.diagonal(space.rows), self.params))

    def margins(self, part: Part) -> MarginDistribution:
        return self.train if part == "train" else self.test

    def on_axis(self, part: Part) -> MarginDistribution:
        """Return the margins to draw on an axis of the scale asked for: none if the run is flat."""
        return MarginDistribution(np.empty(0), self.asked) if self.is_flat else self.margins(part)

    def by_class(self, part: Part) -> list[MarginDistribution]:
        """Return the margins of the examples of each class, in the order of the data's classes."""
        whole, (_, _, labels) = self.margins(part), self.prepared.of(part)
        classes = self.prepared.dataset.classes
        return [MarginDistribution(whole.values[labels == label], whole.scale) for label in classes]

    def marks(self) -> tuple[Mark, ...]:
        """Return where the parameters act on the margin axis, on the scale shown.

        There are no marks for margins that are not those of a single problem, not on a single scale, or not drawn.
        """
        if self.one_versus_rest or self.is_flat:
            return ()
        if self.scale == "geometric" and len(self.model.classes_) > 2 and not self.votes:
            return ()  # each pair of classes has its own norm
        unit = float(rescale(np.ones(1), self.fit.norm, self.scale)[0])
        marks = self.method.marks(self.params, self.fit.of_train.on("functional"))
        return tuple(replace(mark, low=mark.low * unit, high=mark.high * unit) for mark in marks)

    def field(self, xs: Array, ys: Array) -> Array:
        """Return f of a two-class model on the grid xs x ys of two scaled features; rows follow ys."""
        if len(self.model.classes_) > 2:
            raise ValueError(f"{self.name} has {len(self.model.classes_)} scores per point, not one: use Run.regions.")
        if self.model.multiclass:
            scores = self._scores(xs, ys)
            return np.asarray(scores[1] - scores[0])
        return np.asarray(self._planes(self.model, xs, ys)[0])

    def regions(self, xs: Array, ys: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the predicted class (its index in classes_) on the grid, and the scores f_l, class by class.

        A two-class method has the scores -f/2 and f/2, so that the margin is a difference of scores for all methods.
        """
        if self.model.multiclass:
            scores = self._scores(xs, ys)
        else:
            f = self.field(xs, ys)
            scores = np.stack([-0.5 * f, 0.5 * f])
        return np.argmax(scores, axis=0), scores

    def _scores(self, xs: Array, ys: Array) -> Array:
        model = self.model
        if isinstance(model, VotingSVM) and self.votes:
            decisions = self._fields(model, model.binary_coef_, model.binary_offset_, xs, ys)
            return np.moveaxis(model.from_decisions(np.moveaxis(decisions, 0, -1)), -1, 0)
        if isinstance(model, OneVersusRest):
            return 0.5 * np.concatenate([self._planes(one, xs, ys) for one in model.estimators_])
        return self._planes(model, xs, ys)

    def _planes(self, model: MarginClassifier, xs: Array, ys: Array) -> Array:
        """Return the functions of a model on the grid: f, or the f_l of all classes."""
        if model.is_linear:
            across, up = model.coef_.T[:, :, None, None]
            return np.asarray(across * xs[None, None, :] + up * ys[None, :, None] + model.intercept_[:, None, None])
        assert isinstance(model, KernelMachine)
        coefficients = model.dual_coef_.reshape(len(self.fit.space.expansion), -1)
        return self._fields(model, coefficients, model.offset_, xs, ys)

    def _fields(self, model: KernelMachine, coefficients: Array, offsets: Array | float, xs: Array, ys: Array) -> Array:
        """Return one function on the grid for each column of coefficients."""
        space = self.fit.space.expansion
        space = space if model.kernel_.bias else space.plain
        fields = np.stack([space.field(column, xs, ys) for column in coefficients.T])
        return np.asarray(fields + np.reshape(offsets, (-1, 1, 1)))
