"""What the estimators of several classes share: a score f_l for each class, and the weights behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mdcore.exact_gap import SpanCertificate
from mdcore.landmarks import LandmarkSpace
from mdcore.margin import margins_of
from mdcore.methods.base import Outcome, from_products
from mdcore.methods.certified import CertifiedMachine
from mdcore.methods.kernel_machine import Solved, WeightedMachine
from mdcore.methods.landmarks import IN_SPAN, LandmarkMachine
from mdcore.methods.weights import WeightParams
from mdcore.solvers.certificate import ROUNDED, DualPoint, Problem, Vector, combination
from mdcore.solvers.multiclass import Iterate
from mdcore.space import KernelSpace
from mdcore.spec import Interval, Param, Slider

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def price_parameter(*, finite: bool) -> Param:
    """C of the hinge loss, per example, with the mcODM paper's grid."""
    return Param(
        "C",
        "C",
        16.0,
        Interval(0, np.inf, open_low=True, open_high=finite),
        Slider(2**-10, 2**20, log=True),
        "Price of one unit of hinge loss, for each example. Large: hardly any example may fall inside the margin; "
        "small: the norm decides." + ("" if finite else " C = ∞ is the hard margin of every binary problem."),
        grid=tuple(2.0**k for k in range(0, 21, 2)),
    )


class MulticlassMixin:
    """Scores f_l, one for each of two or more classes; the margin is f_y(x) - max_{l != y} f_l(x).

    `decision_function` has a column for each class; for two classes it is f_1 - f_0, one number per example, as
    scikit-learn's convention has it. `norm_` is (sum_l ||w_l||^2)^(1/2), where classes have weights and do not merely
    get votes (`voting`).
    """

    multiclass: ClassVar[bool] = True
    voting: ClassVar[bool] = False
    classes_: NDArray[Any]

    def scores(self, X: ArrayLike) -> Array:
        """f_l(x), a column for each class, two classes included."""
        raise NotImplementedError

    def decision_function(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        f = self.scores(X)
        return f[:, 1] - f[:, 0] if len(self.classes_) == 2 else f

    def _check_labels(self: Any, y: ArrayLike, rows: int) -> NDArray[Any]:
        """Return the index of each label in classes_, which it sets; where machines of two classes have -1 and +1."""
        return self._check_classes(y, rows)


class MulticlassMachine(MulticlassMixin, WeightParams, LandmarkMachine, WeightedMachine, CertifiedMachine):
    """f_l(x) = sum_i dual_coef_[i, l] k(x_i, x), the constant feature part of k.

    `dual_coef_` has a row for each example (with landmarks a row for each of these, and `offset_` is added) and a
    column for each class, `coef_` (linear kernel) a row for each class. Subclasses solve from explicit features; those
    that need no Gram matrix set `accepts_sparse`.
    """

    apart_: Array

    def _codes_of(self, labels: NDArray[Any]) -> Index:
        return labels

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        new = self._check_rows(X, reset=False)
        if self.kernel_.name == "linear":
            return np.asarray(new @ self.coef_.T + self.intercept_)
        return self._expand(new, self.dual_coef_) + self.offset_

    @property
    def apart(self) -> Array:
        return self.apart_

    def decide(self, cross: Array) -> Array:
        f = np.asarray(cross @ self.dual_coef_ + self.offset_)
        return f[:, 1] - f[:, 0] if len(self.classes_) == 2 else f

    def _decisions_of_fit(self) -> Array | None:
        f = getattr(self, "_scores", None)
        if f is None:
            return None
        f = f + self.offset_
        return f[:, 1] - f[:, 0] if len(self.classes_) == 2 else f

    def _adopt(self, space: KernelSpace, a: Array, W: Array | None = None) -> Vector:
        w = super()._adopt(space, a, W)
        if space.is_linear:
            weights = np.column_stack([self.coef_, self.intercept_]) if space.kernel.bias else self.coef_
            self.apart_ = from_products(weights @ weights.T)
        else:
            self.apart_ = from_products(a.T @ w.scores)
        return w

    def _adopt_weights(self, space: KernelSpace, W: Array) -> Vector:
        w = super()._adopt_weights(space, W)
        if isinstance(space, LandmarkSpace):
            self.apart_ = from_products(W.T @ W)
        return w

    def _conclude_at(
        self,
        space: KernelSpace,
        codes: Index,
        problem: Problem,
        solved: Solved,
        end: Iterate,
        *,
        convex: bool = True,
        linear: float = 0.0,
    ) -> None:
        """Take the end of a search as the model, which in landmarks is a point of the exact problem too.

        `linear` is the part of the dual value that is linear in the rows, where they can be scaled.
        """
        self.support_ = np.flatnonzero(end.a.any(axis=1))
        if not isinstance(space, LandmarkSpace):
            self._settle(
                space, codes, problem, lambda _: [end.point], solved, end.a, end.W if space.is_linear else None
            )
            return
        self.beta_ = end.a
        self._adopt_weights(space, end.W)
        missing = f"relative duality gap {end.gap:.1e} after {solved.n_iter} iterations."
        self._finish(Outcome(end.value, end.gap, solved.n_iter, end.gap <= ROUNDED, missing))
        if convex:
            dual = end.value * (1.0 - end.gap)
            self._certificate = SpanCertificate(space, end.a, end.value, dual, linear)

    def _rows(self, space: KernelSpace) -> Any:
        """Explicit features, in double precision."""
        return np.asarray(space.root, dtype=np.float64) if isinstance(space, LandmarkSpace) else space.root

    def _begin(self, space: KernelSpace, shape: tuple[int, int]) -> Array | None:
        """Return the dual rows of the last fit, with `warm_start`."""
        return self._previous("beta_" if isinstance(space, LandmarkSpace) else "dual_coef_", shape)

    def _goal(self, space: KernelSpace) -> float:
        return max(self._tolerance(), IN_SPAN) if isinstance(space, LandmarkSpace) else self._tolerance()

    def _order(self, space: KernelSpace) -> int:
        k = len(self.classes_)
        if isinstance(space, LandmarkSpace):
            return k * len(space.landmarks)
        gram = self._needs_gram(space.kernel.name, space.rows.shape)
        return len(space) if gram else k * int(space.rows.shape[1])

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return not (self._spans() or (kernel == "linear" and (self.accepts_sparse or shape[1] < shape[0])))

    def _margin_vector(self, w: Vector, labels: NDArray[Any]) -> Vector:
        return replace(w, scores=margins_of(w.scores, labels), blur=2.0 * w.blur.max(axis=1))

    def _lower_bound(
        self, space: KernelSpace, point: DualPoint, labels: NDArray[Any], w: Vector, *, sharp: bool
    ) -> float:
        if not space.is_linear:
            return point.value(w.square, w.slack, space.lengths)
        return point.value(*combination(space.root, point.v, space.lengths), space.lengths)
