"""What the kernel machines share: the space of their rows, warm starts, the weights they end with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import OpenBLASController

from mdcore.kernels import COEF0, DEGREE, KERNELS, Kernel, resolve_gamma
from mdcore.methods.base import MarginClassifier, check_weights, from_products
from mdcore.methods.params import KernelParams
from mdcore.methods.weights import ClassWeight, checked_weights, times_class_weight
from mdcore.solvers.certificate import Vector
from mdcore.solvers.linalg import NotPositiveDefinite
from mdcore.space import MATRICES_PER_FIT, WAY, KernelSpace, check_memory
from mdcore.threads import libraries

Array = NDArray[np.float64]

SMALL = 3000  # below this many rows two BLAS threads only wait for each other

INDEFINITE = 1e-6  # share of ||x||^2 by which a precomputed k may exceed
NOT_A_KERNEL = (
    "The kernel matrix is not positive semi-definite at working precision. Scale the features if they are large, and "
    "take no extreme parameters; a precomputed matrix must be one of inner products."
)


class Solved(Protocol):
    """What a solver says of its solution; its gap is its own affair."""

    @property
    def n_iter(self) -> int: ...
    @property
    def converged(self) -> bool: ...


@dataclass(frozen=True)
class Steps:
    """All that need be said where the solution is at hand; of a closed form that it took one."""

    n_iter: int = 1
    converged: bool = True


class KernelMachine(KernelParams, MarginClassifier):
    """f(x) = sum_i dual_coef_i k(x_i, x) + offset_, the constant feature part of k; `offset_` is 0 beside it.

    `fit` builds the KernelSpace of the rows and calls `fit_space`; whoever holds the space of some rows already, as an
    Experiment does, calls `fit_space` and pays for nothing twice.
    """

    warm_start = False  # a parameter of those that can go on from where they are
    class_weight: ClassWeight = None  # a parameter of those whose problem is a sum over examples
    matrices: ClassVar[float] = MATRICES_PER_FIT  # of m² numbers at the peak of a fit, at most
    explicit: ClassVar[bool] = False  # whether it can be solved in explicit features
    own_bias: ClassVar[bool] = False  # beside w, not in it

    kernel_: Kernel
    X_fit_: Array
    dual_coef_: Array
    norm_error_: float
    offset_: float = 0.0

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
            self._scatter(kept, rows)
            return self
        self._solve_in(self._space_of(rows, weight), labels, self._class_weighted(weight, labels))
        return self

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit on the rows of a space that may be shared; its kernel counts, not the estimator's own settings."""
        self.n_features_in_ = space.rows.shape[1]
        labels = self._check_labels(y, len(space))
        self._solve_in(space, labels, self._class_weighted(None, labels))
        return self

    def _class_weighted(self, weight: Array | None, labels: NDArray[Any]) -> Array | None:
        """Return the weights of the examples with those of their classes, which count in the problem and not in the
        kernel."""
        return times_class_weight(weight, self.class_weight, self._codes_of(labels), self.classes_)

    def _codes_of(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Return the index in classes_ of what `_check_labels` returned."""
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
        """sum_i coefficients_i k(x_i, x) for checked rows; for a matrix of coefficients a column for each of its."""
        if self.kernel_.name == "precomputed":
            return self.kernel_(new, new) @ coefficients
        used = np.flatnonzero(coefficients.any(axis=1) if coefficients.ndim == 2 else coefficients)
        rows, coefficients = self.X_fit_[used], coefficients[used]
        block = max(1, int(2**24 // max(len(used), 1)))
        parts = [self.kernel_(new[i : i + block], rows) @ coefficients for i in range(0, len(new), block)]
        return np.concatenate(parts)

    def __getstate__(self) -> dict[str, Any]:
        """Return what predicts: of the rows those with a coefficient alone, of a linear model none."""
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
        """Return all of it, where a copy is no file."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _solve_in(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        self._forget("coef_", "intercept_", "offset_", "_scores")
        self.kernel_ = space.kernel
        self.X_fit_ = space.rows
        if self.warm_start:
            self._space = space
        self.status_ = ""
        try:
            with one_blas_thread(self._order(space)):
                if self._is_explicit(space):
                    self._solve_explicit(space, signs, weight)
                else:
                    self._solve(space, signs, weight)
        except NotPositiveDefinite:
            raise ValueError(NOT_A_KERNEL) from None

    def _order(self, space: KernelSpace) -> int:
        """Return how large the systems are that are solved."""
        return 0 if self._is_explicit(space) else len(space)

    def _solve(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        """Solve, adopt and finish; set support_."""
        raise NotImplementedError

    def _is_explicit(self, space: KernelSpace) -> bool:
        """Return whether the problem is solved in the features of the space."""
        return self.explicit and space.explicit

    def _solve_explicit(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        """The same from the explicit features alone, where `explicit`."""
        self._solve(space, signs, weight)

    def _adopt(self, space: KernelSpace, a: Array, W: Array | None = None) -> Vector:
        """Take w = sum_i a_i phi(x_i) as the model, of the linear kernel with the weights `W` where they are known.

        Sets dual_coef_, norm_ with its error, for the linear kernel also coef_ and intercept_.
        """
        self.dual_coef_ = a
        if space.is_linear:
            W = space.weights(a) if W is None else W
            d, columns = space.rows.shape[1], W.reshape(len(W), -1).T
            self.coef_ = np.ascontiguousarray(columns[:, :d])
            self.intercept_ = columns[:, d].copy() if space.kernel.bias else np.zeros(len(columns))
            check_weights(np.square(W).sum())
        else:
            self._forget("coef_", "intercept_")
        w = space.vector(a, W)
        if w.is_impossible:
            raise ValueError(NOT_A_KERNEL)
        self.norm_, self.norm_error_ = w.norm, w.norm_error
        self._scores = w.scores
        return w

    def decide(self, cross: Array) -> Array:
        """f of rows by their kernel values with the rows fitted on."""
        return np.asarray(cross @ self.dual_coef_ + self.offset_)

    def _decisions_of_fit(self) -> Array | None:
        scores = getattr(self, "_scores", None)
        return None if scores is None else scores + self.offset_

    def apart_from(self, others: Sequence[Any]) -> Array:
        if self.is_linear:
            return super().apart_from(others)
        if all(_are_equal(model.X_fit_, self.X_fit_) for model in others):
            A = np.stack([model.dual_coef_ for model in others], axis=1)
            return from_products(A.T @ self._expand(self.X_fit_, A))
        products = [
            [one.dual_coef_ @ other._expand(one.X_fit_, other.dual_coef_) for other in others] for one in others
        ]
        return from_products(np.array(products))

    def _weights_of_f(self) -> Array:
        return np.append(self.coef_[0], self.intercept_) if self.kernel_.bias else self.coef_[0]

    def _forget(self, *names: str) -> None:
        """What an earlier fit with another kernel has left, and this one does not have."""
        for name in names:
            self.__dict__.pop(name, None)

    def _previous(self, name: str, shape: tuple[int, ...]) -> Array | None:
        """Fitted variables to start from, with `warm_start` and as many of them as before."""
        values = getattr(self, name, None) if self.warm_start else None
        return values if values is not None and values.shape == shape else None

    def _scatter(self, kept: NDArray[np.intp], X: Array) -> None:
        """Rows of weight zero take no part: coefficient zero, and no support vectors."""
        for name in ("dual_coef_", "beta_", "binary_coef_"):
            if hasattr(self, name):
                found = getattr(self, name)
                whole = np.zeros((X.shape[0], *found.shape[1:]))
                whole[kept] = found
                setattr(self, name, whole)
        self.support_ = kept[self.support_]
        self.X_fit_ = X.copy()
        self._forget("_scores")

    def _space_of(self, X: Array, weight: Array | None) -> KernelSpace:
        held = getattr(self, "_space", None) if self.warm_start else None
        if self._needs_gram(self.kernel, X.shape) and (held is None or len(held) != X.shape[0]):
            # Before gamma, for which all distances may be asked.
            check_memory(X.shape[0], self.matrices, self._way_with_many_rows())
        kernel = self._kernel(X, weight)
        if kernel.name == "precomputed":
            _check_inner_products(X)
        if held is not None and held.kernel == kernel and _are_equal(held.rows, X):
            return held
        return KernelSpace(X.copy(), kernel)  # which the caller's later changes to X may not reach

    def _way_with_many_rows(self) -> str:
        if hasattr(self, "landmarks"):
            return WAY
        name = type(self).__name__
        return f"{name} takes no landmarks: take a method that does, such as SVM or LDM, {name} with kernel='linear'"

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
    """One whose examples may count more or less; with `WeightParams`, so may its classes."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        return self._fit_rows(X, y, sample_weight)


def _are_equal(X: Any, Z: Any) -> bool:
    if issparse(X) or issparse(Z):
        return issparse(X) and issparse(Z) and X.shape == Z.shape and not (X != Z).nnz
    return np.array_equal(X, Z)


def _check_inner_products(X: Array) -> None:
    """What shows at a glance, |k(x, z)| <= ||x|| ||z|| the last of it; solvers meet the rest."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(f"kernel='precomputed' needs the square Gram matrix of the rows; X has shape {X.shape}.")
    if not np.allclose(X, X.T, rtol=1e-9, atol=1e-9 * np.abs(X).max()):
        raise ValueError("kernel='precomputed' needs a symmetric Gram matrix, and X is not symmetric.")
    lengths = np.sqrt(np.maximum(np.diagonal(X), 0.0))
    if (np.abs(X) > np.outer(lengths, lengths) + INDEFINITE * lengths.max() ** 2).any():
        raise ValueError(NOT_A_KERNEL)


class _OneThread:
    """Limits BLAS to one thread while anybody is inside; the limit is the process's, and fits run side by side.

    The last one out lifts it, whoever set it: to threadpoolctl OpenBLAS belongs to the thread that limited it first,
    and calls from others do nothing.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = libraries().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                OpenBLASController.clear_controlling_thread(force=True)
                self._limits.restore_original_limits()
                OpenBLASController.clear_controlling_thread()


_ONE_THREAD = _OneThread()


def one_blas_thread(m: int) -> AbstractContextManager[None]:
    """One BLAS thread for systems of m < SMALL rows."""
    return _ONE_THREAD if m < SMALL else nullcontext()
