"""The base classes of the online learners: epochs, streams, and a record of every update."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, hstack, issparse
from sklearn.base import clone

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import MarginClassifier
from mdcore.methods.checks import check_weights
from mdcore.methods.fit_result import FitResult, Weights
from mdcore.methods.online.trace import Trace
from mdcore.methods.params import EpochParams, RadiusParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import Certificate
from mdcore.solvers.learner import Learner
from mdcore.solvers.pnorm import dual_exponent, row_norms
from mdcore.solvers.rows import Matrix
from mdcore.spec import Interval, Mark, Param, Search, Slider

P = Param(
    "p",
    "p",
    2.0,
    Interval(2, 100),
    Slider(2, 20, step=0.01),
    "The margin is a distance in the p-norm, and w is measured in the q-norm, 1/p + 1/q = 1. A large p, about 2 ln n "
    "for n features, gives sparse weights; 2 is the Euclidean distance.",
    grid=(2.0, 9.21),  # the paper's 2 ln n for its n = 100
)
RADIUS = Param(
    "radius",
    "R",
    1.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-10, 2**10, log=True),
    "The bias is the weight of an extra feature -R. If None, R is the largest norm of the first rows seen.",
)


def fraction(name: str, symbol: str, method: str) -> Param:
    """Return a parameter for the fraction of the largest margin that may be missing when the learner stops."""
    return Param(
        name,
        symbol,
        0.1,
        Interval(0, 1, open_low=True, open_high=True),
        Slider(2**-10, 0.5, log=True),
        f"On separable data {method} reaches 1 − {symbol} of the largest margin; a smaller {symbol} takes more "
        "updates.",
        grid=(0.01, 0.1),
        search=Search((0.03, 0.1, 0.3), first=(0.1, 0.3)),
    )


@dataclass(frozen=True, eq=False)
class Update:
    """The hypothesis f(x) = <w, x> + b right after update number `step`, made for the row `example`.

    `margin` is the smallest geometric margin of all rows, in units of ||w||_q; negative if a row is misclassified. With
    a kernel other than the linear one, `w` holds the coefficients of the rows.
    """

    step: int
    example: int
    w: Array
    b: float
    margin: float


@dataclass(frozen=True)
class Epoch:
    """The state of a learner after a pass over all rows; counts and seconds include all earlier passes.

    `settled` is True if the pass changed nothing.
    """

    number: int
    updates: int
    mistakes: int
    margin: float
    seconds: float
    settled: bool


class OnlineLearner(EpochParams, MarginClassifier):
    """A classifier that learns one example at a time, in the order of the rows.

    `fit` passes over the rows until a pass makes no update, at most `max_iter` times; `partial_fit` makes one pass over
    a batch and continues from the last call. `updates` yields a record of every update that `fit` makes, and `trace`
    gives the state after any number of examples. `n_updates_` and `n_mistakes_` count updates and wrong predictions,
    `n_iter_` counts epochs, `margin_` is the smallest geometric margin of the rows, and `support_` lists the rows that
    led to an update.
    """

    accepts_sparse: ClassVar[bool] = True

    margin_: float
    n_updates_: int
    n_mistakes_: int
    radius_: float
    _learner_: Learner

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        return self._set_fitted(self._learned(*self._begin(X, y)))

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Make one pass over a batch of a stream. The first call needs both classes, in `y` or in `classes`."""
        learner: Learner | None = self.__dict__.get("_learner_")
        rows = self._check_rows(X, reset=learner is None)
        chosen = self.settings()
        if learner is None:
            self._check_first_labels(y, classes, rows.shape[0])
            learner = self._new_learner(rows, chosen)
        signs, features = self._signs(y, rows.shape[0]), self._features(rows)
        for _ in learner.learn(features, signs, epochs=1, most=len(signs)):
            pass
        return self._set_fitted(self._state(learner, features, signs))

    def updates(self, X: ArrayLike, y: ArrayLike) -> Iterator[Update]:
        """Yield a record of every update of `fit(X, y)`. The estimator itself is not changed."""
        model = clone(self)
        learner, features, signs = model._begin(X, y)
        step = 0
        for example in learner.learn(features, signs, epochs=model._limit(), most=1):
            if learner.updates > step:
                step = learner.updates
                yield model._record(learner, example, model._margin(learner, features, signs))

    def epochs(self, X: ArrayLike, y: ArrayLike) -> Iterator[Epoch]:
        """Yield the state after every epoch of `fit(X, y)`, as in section 4.1 of the PUMMA paper.

        The estimator itself is not changed.
        """
        model = clone(self)
        learner, features, signs = model._begin(X, y)
        seconds, begun = 0.0, time.perf_counter()
        for _ in learner.learn(features, signs, epochs=model._limit(), most=len(signs)):
            seconds += time.perf_counter() - begun
            margin = model._margin(learner, features, signs)
            yield Epoch(learner.epochs, learner.updates, learner.mistakes, margin, seconds, learner.settled)
            begun = time.perf_counter()

    def trace(self, X: ArrayLike, y: ArrayLike) -> Trace:
        """Return the run of `fit(X, y)`, which gives the state after any number of examples.

        The estimator itself is not changed.
        """
        model = clone(self)
        learner, features, signs = model._begin(X, y)
        return Trace(model, learner, features, signs, model._limit())

    @property
    def guaranteed_share(self) -> float | None:
        """Guaranteed fraction of the largest margin after a fit on separable data, or None without a guarantee."""
        return None

    def _begin(self, X: ArrayLike, y: ArrayLike) -> tuple[Learner, Any, Array]:
        """Return a new learner, the rows as its features, and their labels as -1/+1."""
        rows = self._check_rows(X, reset=True)
        signs = self._check_labels(y, rows.shape[0])
        learner = self._new_learner(rows, self.settings())
        return learner, self._features(rows), signs

    def _learned(self, learner: Learner, features: Any, signs: Array) -> FitResult:
        """Return the result of a fit."""
        for _ in learner.learn(features, signs, epochs=self._limit(), most=len(signs)):
            pass
        return self._end(learner, features, signs)

    def _end(self, learner: Learner, features: Any, signs: Array) -> FitResult:
        """Return the learner's state as the result of a fit, which did not converge if the last pass made updates."""
        wrong = int((signs * learner.values(features) <= 0.0).sum())
        missing = (
            f"epoch {learner.epochs}, the last allowed, still made updates: {wrong} of {len(signs)} rows are on the "
            f"wrong side, and the smallest margin is {self._margin(learner, features, signs):.3g}. The data may not be "
            f"separable{self._remedy()}; if they are, raise max_iter."
        )
        return self._state(learner, features, signs, missing)

    def _state(self, learner: Learner, features: Any, signs: Array, missing: str = "") -> FitResult:
        """Return the learner's state; `missing` is the warning if it has not settled, empty for streams."""
        check_weights(learner.w)
        weights, value, fitted = self._model(learner, features, signs)
        return FitResult(
            weights,
            Certificate(value),
            np.flatnonzero(learner.touched),
            learner.epochs,
            learner.settled,
            missing,
            fitted={
                "_learner_": learner,
                "margin_": self._margin(learner, features, signs),
                "n_updates_": learner.updates,
                "n_mistakes_": learner.mistakes,
                **fitted,
            },
        )

    def _new_learner(self, rows: Matrix, chosen: dict[str, Any]) -> Learner:
        raise NotImplementedError

    def _features(self, rows: Matrix) -> Matrix:
        """Return the rows as the learner's features."""
        raise NotImplementedError

    def _model(self, learner: Learner, features: Any, signs: Array) -> tuple[Weights, float, dict[str, Any]]:
        """Return the model, the objective, and further fitted attributes."""
        raise NotImplementedError

    def _length(self, learner: Learner) -> float:
        """Return ||w||_q, by which margins are divided."""
        raise NotImplementedError

    def _dual_exponent(self) -> float:
        return dual_exponent(self._learner_.p)

    def _margin(self, learner: Learner, features: Any, signs: Array) -> float:
        """Return the smallest geometric margin of the rows; 0 before the first update."""
        length = self._length(learner)
        return float((signs * learner.values(features)).min() / length) if length > 0.0 else 0.0

    def _record(self, learner: Learner, example: int, margin: float) -> Update:
        raise NotImplementedError

    def _remedy(self) -> str:
        return ""


class BiasByFeature(RadiusParams, OnlineLearner):
    """A linear learner whose bias is the weight of an extra feature -R, R = max ||x||_p unless `radius` is given.

    The learner is given the rows (x, -R) and learns (w, -b/R) (PUMMA paper, section 1); margins are measured in the
    original space.
    """

    learner: ClassVar[Callable[..., Learner]]

    def _exponent(self) -> float:
        return 2.0

    def _new_learner(self, rows: Matrix, chosen: dict[str, Any]) -> Learner:
        if self.radius is None:
            self.radius_ = float(row_norms(rows, self._exponent()).max()) or 1.0
        else:
            self.radius_ = float(RADIUS.check(self.radius, type(self).__name__))
        return type(self).learner(rows.shape[1] + self.fit_intercept, **chosen)

    def _features(self, rows: Matrix) -> Matrix:
        return append(rows, np.full((rows.shape[0], 1), -self.radius_)) if self.fit_intercept else rows

    def _hyperplane(self, learner: Learner) -> tuple[Array, float]:
        if not self.fit_intercept:
            return learner.w.copy(), 0.0
        return learner.w[:-1].copy(), float(-self.radius_ * learner.w[-1])

    def _model(self, learner: Learner, features: Any, signs: Array) -> tuple[Weights, float, dict[str, Any]]:
        w, b = self._hyperplane(learner)
        weights = Weights(self._length(learner), self.radius_, coef=w[None, :], intercept=np.array([b]))
        return weights, hard_objective(signs * learner.values(features), weights.norm), {"radius_": self.radius_}

    def _length(self, learner: Learner) -> float:
        return learner.length(self._hyperplane(learner)[0])

    def _record(self, learner: Learner, example: int, margin: float) -> Update:
        w, b = self._hyperplane(learner)
        return Update(learner.updates, example, w, b, margin)


def append(rows: Matrix, columns: Any) -> Matrix:
    """Return the rows with additional features; sparse if either part is sparse."""
    if issparse(rows) or issparse(columns):
        return csr_array(hstack([rows, columns], format="csr"))
    return np.ascontiguousarray(np.hstack([rows, columns]))


def hard_objective(margins: Array, norm: float, **params: float) -> float:
    """Return 1/2 ||w||_q^2, the objective of problem (1), for w scaled so that the smallest functional margin is one.

    It is infinite if a margin is not positive. `params`, the parameters of the learner, do not affect the objective.
    """
    smallest = float(margins.min())
    return 0.5 * (norm / smallest) ** 2 if smallest > 0.0 else np.inf


def mark_shortfall(reached: str, params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    """Return the marks of a learner that updates below 1 - delta, to a margin of 1, which is the one `reached`."""
    return (Mark(1.0 - params["delta"], 1.0, "allowed shortfall δ"), Mark(1.0, 1.0, reached))


def mark_smallest(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    """Return a mark at the smallest margin, for learners whose parameters refer to no fixed margin."""
    return (Mark(train.min, train.min, "smallest margin"),)
