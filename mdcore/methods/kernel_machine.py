"""The base class of kernel machines: the space of the training rows, warm starts, and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mdcore.basics.threads import one_blas_thread
from mdcore.methods import distances
from mdcore.methods.base import MarginClassifier
from mdcore.methods.fit_result import NOT_A_KERNEL, FitResult, Restart, Sample
from mdcore.methods.landmarks import AUTO, LandmarkParams, landmark_space, uses_landmarks, with_enough_landmarks
from mdcore.methods.params import KernelParams
from mdcore.methods.weights import ClassWeight, checked_weights, times_class_weight
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.linalg import NotPositiveDefinite
from mdcore.solvers.rows import Matrix
from mdcore.spaces.kernels import COEF0, DEGREE, KERNELS, Kernel, resolve_gamma
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import ADVICE, KernelSpace, check_memory

INDEFINITE = 1e-6  # tolerance for |k(x, z)| > ||x|| ||z|| in a precomputed kernel, relative to the largest ||x||^2


class KernelMachine(KernelParams, MarginClassifier):
    """A kernel machine f(x) = sum_i dual_coef_i k(x_i, x) + offset_, where k includes the constant feature, if any.

    `offset_` is 0 unless the bias is not part of w (`own_bias`, for which the kernel has no constant feature) or
    landmarks span the space. `fit` builds the KernelSpace of the rows; callers that already have one, such as
    Experiment, pass it to `fit_space` instead, so that the kernel matrix is computed only once. Subclasses solve their
    problem on a sample, in `_solve`; what it returns becomes the fitted attributes.
    """

    warm_start = False  # a parameter of the machines that can start from the last solution
    class_weight: ClassWeight = None  # a parameter of the machines whose problem is a sum over examples
    landmarks: int | str | None = None  # a parameter of the machines that can be restricted to a span, LandmarkParams
    own_bias: ClassVar[bool] = False  # whether the bias is a separate number, not part of w

    kernel_: Kernel
    X_fit_: Matrix
    dual_coef_: Array
    norm_error_: float
    offset_: float | Array = 0.0
    _apart_: Array
    _space_: KernelSpace
    _last_: Restart

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        return self._fit_rows(X, y, None)

    def _fit_rows(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        rows = self._check_rows(X, reset=True)
        labels = self._check_labels(y, rows.shape[0])
        weight = checked_weights(sample_weight, rows, self._codes_of(labels), self.classes_)
        if weight is None or weight.all():
            return self._adopt(*self._fit_on(self._space_of(rows, weight), labels, weight))
        kept = np.flatnonzero(weight)
        part = rows[np.ix_(kept, kept)] if self.kernel == "precomputed" else rows[kept]
        sample, result = self._fit_on(self._space_of(part, weight[kept]), labels[kept], weight[kept])
        return self._adopt(sample, result.on_all_rows(kept, rows))

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit on the rows of a space, which may be shared, with its kernel instead of the estimator's own settings."""
        self.n_features_in_ = space.rows.shape[1]
        return self._adopt(*self._fit_on(space, self._check_labels(y, len(space)), None))

    def _fit_on(self, space: KernelSpace, labels: NDArray[Any], weight: Array | None) -> tuple[Sample, FitResult]:
        """Return the result of a fit, and the sample that it belongs to; class weights enter the problem, but not the
        kernel's gamma."""
        weight = times_class_weight(weight, self.class_weight, self._codes_of(labels), self.classes_)
        space = space.plain if self.own_bias else space
        sample = Sample(space, labels, weight, self.__dict__.get("_last_") if self.warm_start else None)
        if self.landmarks == AUTO and isinstance(space, LandmarkSpace):
            return with_enough_landmarks(self._solve_limited, sample)
        return sample, self._solve_limited(sample)

    def _solve_limited(self, sample: Sample) -> FitResult:
        """Solve with one BLAS thread, if the largest linear system is small."""
        try:
            with one_blas_thread(self._system_size(sample.space)):
                return self._solve(sample)
        except NotPositiveDefinite:
            raise ValueError(NOT_A_KERNEL) from None

    def _solve(self, sample: Sample) -> FitResult:
        """Return the solution of the problem, and leave the estimator as it is."""
        raise NotImplementedError

    def _adopt(self, sample: Sample, result: FitResult) -> Self:
        """Set the fitted attributes and, for a warm start, keep the space and the solution."""
        self._set_fitted(result)
        if self.warm_start:
            self._space_ = sample.space
            if result.last is not None:
                self._last_ = result.last
        return self

    def _system_size(self, space: KernelSpace) -> int:
        """Return the order of the largest linear system to solve, from which the number of BLAS threads follows."""
        return 0 if self._is_explicit(space) else len(space)

    def _is_explicit(self, space: KernelSpace) -> bool:
        """Return whether the problem is solved in the features of the space."""
        return self.explicit and space.explicit

    def _codes_of(self, labels: NDArray[Any]) -> Index:
        """Return the index in classes_ of each label that `_check_labels` returned."""
        return (labels > 0.0).astype(np.intp)

    def decision_function(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        new = self._check_rows(X, reset=False)
        if self.kernel_.name == "linear":
            return np.asarray(new @ self.coef_[0] + self.intercept_[0])
        return self._expand(new, self.dual_coef_) + self.offset_

    def _check_rows(self, X: ArrayLike, *, reset: bool) -> Matrix:
        rows = super()._check_rows(X, reset=reset)
        if not isinstance(rows, np.ndarray) and not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return rows

    def _takes_sparse(self) -> bool:
        return self.accepts_sparse and self.kernel == "linear"

    def __sklearn_tags__(self) -> Tags:
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
        state: dict[str, Any] = super().__getstate__()
        for name in ("_space_", "_last_", "_scores_"):
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

    def _norms_apart(self) -> Array:
        return self._apart_

    def _constants(self) -> Array:
        if self.is_linear:
            constants = self.intercept_
        else:
            constants = np.atleast_1d(self.offset_ + self.kernel_.constant * self.dual_coef_.sum(axis=0))
        return np.append(0.0, constants) if len(constants) == 1 else np.asarray(constants)

    def uses(self, space: KernelSpace) -> bool:
        """Return whether the model's coefficients belong to the rows of a space with the same kernel."""
        return self.X_fit_ is space.rows and self.kernel_ == space.kernel

    def decide(self, cross: Array) -> Array:
        """Return f for new rows, given their kernel values with the training rows."""
        return np.asarray(cross @ self.dual_coef_ + self.offset_)

    def _decisions_of_fit(self) -> Array | None:
        scores = getattr(self, "_scores_", None)
        return None if scores is None else scores + self.offset_

    def norms_between(self, others: Sequence[Any]) -> Array:
        if self.landmark_count:
            return distances.of_weights(np.stack([model._in_span_ for model in others]))
        if self.is_linear:
            return super().norms_between(others)
        A = np.stack([model.dual_coef_ for model in others], axis=1)
        known = [model.__dict__.get("_scores_") for model in others]
        whole = all(scores is not None for scores in known)
        scores = np.stack(known, axis=1) if whole else self._expand(self.X_fit_, A)
        return distances.of_expansions(A, scores - self.kernel_.constant * A.sum(axis=0))

    def _previous(self, name: str, shape: tuple[int, ...]) -> Array | None:
        """Return a fitted attribute to start from, or None without `warm_start` or if its shape has changed."""
        values = getattr(self, name, None) if self.warm_start else None
        return values if values is not None and values.shape == shape else None

    def _space_of(self, X: Matrix, weight: Array | None) -> KernelSpace:
        held: KernelSpace | None = self.__dict__.get("_space_") if self.warm_start else None
        spanned = uses_landmarks(self.landmarks, self.kernel, type(self).__name__)
        if not spanned and self._needs_gram(self.kernel, X.shape) and (held is None or len(held) != X.shape[0]):
            # Check before gamma is resolved, which may compute all distances.
            check_memory(X.shape[0], self.matrices, self._advice_for_many_rows())
        kernel = self._kernel(X, weight)
        if spanned:
            return landmark_space(X, kernel, self.landmarks, held)
        if kernel.name == "precomputed":
            _check_inner_products(X)
        if held is not None and held.kernel == kernel and _are_equal(held.rows, X):
            return held
        return KernelSpace(X.copy(), kernel)  # a copy, as the caller may change X later

    def _advice_for_many_rows(self) -> str:
        if isinstance(self, LandmarkParams):
            return ADVICE
        name = type(self).__name__
        return f"{name} has no landmarks: use a method that has, such as SVM or LDM, use {name} with kernel='linear'"

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return not (self.explicit and kernel == "linear" and shape[1] < shape[0])

    def _kernel(self, X: Matrix, weight: Array | None) -> Kernel:
        if self.kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {', '.join(KERNELS)}; got {self.kernel!r}.")
        name = type(self).__name__
        gamma = resolve_gamma(self.gamma, X, weight) if self.kernel in ("rbf", "laplacian", "poly") else 1.0
        degree, coef0 = int(DEGREE.check(self.degree, name)), COEF0.check(self.coef0, name)
        return Kernel(self.kernel, float(gamma), degree, float(coef0), bool(self.fit_intercept) and not self.own_bias)


class WeightedMachine(KernelMachine):
    """A kernel machine that takes sample weights, and class weights if combined with `WeightParams`."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        return self._fit_rows(X, y, sample_weight)


def _are_equal(X: Matrix, Z: Matrix) -> bool:
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
