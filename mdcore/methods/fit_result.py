"""What a fit is given and what it returns, whatever the method: a sample, and a model with its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.methods import distances
from mdcore.methods.checks import check_weights
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import EPS, Certificate, Vector, explicit, grown
from mdcore.solvers.explicit import ExplicitSolution
from mdcore.solvers.rows import Matrix
from mdcore.spaces.exact_gap import DualBound
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace

NOT_A_KERNEL = (
    "The kernel matrix is not positive semi-definite at working precision. Scale the features if they are large, and "
    "avoid extreme kernel parameters; a precomputed matrix must be a Gram matrix."
)
OWN_ROWS = ("dual_coef", "beta_", "binary_coef_")  # what has an entry for every row, unless landmarks span the space
NAMES = {"rows": "X_fit_"} | {name: f"_{name}_" for name in ("scores", "apart", "reach", "in_span")}  # others: name_


@dataclass(frozen=True, eq=False)
class Restart:
    """A solution in the features of a space, from which the next fit may start."""

    space: KernelSpace
    solution: ExplicitSolution


@dataclass(frozen=True, eq=False)
class Sample:
    """What a machine is fitted to: rows in a space, labels (-1 and +1, or the codes of several classes) and weights.

    `last` is the solution from which to start, if any.
    """

    space: KernelSpace
    labels: NDArray[Any]
    weight: Array | None = None
    last: Restart | None = None

    @cached_property
    def each(self) -> Array:
        """The weight of every row."""
        return np.ones(len(self.labels)) if self.weight is None else self.weight


@dataclass(frozen=True, eq=False)
class Weights:
    """The vector w of a model, as the model predicts with it: the coefficients `dual_coef` of `rows` in a kernel, or
    the weights `coef` of the columns with an `intercept`.

    With several classes, coefficients have a column and weights a row for each class. `offset` is what is added to
    sum_i dual_coef_i k(x_i, x). `scores` are <w, phi(x_i)> for the rows of the fit, without the offset. `apart` holds
    ||w_y - w_l|| without the constant for every pair of classes, 0 where it is zero to rounding; `reach` is the largest
    length of a row without the constant feature. Of the rows, `landmarks` are those that span the space, if any, where
    `in_span` holds the weights, with lengths and distances as without the constant.
    """

    norm: float
    reach: float
    norm_error: float | None = None
    kernel: Kernel | None = None
    rows: Matrix | None = None
    dual_coef: Array | None = None
    coef: Array | None = None
    intercept: Array | None = None
    offset: float | Array = 0.0
    scores: Array | None = None
    apart: Array | None = None
    landmarks: Index | None = None
    in_span: Array | None = None

    @classmethod
    def of(cls, space: KernelSpace, a: Array | None, W: Array | None = None) -> tuple[Vector, Self]:
        """Return w = sum_i a_i phi(x_i), or w with weights `W` of the features, as a vector and as a model uses it."""
        if not isinstance(space, LandmarkSpace):
            w = vector_of(space, a, W)
            return w, cls.of_rows(space, a, w, W)
        W = space.weights(a) if W is None and a is not None else W
        assert W is not None
        w = explicit(space.root, W, space.lengths)
        return w, cls.in_landmarks(space, W, w)

    @classmethod
    def of_rows(
        cls,
        space: KernelSpace,
        a: Array | None,
        w: Vector,
        W: Array | None = None,
        length: Vector | None = None,
        bias: float = 0.0,
    ) -> Self:
        """Return w = sum_i a_i phi(x_i), with a `bias` that is no part of it.

        `W` are its weights of the columns, if known, for the linear kernel; without coefficients w has these only.
        `length` is a vector with a more accurate length. The norms in `apart` take no kernel value, since the scores Ka
        are known.
        """
        coef = intercept = None
        if space.is_linear:
            W = space.weights(a) if W is None and a is not None else W
            assert W is not None
            d, columns = space.rows.shape[1], W.reshape(len(W), -1).T
            coef = np.ascontiguousarray(columns[:, :d])
            intercept = columns[:, d].copy() if space.kernel.bias else np.full(len(columns), bias)
            apart = _apart(coef)
            if a is not None:
                own = EPS * grown(len(a)) * (space.lengths @ np.abs(a).reshape(len(a), -1))
                apart = np.where(apart > own[:, None] + own, apart, 0.0)
        else:
            assert a is not None
            rest = space.without_constant(a, w)
            if a.ndim == 1:
                apart = distances.between_two(rest.norm if rest.square > rest.slack else 0.0)
            else:
                apart = distances.of_expansions(a, rest.scores)
                apart = np.where(np.square(apart) > 2.0 * rest.slack, apart, 0.0)
        long = w if length is None else length
        rows, kernel = space.rows, space.kernel
        return cls(long.norm, space.reach, long.norm_error, kernel, rows, a, coef, intercept, bias, w.scores, apart)

    @classmethod
    def in_landmarks(cls, space: LandmarkSpace, W: Array, w: Vector) -> Self:
        """Return the vector `w` with weights `W` of the features, as coefficients of the landmarks."""
        n = len(space.landmarks)
        offset: float | Array = 0.0 if len(W) == n else float(W[n]) if W.ndim == 1 else W[n]
        in_span = space.less_constant(W[:n])
        return cls(
            w.norm,
            space.expansion.reach,
            w.norm_error,
            space.raw,
            space.span,
            space.coefficients(W[:n]),
            offset=offset,
            scores=w.scores - offset,
            apart=_apart(np.atleast_2d(in_span.T)),
            landmarks=space.landmarks,
            in_span=in_span,
        )

    def with_bias(self, b: float) -> Self:
        """Return the model with a bias that is no part of w."""
        return replace(self, offset=b, intercept=None if self.intercept is None else np.array([b]))

    def attributes(self) -> dict[str, Any]:
        """Return what is known by the names that it has in an estimator."""
        known = {NAMES.get(name, f"{name}_"): value for name, value in self.__dict__.items() if value is not None}
        if self.kernel is None:
            del known["offset_"]
        return known


@dataclass(frozen=True, eq=False)
class FitResult:
    """The result of a fit: the model, the certificate of its value, and how the solver ended.

    `shortfall` describes what is missing if the fit did not converge; `remark` is a comment on a fit that did.
    `support` are the rows that count, `fitted` the other attributes of the estimator by name. In the span of landmarks
    `exact` bounds the distance from the optimum of the exact kernel problem. The next fit may start from `last`.
    """

    weights: Weights
    certificate: Certificate
    support: Index
    n_iter: int = 1
    converged: bool = True
    shortfall: str = ""
    remark: str = ""
    fitted: Mapping[str, Any] = field(default_factory=dict)
    exact: DualBound | None = None
    last: Restart | None = None

    @property
    def status(self) -> str:
        return self.remark if self.converged else self.shortfall

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of an estimator."""
        exact = {} if self.exact is None else {"_exact_": self.exact}
        return {
            **self.weights.attributes(),
            "objective_": float(self.certificate.primal),
            "gap_": float(self.certificate.gap),
            "n_iter_": int(self.n_iter),
            "converged_": bool(self.converged),
            "status_": self.status,
            "support_": self.support,
            **self.fitted,
            **exact,
        }

    def and_fitted(self, **more: Any) -> Self:
        """Return the result with more attributes."""
        return replace(self, fitted={**self.fitted, **more})

    def on_all_rows(self, kept: Index, rows: Matrix) -> Self:
        """Return the result of a fit on the rows `kept` for all rows: the others have weight zero."""

        def spread(values: Array) -> Array:
            whole = np.zeros((rows.shape[0], *values.shape[1:]))
            whole[kept] = values
            return whole

        fitted = {name: spread(found) if name in OWN_ROWS else found for name, found in self.fitted.items()}
        w = self.weights
        if w.landmarks is not None:
            weights = replace(w, landmarks=kept[w.landmarks], scores=None)
        else:
            a = None if w.dual_coef is None else spread(w.dual_coef)
            weights = replace(w, dual_coef=a, rows=rows.copy(), scores=None)
        return replace(self, weights=weights, support=kept[self.support], fitted=fitted)


def vector_of(space: KernelSpace, a: Array | None, W: Array | None = None) -> Vector:
    """Return the vector w of a model with coefficients `a` of the rows, or with weights `W` of the columns.

    Raise ValueError if it overflows, or if its length shows that the kernel is no inner product.
    """
    if space.is_linear:
        W = space.weights(a) if W is None and a is not None else W
        assert W is not None
        check_weights(np.square(W).sum())
        w = explicit(space.root, W, space.lengths)
    else:
        assert a is not None
        w = space.expand(a)
    if w.is_impossible:
        raise ValueError(NOT_A_KERNEL)
    return w


def _apart(W: Array) -> Array:
    """Return ||w_y - w_l|| for the rows of W, which has one row with two classes."""
    return distances.between_two(float(np.linalg.norm(W))) if len(W) == 1 else distances.of_weights(W)
