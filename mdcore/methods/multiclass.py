"""Base classes of the estimators for several classes, which have a score f_l for each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mdcore.margins.distribution import margins_of
from mdcore.methods.certified import Solved, certified
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import WeightedMachine
from mdcore.methods.landmarks import IN_SPAN, LandmarkParams
from mdcore.methods.params import PRICES
from mdcore.methods.weights import WeightParams
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.ascent import Forces
from mdcore.solvers.certificate import ROUNDED, Certificate, DualPoint, Problem, Solution, Vector, combination
from mdcore.solvers.multiclass import Iterate
from mdcore.solvers.rows import Matrix
from mdcore.spaces.exact_gap import SpanCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Interval, Param, Slider


def cost_parameter(*, finite: bool) -> Param:
    """Return the parameter C of the hinge loss, per example, with the grid of the mcODM paper."""
    return Param(
        "C",
        "C",
        10.0,
        Interval(0, np.inf, open_low=True, open_high=finite),
        Slider(2**-10, 2**20, log=True),
        "Cost of one unit of hinge loss, per example. With a large C, hardly any example falls inside the margin; with "
        "a small C, the norm dominates." + ("" if finite else " C = ∞ is the hard margin of every binary problem."),
        grid=tuple(2.0**k for k in range(0, 21, 2)),
        search=PRICES,
    )


class MulticlassMixin:
    """A classifier for two or more classes with a score f_l for each; the margin is f_y(x) - max_{l != y} f_l(x).

    `decision_function` has a column for each class; with two classes it returns f_1 - f_0, one number per example, as
    is the convention of scikit-learn. `norm_` is (sum_l ||w_l||^2)^(1/2); with `voting` and three or more classes,
    which have votes instead of weights, it is 1.
    """

    multiclass: ClassVar[bool] = True
    classes_: NDArray[Any]

    def scores(self, X: ArrayLike) -> Array:
        """Return f_l(x), with a column for each class, even if there are only two."""
        raise NotImplementedError

    def decision_function(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return self._decisions(self.scores(X))

    def _decisions(self, f: Array) -> Array:
        """Return decisions for the scores: f itself or, with two classes, f_1 - f_0."""
        return np.asarray(f[:, 1] - f[:, 0]) if len(self.classes_) == 2 else f

    def _check_labels(self: Any, y: ArrayLike, rows: int) -> NDArray[Any]:
        """Check the labels, set classes_, and return the index of each label in it; binary machines return -1/+1."""
        return np.asarray(self._check_classes(y, rows))


class MulticlassMachine(MulticlassMixin, WeightParams, LandmarkParams, WeightedMachine):
    """A kernel machine with f_l(x) = sum_i dual_coef_[i, l] k(x_i, x), where k includes the constant feature, if any.

    `dual_coef_` has a row for each example and a column for each class; with landmarks it has a row for each landmark,
    and `offset_` is added to the scores. With the linear kernel, `coef_` has a row for each class. Subclasses that need
    no Gram matrix for the linear kernel set `accepts_sparse`.
    """

    @classmethod
    def models(cls, classes: int) -> float:
        return 0.5 * classes

    def _codes_of(self, labels: NDArray[Any]) -> Index:
        return labels

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        new = self._check_rows(X, reset=False)
        if self.kernel_.name == "linear":
            return np.asarray(new @ self.coef_.T + self.intercept_)
        return self._expand(new, self.dual_coef_) + self.offset_

    def decide(self, cross: Array) -> Array:
        return self._decisions(np.asarray(cross @ self.dual_coef_ + self.offset_))

    def _decisions_of_fit(self) -> Array | None:
        f = super()._decisions_of_fit()
        return None if f is None else self._decisions(f)

    def _start(self, space: KernelSpace, shape: tuple[int, int]) -> Array | None:
        """Return the dual variables of the last fit, or None without `warm_start` or if their shape has changed."""
        return self._previous("beta_" if isinstance(space, LandmarkSpace) else "dual_coef_", shape)

    def _gap_tolerance(self, space: KernelSpace) -> float:
        return max(self._tolerance(), IN_SPAN) if isinstance(space, LandmarkSpace) else self._tolerance()

    def _system_size(self, space: KernelSpace) -> int:
        k = len(self.classes_)
        if isinstance(space, LandmarkSpace):
            return k * len(space.landmarks)
        gram = self._needs_gram(space.kernel.name, space.rows.shape)
        return len(space) if gram else k * int(space.rows.shape[1])

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return not (kernel == "linear" and (self.accepts_sparse or shape[1] < shape[0]))


@dataclass(frozen=True, eq=False)
class SeveralClasses(Solved):
    """A problem with a weight vector for each class, whose solver ended at a dual `point`."""

    point: DualPoint

    def with_margins(self, w: Vector) -> Vector:
        return replace(w, scores=margins_of(w.scores, self.labels), blur=2.0 * w.blur.max(axis=1))

    def lower_bound(self, a: Array, w: Vector, *, free: bool, sharp: bool) -> float:
        point, space = self.point, self.space
        if not space.is_linear:
            return point.value(w.square, w.slack, space.lengths)
        return point.value(*combination(space.root, point.v, space.lengths), space.lengths)


def features_of(space: KernelSpace) -> Matrix:
    """Return the explicit features of the rows, in double precision."""
    return np.asarray(space.root, dtype=np.float64) if isinstance(space, LandmarkSpace) else space.root


def fit_at(
    sample: Sample,
    problem: Problem,
    end: Iterate,
    *,
    tol: float,
    n_iter: int,
    converged: bool,
    convex: bool = True,
    forces: Forces | None = None,
) -> FitResult:
    """Return the solver's last iterate as the model.

    With landmarks, a `convex` problem also gets a certificate for the exact kernel problem, from better dual variables
    than the last iterate's if these are given as `forces`.
    """
    space, support = sample.space, np.flatnonzero(end.a.any(axis=1))
    if not isinstance(space, LandmarkSpace):
        found = Solution(end.a, end.a, W=end.W, n_iter=n_iter, converged=converged)
        return certified(SeveralClasses(space, sample.labels, problem, found, end.point), tol=tol, support=support)
    dual = end.value * (1.0 - end.gap)
    exact = SpanCertificate(space, end.a, end.value, dual) if convex else None
    return FitResult(
        Weights.of(space, None, end.W)[1],
        Certificate(end.value, dual, end.value),
        support,
        n_iter,
        end.gap <= ROUNDED,
        f"relative duality gap {end.gap:.1e} after {n_iter} iterations.",
        fitted={"beta_": end.a},
        exact=exact if exact is None or forces is None else exact.with_forces(forces),
    )
