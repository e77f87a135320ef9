"""What one method made of an experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.data import Prepared
from mdcore.margin import MarginDistribution, Margins, Scale, rescale
from mdcore.methods.one_versus_rest import OWN, REST, OneVersusRest, title_of
from mdcore.space import KernelSpace
from mdcore.spec import Fitted, Mark, Method

Array = NDArray[np.float64]


QUICK_ENTRIES = 2**25  # kernel values that a picture has time for


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and its margins; `seconds` is what the fit itself took.

    `cut`: the solver was told to end before it was done, after its `budget`. `on_the_way`: an online learner before the
    end of its stream.
    """

    model: Any
    space: KernelSpace
    of_train: Margins
    of_test: Margins
    seconds: float
    cut: bool = False
    on_the_way: bool = False
    budget: float = math.inf

    @property
    def train(self) -> Array:
        """Functional margins."""
        return self.of_train.functional

    @property
    def test(self) -> Array:
        return self.of_test.functional


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
        return self.fit.of_train.on(self.scale)

    @cached_property
    def test(self) -> MarginDistribution:
        return self.fit.of_test.on(self.scale)

    @property
    def model(self) -> Any:
        return self.fit.model

    @property
    def one_versus_rest(self) -> bool:
        """Whether a method of two classes was fitted for each class against the rest."""
        return isinstance(self.model, OneVersusRest)

    @property
    def landmarks(self) -> int:
        """How many span the space in which it sees the rows; 0 of the exact kernel problem."""
        return int(self.model.landmark_count)

    @property
    def exact_gap(self) -> tuple[float, float]:
        """Of a model in landmarks, the distance to the exact kernel problem at most, and with which confidence."""
        return self.model.quick_exact_gap(QUICK_ENTRIES)

    @property
    def has_stream(self) -> bool:
        """Whether it is one online learner, whose updates can be followed."""
        return self.method.family == "online" and not self.one_versus_rest

    @property
    def name(self) -> str:
        """The method, and what was made of it for several classes."""
        return title_of(self.method, len(self.model.classes_), REST if self.one_versus_rest else OWN)

    @property
    def p(self) -> float:
        """Geometric margins are distances in this norm."""
        return float(self.params.get("p", 2.0))

    @cached_property
    def norm(self) -> float:
        """‖w‖ of the f of two classes; that of a method of several is f_1 - f_0."""
        return float(self.model.weights_apart())

    @property
    def unit(self) -> float:
        """The functional margin of the outer contours."""
        return self.method.outer_margin(float(self.fit.train.mean()))

    @property
    def votes(self) -> bool:
        """Whether its scores count votes, so that its margins share no unit with those of other methods."""
        return bool(self.model.multiclass and self.model.voting and len(self.model.classes_) > 2)

    @cached_property
    def bound(self) -> Any:
        """The paper's bound for this fit, where the method has one of its own problem."""
        if self.method.bound_of is None or self.one_versus_rest:
            return None
        space, margins = self.fit.space, MarginDistribution(self.fit.train)
        return self.method.bound_of(Fitted(self.model, margins, space.kernel.diagonal(space.rows), self.params))

    def by_class(self, part: Literal["train", "test"]) -> list[MarginDistribution]:
        """Return the margins of the examples of each class, in the order of the data's classes."""
        labels = self.prepared.y_train if part == "train" else self.prepared.y_test
        whole: MarginDistribution = getattr(self, part)
        classes = self.prepared.dataset.classes
        return [MarginDistribution(whole.values[labels == label], whole.scale) for label in classes]

    def marks(self) -> tuple[Mark, ...]:
        """Return where the parameters act on the margin axis, on the scale shown; not on margins that no one problem
        has."""
        if self.one_versus_rest:
            return ()
        if self.scale == "geometric" and len(self.model.classes_) > 2 and not self.votes:
            return ()  # every two classes have a distance of their own
        unit = float(rescale(np.ones(1), self.norm, self.scale)[0])
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
        """Return which class (its index in classes_) is predicted on the grid, and the scores f_l, class by class.

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
            decisions = self._fields(self.model, self.model.binary_coef_, self.model.binary_offset_, xs, ys)
            return np.moveaxis(self.model.from_decisions(np.moveaxis(decisions, 0, -1)), -1, 0)
        if self.one_versus_rest:
            return 0.5 * np.concatenate([self._planes(model, xs, ys) for model in self.model.estimators_])
        return self._planes(self.model, xs, ys)

    def _planes(self, model: Any, xs: Array, ys: Array) -> Array:
        """Return the functions of a model's weights on the grid: f, or f_l of every class."""
        if model.is_linear:
            across, up = model.coef_.T[:, :, None, None]
            return np.asarray(across * xs[None, None, :] + up * ys[None, :, None] + model.intercept_[:, None, None])
        coefficients = model.dual_coef_.reshape(len(self.fit.space.expansion), -1)
        return self._fields(model, coefficients, model.offset_, xs, ys)

    def _fields(self, model: Any, coefficients: Array, offsets: Array | float, xs: Array, ys: Array) -> Array:
        """On the grid, a function for each column of coefficients."""
        space = self.fit.space.expansion
        space = space if model.kernel_.bias else space.plain
        fields = np.stack([space.field(column, xs, ys) for column in coefficients.T])
        return np.asarray(fields + np.reshape(offsets, (-1, 1, 1)))
