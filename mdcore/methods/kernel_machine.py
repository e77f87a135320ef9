"""The base class of kernel machines: the space of the training rows, warm starts, and the fitted weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from mdcore.basics.threads import one_blas_thread
from mdcore.methods import distances
from mdcore.methods.base import MarginClassifier
from mdcore.methods.checks import check_weights
from mdcore.methods.params import KernelParams
from mdcore.methods.weights import ClassWeight, checked_weights, times_class_weight
from mdcore.solvers.certificate import EPS, Vector, grown
from mdcore.solvers.linalg import NotPositiveDefinite
from mdcore.spaces.costs import Work
from mdcore.spaces.kernels import COEF0, DEGREE, KERNELS, Kernel, resolve_gamma
from mdcore.spaces.space import ADVICE, MATRICES_PER_FIT, KernelSpace, check_memory

Array = NDArray[np.float64]

INDEFINITE = 1e-6  # tolerance for |k(x, z)| > ||x|| ||z|| in a precomputed kernel, relative to the largest ||x||^2
NOT_A_KERNEL = (
    "The kernel matrix is not positive semi-definite at working precision. Scale the features if they are large, and "
    "avoid extreme kernel parameters; a precomputed matrix must be a Gram matrix."
)


class Solved(Protocol):
    """A solver's result: its number of iterations, and whether it converged."""

    @property
    def n_iter(self) -> int: ...
    @property
    def converged(self) -> bool: ...


@dataclass(frozen=True)
class Steps:
    """Number of iterations and convergence without a solution; the defaults are those of a closed form."""

    n_iter: int = 1
    converged: bool = True


class KernelMachine(KernelParams, MarginClassifier):
    """A kernel machine f(x) = sum_i dual_coef_i k(x_i, x) + offset_, where k includes the constant feature, if any.

    `offset_` is 0 unless the bias is not part of w (`own_bias`) or landmarks span the space. `fit` builds the
    KernelSpace of the rows; callers that already have one, such as Experiment, pass it to `fit_space` instead, so that
    the kernel matrix is computed only once.
    """

    warm_start = False  # a parameter of the machines that can start from the last solution
    class_weight: ClassWeight = None  # a parameter of the machines whose problem is a sum over examples
    matrices: ClassVar[float] = MATRICES_PER_FIT  # peak memory of a fit, at most, in matrices of m² numbers
    work: ClassVar[Work] = Work()  # measured, see mdcore/spaces/costs.py
    own_bias: ClassVar[bool] = False  # whether the bias is a separate number, not part of w

    kernel_: Kernel
    X_fit_: Array
    dual_coef_: Array
    norm_error_: float
    offset_: float = 0.0
    _apart: Array

    @classmethod
    def models(cls, classes: int) -> float:
        """Return how many times the `work` of two classes these classes take."""
        return 1.0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        return self._fit_rows(X, y, None)

    def _fit_rows(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        rows = self._check_rows(X, reset=True)
        labels = self._check_labels(y, rows.shape[0])
        weight = checked_weights(sample_weight, rows, self._codes_of(labels), self.classes_)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            rows_kept = rows[np.ix_(kept, kept)] if self.kernel == "precomputed" else rows[kept]
            weighty = self._space_of(rows_kept, weight[kept])
            self._solve_in(weighty, labels[kept], self._class_weighted(weight[kept], labels[kept]))
            self._extend_to_all_rows(kept, rows)
            return self
        self._solve_in(self._space_of(rows, weight), labels, self._class_weighted(weight, labels))
        return self

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit on the rows of a space, which may be shared, with its kernel instead of the estimator's own settings."""
        self.n_features_in_ = space.rows.shape[1]
        labels = self._check_labels(y, len(space))
        self._solve_in(space, labels, self._class_weighted(None, labels))
        return self

    def _class_weighted(self, weight: Array | None, labels: NDArray[Any]) -> Array | None:
        """Return sample weights multiplied by class weights, which enter the problem but not the kernel's gamma."""
        return times_class_weight(weight, self.class_weight, self._codes_of(labels), self.classes_)

    def _codes_of(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Return the index in classes_ of each label that `_check_labels` returned."""
        return (labels > 0.0).astype(np.intp)

    def decision_function(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        new = self._check_rows(X, reset=False)
        if self.kernel_.name == "linear":
            return new @ self.coef_[0] + self.intercept_[0]
        return self._expand(new, self.dual_coef_) + self.offset_

    def _check_rows(self, X: ArrayLike, *, reset: bool) -> Any:
        rows = super()._check_rows(X, reset=reset)
        if issparse(rows) and not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return rows

    def _takes_sparse(self) -> bool:
        return self.accepts_sparse and self.kernel == "linear"

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _expand(self, new: Array, coefficients: Array) -> Array:
        """Return sum_i coefficients_i k(x_i, x) for checked rows, with a column for each column of coefficients."""
        if self.kernel_.name == "precomputed":
            return self.kernel_(new, new) @ coefficients
        used = np.flatnonzero(coefficients.any(axis=1) if coefficients.ndim == 2 else coefficients)
        rows, coefficients = self.X_fit_[used], coefficients[used]
        block = max(1, int(2**24 // max(len(used), 1)))
        parts = [self.kernel_(new[i : i + block], rows) @ coefficients for i in range(0, len(new), block)]
        return np.concatenate(parts)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle: only the rows with a nonzero coefficient, and no rows for a linear model.

        With a precomputed kernel all rows are kept, since new rows are given by their kernel values with all of them.
        """
        state = super().__getstate__()
        for name in ("_space", "_scores"):
            state.pop(name, None)
        kernel = state.get("kernel_")
        if kernel is None or kernel.name == "precomputed" or not all(key in state for key in ("X_fit_", "dual_coef_")):
            return state
        held = {name: state[name] for name in ("dual_coef_", "binary_coef_") if name in state}
        if len(state["dual_coef_"]) != state["X_fit_"].shape[0]:
            return state
        used = np.zeros(len(state["dual_coef_"]), dtype=np.bool_)
        if "coef_" not in state:
            for values in held.values():
                used |= values.any(axis=1) if values.ndim == 2 else values != 0.0
        kept = np.flatnonzero(used)
        return state | {name: values[kept] for name, values in held.items()} | {"X_fit_": state["X_fit_"][kept]}

    def __copy__(self) -> Self:
        """Return a shallow copy with the full state, not the reduced state of `__getstate__`."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _solve_in(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        self._delete_fitted("coef_", "intercept_", "offset_", "_scores")
        self.kernel_ = space.kernel
        self.X_fit_ = space.rows
        if self.warm_start:
            self._space = space
        self.status_ = ""
        try:
            with one_blas_thread(self._system_size(space)):
                if self._is_explicit(space):
                    self._solve_explicit(space, signs, weight)
                else:
                    self._solve(space, signs, weight)
        except NotPositiveDefinite:
            raise ValueError(NOT_A_KERNEL) from None

    def _system_size(self, space: KernelSpace) -> int:
        """Return the order of the largest linear system to solve, from which the number of BLAS threads follows."""
        return 0 if self._is_explicit(space) else len(space)

    def _solve(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        """Solve the problem, call `_adopt` and `_finish`, and set support_."""
        raise NotImplementedError

    def _is_explicit(self, space: KernelSpace) -> bool:
        """Return whether the problem is solved in the features of the space."""
        return self.explicit and space.explicit

    def _solve_explicit(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        """Do the same as `_solve` from the explicit features alone, if `explicit`."""
        self._solve(space, signs, weight)

    def _adopt(self, space: KernelSpace, a: Array, W: Array | None = None) -> Vector:
        """Set the model to w = sum_i a_i phi(x_i); `W` are its explicit weights, if known, for the linear kernel.

        Set dual_coef_, norm_, norm_error_ and the norms of distances; for the linear kernel also coef_ and intercept_.
        """
        self.dual_coef_ = a
        if space.is_linear:
            W = space.weights(a) if W is None else W
            d, columns = space.rows.shape[1], W.reshape(len(W), -1).T
            self.coef_ = np.ascontiguousarray(columns[:, :d])
            self.intercept_ = columns[:, d].copy() if space.kernel.bias else np.zeros(len(columns))
            check_weights(np.square(W).sum())
        else:
            self._delete_fitted("coef_", "intercept_")
        w = space.vector(a, W)
        if w.is_impossible:
            raise ValueError(NOT_A_KERNEL)
        self.norm_, self.norm_error_ = w.norm, w.norm_error
        self._scores = w.scores
        self._apart, self._reach = self._lengths_apart(space, a, w), space.reach
        return w

    def _lengths_apart(self, space: KernelSpace, a: Array, w: Vector) -> Array:
        """Return ||w_y - w_l|| without the constant for every pair of classes, 0 where it is zero to rounding.

        With coefficients this takes no kernel value, since the scores Ka are known.
        """
        if space.is_linear:
            sizes = np.abs(a).reshape(len(a), -1)
            own = EPS * grown(len(a)) * (space.lengths @ sizes)
            apart = self._weights_apart(self.coef_)
            return np.where(apart > own[:, None] + own, apart, 0.0)
        rest = space.without_constant(a, w)
        if a.ndim == 1:
            return distances.between_two(rest.norm if rest.square > rest.slack else 0.0)
        apart = distances.of_expansions(a, rest.scores)
        return np.where(np.square(apart) > 2.0 * rest.slack, apart, 0.0)

    def _weights_apart(self, W: Array) -> Array:
        """Return ||w_y - w_l|| for the rows of W, which has one row with two classes."""
        return distances.between_two(float(np.linalg.norm(W))) if len(W) == 1 else distances.of_weights(W)

    def _norms_apart(self) -> Array:
        return self._apart

    def _constants(self) -> Array:
        if self.is_linear:
            constants = self.intercept_
        else:
            constants = np.atleast_1d(self.offset_ + self.kernel_.constant * self.dual_coef_.sum(axis=0))
        return np.append(0.0, constants) if len(constants) == 1 else np.asarray(constants)

    def decide(self, cross: Array) -> Array:
        """Return f for new rows, given their kernel values with the training rows."""
        return np.asarray(cross @ self.dual_coef_ + self.offset_)

    def _decisions_of_fit(self) -> Array | None:
        scores = getattr(self, "_scores", None)
        return None if scores is None else scores + self.offset_

    def norms_between(self, others: Sequence[Any]) -> Array:
        if self.is_linear:
            return super().norms_between(others)
        A = np.stack([model.dual_coef_ for model in others], axis=1)
        known = [model.__dict__.get("_scores") for model in others]
        whole = all(scores is not None for scores in known)
        scores = np.stack(known, axis=1) if whole else self._expand(self.X_fit_, A)
        return distances.of_expansions(A, scores - self.kernel_.constant * A.sum(axis=0))

    def _delete_fitted(self, *names: str) -> None:
        """Delete attributes that an earlier fit has set."""
        for name in names:
            self.__dict__.pop(name, None)

    def _previous(self, name: str, shape: tuple[int, ...]) -> Array | None:
        """Return a fitted attribute to start from, or None without `warm_start` or if its shape has changed."""
        values = getattr(self, name, None) if self.warm_start else None
        return values if values is not None and values.shape == shape else None

    def _extend_to_all_rows(self, kept: NDArray[np.intp], X: Array) -> None:
        """Extend a model fitted on the rows `kept` to all rows: the others, of weight zero, get zero coefficients."""
        for name in ("dual_coef_", "beta_", "binary_coef_"):
            if hasattr(self, name):
                found = getattr(self, name)
                whole = np.zeros((X.shape[0], *found.shape[1:]))
                whole[kept] = found
                setattr(self, name, whole)
        self.support_ = kept[self.support_]
        self.X_fit_ = X.copy()
        self._delete_fitted("_scores")

    def _space_of(self, X: Array, weight: Array | None) -> KernelSpace:
        held = getattr(self, "_space", None) if self.warm_start else None
        if self._needs_gram(self.kernel, X.shape) and (held is None or len(held) != X.shape[0]):
            # Check before gamma is resolved, which may compute all distances.
            check_memory(X.shape[0], self.matrices, self._advice_for_many_rows())
        kernel = self._kernel(X, weight)
        if kernel.name == "precomputed":
            _check_inner_products(X)
        if held is not None and held.kernel == kernel and _are_equal(held.rows, X):
            return held
        return KernelSpace(X.copy(), kernel)  # a copy, as the caller may change X later

    def _advice_for_many_rows(self) -> str:
        if hasattr(self, "landmarks"):
            return ADVICE
        name = type(self).__name__
        return f"{name} has no landmarks: use a method that has, such as SVM or LDM, use {name} with kernel='linear'"

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return not (self.explicit and kernel == "linear" and shape[1] < shape[0])

    def _kernel(self, X: Array, weight: Array | None) -> Kernel:
        if self.kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {', '.join(KERNELS)}; got {self.kernel!r}.")
        name = type(self).__name__
        gamma = resolve_gamma(self.gamma, X, weight) if self.kernel in ("rbf", "laplacian", "poly") else 1.0
        degree, coef0 = int(DEGREE.check(self.degree, name)), COEF0.check(self.coef0, name)
        return Kernel(self.kernel, float(gamma), degree, float(coef0), bool(self.fit_intercept))


class WeightedMachine(KernelMachine):
    """A kernel machine that takes sample weights, and class weights if combined with `WeightParams`."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        return self._fit_rows(X, y, sample_weight)


def _are_equal(X: Any, Z: Any) -> bool:
    if issparse(X) or issparse(Z):
        return issparse(X) and issparse(Z) and X.shape == Z.shape and not (X != Z).nnz
    return np.array_equal(X, Z)


def _check_inner_products(X: Array) -> None:
    """Raise ValueError unless X is square, symmetric, and satisfies |k(x, z)| <= ||x|| ||z||.

    These checks are cheap; the solvers detect other indefinite matrices.
    """
    if X.shape[0] != X.shape[1]:
        raise ValueError(f"kernel='precomputed' needs the square Gram matrix of the rows; X has shape {X.shape}.")
    if not np.allclose(X, X.T, rtol=1e-9, atol=1e-9 * np.abs(X).max()):
        raise ValueError("kernel='precomputed' needs a symmetric Gram matrix, and X is not symmetric.")
    lengths = np.sqrt(np.maximum(np.diagonal(X), 0.0))
    if (np.abs(X) > np.outer(lengths, lengths) + INDEFINITE * lengths.max() ** 2).any():
        raise ValueError(NOT_A_KERNEL)
