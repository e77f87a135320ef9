"""The base class of all estimators: input and parameter checks, and margins."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from mdcore.margins.distribution import Margins, Scale, check_scale, distances_of, margins_of, rescale
from mdcore.methods import distances
from mdcore.methods.checks import (
    are_integers,
    check_finite,
    check_switch,
    is_table,
    label_column,
    require_numbers,
    typed_labels,
)
from mdcore.methods.fit_result import FitResult
from mdcore.solvers.arrays import Array
from mdcore.solvers.rows import Matrix
from mdcore.spaces.space import MATRICES_PER_FIT
from mdcore.spec import HUGE, Interval, Param, Setting, Slider, Work

TOL = Param(
    "tol",
    "tol",
    1e-8,
    Interval(0, 1, open_high=True),
    Slider(1e-12, 1e-2, log=True),
    "Relative duality gap, or change, at which the solver stops.",
)
MAX_ITER = Param(
    "max_iter",
    "iterations",
    100,
    Interval(1, np.inf),
    Slider(1, 1000, log=True),
    "Maximum number of iterations.",
    integer=True,
)
SWITCHES = ("fit_intercept", "warm_start", "extrapolate")
UNKNOWN_NORM = "rounding errors make ‖w‖ inaccurate. Scale the features."


OF_INPUT = ("n_features_in_", "feature_names_in_", "classes_")  # attributes that a fit sets before it solves anything


class MarginClassifier(ClassifierMixin, BaseEstimator):
    """A classifier with margins, for two classes unless combined with `MulticlassMixin`.

    Subclasses declare `parameters`, and set `norm_` in `fit`: the norm in the method's own problem, which includes the
    weight of the constant feature if the problem does. Geometric margins are divided by `distance_norms_` instead.
    """

    parameters: ClassVar[tuple[Setting, ...]] = ()
    accepts_sparse: ClassVar[bool] = False
    multiclass: ClassVar[bool] = False
    voting: ClassVar[bool] = False  # whether scores of three or more classes count votes, so that they have no unit
    explicit: ClassVar[bool] = False  # whether the problem can be solved in explicit features
    for_choice: ClassVar[Mapping[str, Any]] = {}  # parameters with which fits that only serve a choice are faster
    matrices: ClassVar[float] = MATRICES_PER_FIT  # peak memory of a fit, at most, in matrices of m² numbers
    work: ClassVar[Work] = Work()  # of a kernel machine, measured, see mdcore/spaces/costs.py
    followed: ClassVar[tuple[str, ...]] = ()  # parameters in which the dual solution is piecewise linear
    _reach_: float = HUGE  # the largest length of a row of the fit, without the constant feature

    tol: float
    max_iter: int
    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array
    norm_: float
    objective_: float
    gap_: float
    n_iter_: int
    converged_: bool
    support_: NDArray[np.intp]
    status_: str

    @classmethod
    def models(cls, classes: int) -> float:
        """Return how many times the `work` of two classes these classes take."""
        return 1.0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        raise NotImplementedError

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) = <w, x> + b, for two classes and explicit weights."""
        check_is_fitted(self)
        return np.asarray(self._check_rows(X, reset=False) @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return classes_[1] where f(x) > 0, else classes_[0]; with several classes, the one with the largest score."""
        check_is_fitted(self)
        f = self.decision_function(X)
        return np.asarray(self.classes_[np.argmax(f, axis=1) if f.ndim == 2 else (f > 0).astype(np.intp)])

    @property
    def is_linear(self) -> bool:
        """Whether the model has explicit weights for the columns, `coef_` and `intercept_`."""
        return hasattr(self, "coef_")

    @property
    def landmark_count(self) -> int:
        """Number of landmarks that span the space of the model; 0 for the exact kernel problem."""
        return len(getattr(self, "landmarks_", ()))

    def margins(self, X: ArrayLike, y: ArrayLike, scale: Scale = "functional") -> Array:
        """Return the margin of each row on the given scale.

        - functional: y f(x); with several classes f_y(x) - max_{l != y} f_l(x).
        - geometric: the distance to the boundary in the space of the kernel, negative on its wrong side, whatever norm
          the method penalises: y f(x) over ||w|| of f less its constant; with several classes
          min_{l != y} (f_y(x) - f_l(x)) / ||w_y - w_l||, which is exact for an example on the right side of all
          boundaries, and the least possible distance otherwise. It is nan without a boundary: if f is constant to
          working precision, or an example's class and another one differ by a constant only.
        - paper: the functional margin divided by `norm_`, which with several classes is (sum_l ||w_l||^2)^(1/2).
        """
        check_scale(scale)
        if scale == "geometric" and (reason := self.why_no_distances):
            raise ValueError(f"{type(self).__name__} has no geometric margins: {reason}. Set scale='functional'.")
        f = self.decision_function(X)
        codes = self._codes(y, len(f))
        if scale == "geometric":
            return distances_of(f, codes, self.distance_norms_)
        return rescale(margins_of(f, codes), self.norm_, scale)

    def both_margins(self, X: ArrayLike, y: ArrayLike) -> Margins:
        """Return functional and geometric margins from a single evaluation of the decision function."""
        return self.measure(self.decision_function(X), y)

    def margins_of_fit(self, X: ArrayLike, y: ArrayLike) -> Margins:
        """Return both margins of the training rows; kernel machines reuse the decisions stored by `fit`."""
        kept = self._decisions_of_fit()
        return self.both_margins(X, y) if kept is None else self.measure(kept, y)

    def measure(self, f: Array, y: ArrayLike) -> Margins:
        """Return functional and geometric margins for decision values f."""
        codes = self._codes(y, len(f))
        return Margins(margins_of(f, codes), distances_of(f, codes, self.distance_norms_))

    def _decisions_of_fit(self) -> Array | None:
        return None

    @property
    def why_no_distances(self) -> str:
        """The reason why margins of this kind of model are not distances, whatever the data; "" if they are."""
        return ""

    @property
    def distance_norms_(self) -> Array:
        """The norms that make distances of decisions: (f_y - f_l) / norm is the signed distance to the boundary between
        classes y and l, and with two classes f / norm.

        Each is ||w|| of f_y - f_l less its constant, in the space of the kernel without its constant part: the constant
        feature, and coef0^degree of the polynomial kernel; a precomputed kernel is taken as given. Methods of the
        p-norm take the q-norm, 1/p + 1/q = 1. It is nan if f_y - f_l is constant to working precision.
        """
        if self.why_no_distances:
            return np.full((len(self.classes_), len(self.classes_)), np.nan)
        return distances.with_boundary(self._norms_apart(), self._constants(), self._reach_)

    def distance_norm(self, first: int = 1, second: int = 0) -> float:
        """Return one entry of `distance_norms_`; with two classes, f / entry is the distance to the boundary."""
        return float(self.distance_norms_[first, second])

    def _norms_apart(self) -> Array:
        return distances.between_two(float(np.linalg.norm(self.coef_[0], ord=self._dual_exponent())))

    def _constants(self) -> Array:
        """Return the constants of the functions f_l; with two classes, the second is that of f."""
        return np.array([0.0, self.intercept_[0]])

    def norms_between(self, others: Sequence[Any]) -> Array:
        """Return the norm of f - f' less its constant for every pair of two-class models in `others`, which are of this
        type and fitted on the same rows."""
        return distances.of_weights(np.stack([model.coef_[0] for model in others]), self._dual_exponent())

    def _dual_exponent(self) -> float:
        """Return the q of the norm of w; distances are measured in the p-norm, 1/p + 1/q = 1."""
        return 2.0

    def problems(self, X: ArrayLike, y: ArrayLike) -> Iterator[tuple[Array, float]]:
        """Yield margins and norm for each problem that `fit` solved; `objective_` is the sum of their objectives."""
        yield self.margins(X, y), self.norm_

    def settings(self) -> dict[str, Any]:
        """Return the method's own parameters, after checking them and the switches against their legal values."""
        name = type(self).__name__
        for switch in SWITCHES:
            check_switch(getattr(self, switch, False), switch, name)
        return {p.name: p.check(getattr(self, p.name), name) for p in self.parameters}

    def _tolerance(self) -> float:
        """Return `tol` after checking it."""
        return TOL.check(self.tol, type(self).__name__)

    def _limit(self) -> int:
        """Return `max_iter` after checking it."""
        return int(MAX_ITER.check(self.max_iter, type(self).__name__))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.multiclass
        tags.input_tags.sparse = self._takes_sparse()
        return tags

    def _check_rows(self, X: ArrayLike, *, reset: bool) -> Matrix:
        given, names = X, getattr(X, "columns", None)
        if hasattr(X, "dtypes"):
            require_numbers(X)
        if not is_table(X):  # check_array takes as long as a small fit
            X = check_array(
                X,
                dtype=np.float64,
                order="C",
                accept_sparse="csr" if self._takes_sparse() else False,
                ensure_all_finite=False,
                estimator=self,
                input_name="X",
            )
        check_finite(X, names)
        validate_data(self, given if hasattr(given, "shape") else X, reset=reset, skip_check_array=True)
        return X

    def _takes_sparse(self) -> bool:
        return self.accepts_sparse

    def _codes(self, y: ArrayLike, rows: int, known: str = "in fit") -> NDArray[np.intp]:
        """Return the index of each label in classes_; `known` says in errors when classes_ was set."""
        labels = np.asarray(y)
        if labels.shape != (rows,):
            raise ValueError(f"X has {rows} rows and y has shape {labels.shape}; each row needs one label.")
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels not seen {known}: {unknown.tolist()}; known are {self.classes_.tolist()}.")
        return np.searchsorted(self.classes_, labels)

    def _check_labels(self, y: ArrayLike, rows: int) -> NDArray[Any]:
        """Return labels as -1/+1, and set classes_."""
        codes = self._check_classes(y, rows)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
                f"y has {len(self.classes_)} classes; keep two of them, or use OneVersusRest."
            )
        return np.where(codes == 1, 1.0, -1.0)

    def _check_first_labels(self, y: ArrayLike, classes: ArrayLike | None, rows: int) -> None:
        """Set classes_ from `classes` if given, else from the first batch of a stream."""
        given = np.asarray(y if classes is None else classes)
        self._check_labels(given, rows if classes is None else len(given))

    def _check_classes(self, y: ArrayLike, rows: int) -> NDArray[np.intp]:
        """Check the labels, set classes_, and return the index of each label in classes_."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        y = label_column(y)
        if len(y) != rows:
            raise ValueError(f"X has {rows} rows and y has {len(y)} labels; each row needs one.")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            first = int(np.flatnonzero(~np.isfinite(y))[0])
            raise ValueError(f"Input y contains NaN or infinity, first in row {first}: every row needs a label.")
        if y.dtype.kind == "O":
            y = typed_labels(y)
        try:
            classes, codes = np.unique(y, return_inverse=True)
        except TypeError:
            types = ", ".join(sorted({type(label).__name__ for label in y}))
            raise ValueError(
                f"y mixes labels of the types {types}, which have no order: give all the same type."
            ) from None
        if not are_integers(classes):  # check_classification_targets takes as long as a small fit
            check_classification_targets(y)
        if len(classes) == 1:
            raise ValueError(f"y has one class only, {classes.tolist()[0]!r}; a margin needs two classes.")
        self.classes_ = classes
        return codes

    def _signs(self, y: ArrayLike, rows: int) -> Array:
        """Return labels as -1/+1, with classes_ known from an earlier batch."""
        return np.where(self._codes(y, rows, known="before") == 1, 1.0, -1.0)

    def _set_fitted(self, result: FitResult) -> Self:
        """Set the attributes of a fit in place of those of an earlier one, and warn if it did not converge."""
        state = self.__dict__
        for name in [name for name in state if name[-1] == "_" and name not in OF_INPUT]:
            del state[name]
        state |= result.attributes()
        if not self.converged_ and self.status_:
            message = f"{type(self).__name__} did not converge: {self.status_}"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        return self
