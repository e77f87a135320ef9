"""What every estimator shares: checks of its input and parameters, margins, and the kernel machines' plumbing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
from threadpoolctl import ThreadpoolController

from mdcore.kernels import COEF0, DEGREE, KERNELS, Kernel, resolve_gamma
from mdcore.margin import Scale, margins_of, rescale
from mdcore.methods.params import KernelParams
from mdcore.solvers.linalg import NotPositiveDefinite
from mdcore.space import KernelSpace, check_memory
from mdcore.spec import Interval, Param, Setting, Slider

Array = NDArray[np.float64]

SMALL = 1500  # below this many rows two BLAS threads only wait for each other

INDEFINITE = 1e-6  # share of |a|'|Ga| by which a'Ga may be negative through rounding
NOT_A_KERNEL = (
    "The kernel matrix is not positive semi-definite at working precision. Scale the features if they are large; "
    "a precomputed matrix must be one of inner products."
)

TOL = Param(
    "tol",
    "tol",
    1e-8,
    Interval(0, 1, open_high=True),
    Slider(1e-12, 1e-2, log=True),
    "Relative duality gap, or change, at which the solver stops.",
)
MAX_ITER = Param(
    "max_iter", "iterations", 100, Interval(1, np.inf), Slider(1, 1000, log=True), "Most iterations.", integer=True
)


class MarginClassifier(ClassifierMixin, BaseEstimator):
    """A classifier with margins. Subclasses declare `parameters` and set `norm_` when fitted.

    It is one of two classes, unless `MulticlassMixin` makes it one of several.
    """

    parameters: ClassVar[tuple[Setting, ...]] = ()
    accepts_sparse: ClassVar[bool] = False
    multiclass: ClassVar[bool] = False

    classes_: NDArray[Any]
    norm_: float
    support_: NDArray[np.intp]
    status_: str

    def decision_function(self, X: ArrayLike) -> Array:
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """classes_[1] where f(x) > 0, else classes_[0]; of several classes the one with the largest score."""
        check_is_fitted(self)
        f = self.decision_function(X)
        return self.classes_[np.argmax(f, axis=1) if f.ndim == 2 else (f > 0).astype(np.intp)]

    def margins(self, X: ArrayLike, y: ArrayLike, scale: Scale = "functional") -> Array:
        """y f(x), of several classes f_y(x) - max_{l != y} f_l(x); divided by ||w|| on the geometric scale."""
        f = self.decision_function(X)
        return rescale(margins_of(f, self._codes(y, len(f))), self.norm_, scale)

    def weights_apart(self, first: int = 1, second: int = 0) -> float:
        """||w|| of f_first - f_second, of two classes ||w|| of f: over it, f is the distance to their boundary."""
        return self.norm_

    def problems(self, X: ArrayLike, y: ArrayLike) -> Iterator[tuple[Array, float]]:
        """Margins and norm of each problem that was solved; `objective_` is the sum of their objectives."""
        yield self.margins(X, y), self.norm_

    def settings(self) -> dict[str, Any]:
        """The method's own parameters, checked against their legal domains."""
        name = type(self).__name__
        return {p.name: p.check(getattr(self, p.name), name) for p in self.parameters}

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.multiclass
        tags.input_tags.sparse = self._takes_sparse()
        return tags

    def _check_rows(self, X: ArrayLike, *, reset: bool) -> Any:
        names = getattr(X, "columns", None)
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=np.float64,
            order="C",
            accept_sparse="csr" if self._takes_sparse() else False,
            ensure_all_finite=False,
        )
        check_finite(X, names)
        return X

    def _takes_sparse(self) -> bool:
        return self.accepts_sparse

    def _codes(self, y: ArrayLike, rows: int) -> NDArray[np.intp]:
        """The index of each label in classes_."""
        labels = np.asarray(y)
        if labels.shape != (rows,):
            raise ValueError(f"X has {rows} rows and y has shape {labels.shape}; each row needs one label.")
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels not seen in fit: {unknown.tolist()}; known are {self.classes_.tolist()}.")
        return np.searchsorted(self.classes_, labels)

    def _check_labels(self, y: ArrayLike, rows: int) -> NDArray[Any]:
        """-1/+1 labels; sets classes_."""
        codes = self._check_classes(y, rows)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
                f"y has {len(self.classes_)} classes; keep two of them, or use OneVersusRest."
            )
        return np.where(codes == 1, 1.0, -1.0)

    def _check_classes(self, y: ArrayLike, rows: int) -> NDArray[np.intp]:
        """The index of each label in classes_, which it sets."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        y = _column(y)
        if len(y) != rows:
            raise ValueError(f"X has {rows} rows and y has {len(y)} labels; each row needs one.")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            first = int(np.flatnonzero(~np.isfinite(y))[0])
            raise ValueError(f"Input y contains NaN or infinity, first in row {first}: every row needs a label.")
        if y.dtype.kind == "O":
            _require_present(y)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) == 1:
            raise ValueError(f"y has one class only, {classes[0]!r}; a margin needs two classes.")
        self.classes_ = classes
        return codes

    def _signs(self, y: ArrayLike, rows: int) -> Array:
        """-1/+1 labels of classes known from an earlier batch."""
        y = np.asarray(y)
        if y.shape != (rows,):
            raise ValueError(f"X has {rows} rows and y has shape {y.shape}; each row needs one label.")
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels not seen before: {unknown.tolist()}; known are {self.classes_.tolist()}.")
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _warn_unconverged(self, what: str) -> None:
        self.status_ = what
        warnings.warn(f"{type(self).__name__} did not converge: {what}", ConvergenceWarning, stacklevel=3)


class KernelMachine(KernelParams, MarginClassifier):
    """f(x) = sum_i dual_coef_i k(x_i, x) + offset_, the constant feature part of k; `offset_` is 0 beside it.

    `fit` builds the KernelSpace of the rows and calls `fit_space`; whoever holds the space of some rows already, as an
    Experiment does, calls `fit_space` and pays for nothing twice.
    """

    warm_start = False  # a parameter of those that can go on from where they are

    kernel_: Kernel
    X_fit_: Array
    dual_coef_: Array
    offset_: float = 0.0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        return self._fit_rows(X, y, None)

    def _fit_rows(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        rows = self._check_rows(X, reset=True)
        signs = self._check_labels(y, len(rows))
        weight = None if sample_weight is None else _checked_weight(sample_weight, rows, signs)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            rows_kept = rows[np.ix_(kept, kept)] if self.kernel == "precomputed" else rows[kept]
            weighty = self._space_of(rows_kept, weight[kept])
            self._solve_in(weighty, signs[kept], weight[kept])
            self._scatter(kept, rows)
            return self
        self._solve_in(self._space_of(rows, weight), signs, weight)
        return self

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit on the rows of a space that may be shared; its kernel counts, not the estimator's own settings."""
        self.n_features_in_ = space.rows.shape[1]
        self._solve_in(space, self._check_labels(y, len(space)), None)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        new = self._check_rows(X, reset=False)
        if self.kernel_.name == "linear":
            return new @ self.coef_[0] + self.intercept_[0]
        return self._expand(new, self.dual_coef_) + self.offset_

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
        state = super().__getstate__()
        state.pop("_space", None)
        return state

    def _solve_in(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        self.kernel_ = space.kernel
        self.X_fit_ = space.rows
        if self.warm_start:
            self._space = space
        self.status_ = ""
        try:
            with one_blas_thread(len(space)):
                self._solve(space, signs, weight)
        except NotPositiveDefinite:
            raise ValueError(NOT_A_KERNEL) from None

    def _solve(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        """Solve and adopt; set support_, objective_, gap_, n_iter_, converged_."""
        raise NotImplementedError

    def _adopt(self, space: KernelSpace, signs: Array, u: Array, w: Array | None = None) -> Array:
        """Take w = sum_i u_i y_i phi(x_i) as the model and return its training margins.

        Sets dual_coef_ and norm_, for the linear kernel also coef_ and intercept_, all from the explicit weights `w`
        where they are known.
        """
        self.dual_coef_ = signs * u
        if space.kernel.name == "linear":
            return self._adopt_weights(space, signs, space.root.T @ self.dual_coef_ if w is None else w)
        for stale in ("coef_", "intercept_"):  # of an earlier fit with the linear kernel
            self.__dict__.pop(stale, None)
        f = space.gram @ self.dual_coef_
        self.norm_ = kernel_norm(self.dual_coef_, f) if w is None else float(np.linalg.norm(w))
        return signs * f

    def _adopt_weights(self, space: KernelSpace, signs: Array, w: Array) -> Array:
        """Take explicit weights, that of the constant feature last, as the linear model; its training margins."""
        d = space.rows.shape[1]
        self.coef_ = w[None, :d]
        self.intercept_ = w[d:] if space.kernel.bias else np.zeros(1)
        self.norm_ = float(np.linalg.norm(w))
        if not np.isfinite(self.norm_):
            raise ValueError("The weights overflow: the rows are too large. Scale the features.")
        return signs * (space.root @ w)

    def _previous(self, name: str, m: int) -> Array | None:
        """A fitted vector to start from, with `warm_start` and as many examples as before."""
        values = getattr(self, name, None) if self.warm_start else None
        return values if values is not None and len(values) == m else None

    def _scatter(self, kept: NDArray[np.intp], X: Array) -> None:
        """Rows of weight zero take no part: coefficient zero, and no support vectors."""
        for name in ("dual_coef_", "beta_"):
            if hasattr(self, name):
                whole = np.zeros(len(X))
                whole[kept] = getattr(self, name)
                setattr(self, name, whole)
        self.support_ = kept[self.support_]
        self.X_fit_ = X

    def _space_of(self, X: Array, weight: Array | None) -> KernelSpace:
        kernel = self._kernel(X, weight)
        if kernel.name == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"kernel='precomputed' needs the square Gram matrix of the rows; X has shape {X.shape}.")
        if kernel.name == "precomputed" and not np.allclose(X, X.T, rtol=1e-9, atol=1e-9 * np.abs(X).max()):
            raise ValueError("kernel='precomputed' needs a symmetric Gram matrix, and X is not symmetric.")
        held = getattr(self, "_space", None)
        if self.warm_start and held is not None and held.kernel == kernel and np.array_equal(held.rows, X):
            return held
        if self._needs_gram(kernel):
            check_memory(len(X))
        return KernelSpace(X, kernel)

    def _needs_gram(self, kernel: Kernel) -> bool:
        return True

    def _kernel(self, X: Array, weight: Array | None) -> Kernel:
        if self.kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {', '.join(KERNELS)}; got {self.kernel!r}.")
        name = type(self).__name__
        gamma = resolve_gamma(self.gamma, X, weight) if self.kernel in ("rbf", "laplacian", "poly") else 1.0
        degree, coef0 = int(DEGREE.check(self.degree, name)), COEF0.check(self.coef0, name)
        return Kernel(self.kernel, float(gamma), degree, float(coef0), bool(self.fit_intercept))  # type: ignore[arg-type]


def kernel_norm(a: Array, Ga: Array) -> float:
    """sqrt(a'Ga); a ValueError where it shows that G is no matrix of inner products."""
    square = float(a @ Ga)
    if square < -INDEFINITE * float(np.abs(a) @ np.abs(Ga)):
        raise ValueError(NOT_A_KERNEL)
    return float(np.sqrt(max(square, 0.0)))


def check_finite(X: Any, names: Any = None) -> None:
    """Name the first column and row that hold no finite number."""
    values = X.data if issparse(X) else X
    if np.isfinite(values).all():
        return
    if issparse(X):
        raise ValueError("Input X contains NaN or infinity in a sparse matrix; every stored value must be finite.")
    row, column = (int(i) for i in np.argwhere(~np.isfinite(X))[0])
    what = "NaN" if np.isnan(X[row, column]) else "infinity"
    name = f"{names[column]!r}" if names is not None else str(column)
    raise ValueError(
        f"Input X contains {what}: column {name}, row {row}. Fill or drop missing values first; every value must be "
        "a finite number."
    )


def _require_present(y: NDArray[Any]) -> None:
    import pandas as pd

    missing = np.flatnonzero(pd.isna(y))
    if len(missing):
        raise ValueError(f"Input y has a missing label (None or NaN), first in row {missing[0]}: every row needs one.")


def _column(y: ArrayLike) -> NDArray[Any]:
    from sklearn.utils import column_or_1d

    return column_or_1d(y, warn=True)


def _checked_weight(sample_weight: ArrayLike, X: Array, signs: Array) -> Array:
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must be in [0, ∞); row {int(np.argmax(weight < 0))} is negative.")
    if len(np.unique(signs[weight > 0])) < 2:
        raise ValueError("sample_weight leaves one class only; a margin needs two classes of positive weight.")
    return weight


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread(m: int) -> Iterator[None]:
    """One BLAS thread for problems of m < SMALL rows."""
    if m >= SMALL:
        yield
        return
    with _threads().limit(limits=1, user_api="blas"):
        yield
