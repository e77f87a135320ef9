"""Checks of the contract for classifiers in Margin Lab; `check_method` includes scikit-learn's `check_estimator`."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from mdcore.data import load_dataset
from mdcore.margins.distribution import MarginDistribution
from mdcore.solvers.arrays import Array

Check = Callable[[Any], None]

CLOSE = 1e-5  # difference allowed between two fits of the same problem, relative to the largest decision value
NEEDS_ENVIRONMENT = {"check_array_api_input"}  # needs an environment variable set before scipy is imported


def check_method(estimator: Any, *, scikit_learn: bool = True) -> None:
    """Raise an AssertionError that names the first part of the contract that is violated.

    `scikit_learn=False` omits scikit-learn's own checks, which take seconds.
    """
    for name, check in method_checks(estimator, scikit_learn=scikit_learn):
        try:
            check(clone(estimator))
        except Exception as error:
            raise AssertionError(f"{type(estimator).__name__}, {name}: {error}") from error


def method_checks(estimator: Any, *, scikit_learn: bool = True) -> Iterator[tuple[str, Check]]:
    """Yield (name, check) for all checks, for test runners that report each check separately."""
    yield from CHECKS.items()
    if not hasattr(estimator, "partial_fit"):  # online learners depend on the order
        yield "the order of rows does not matter", _order_of_rows
    if scikit_learn:
        for _, check in estimator_checks_generator(clone(estimator)):
            name = getattr(check, "func", check).__name__
            if name not in NEEDS_ENVIRONMENT:
                yield f"scikit-learn's {name}", check


def _fitted(estimator: Any, X: Array, y: ArrayLike) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # `converged_` has the same information
        return clone(estimator).fit(X, y)


def _moons() -> tuple[Array, NDArray[Any]]:
    data = load_dataset("moons", n=40, noise=0.2, seed=3)
    return np.asarray(data.X), np.where(data.y > 0, "yes", "no")


def _fitted_attributes(estimator: Any) -> None:
    model = _fitted(estimator, *_moons())
    for name, kind in (
        ("norm_", float),
        ("objective_", float),
        ("gap_", float),
        ("n_iter_", int),
        ("converged_", bool),
    ):
        value = getattr(model, name)
        _require(isinstance(value, kind), f"{name} must be a plain {kind.__name__}; it is {value!r}")
    _require(model.classes_.tolist() == ["no", "yes"], f"classes_ must be the sorted labels; they are {model.classes_}")
    _require(model.norm_ > 0.0, f"norm_ must be the norm of w; it is {model.norm_}")
    _require(hasattr(model, "dual_coef_") or hasattr(model, "coef_"), "dual_coef_ or coef_ must be set")
    _require(model.support_.ndim == 1, "support_ must be a one-dimensional array of row indices")


def _certificate(estimator: Any) -> None:
    model = _fitted(estimator, *_moons())
    _require(
        math.isnan(model.gap_) or model.gap_ > -1e-12, f"gap_ must be a distance to the optimum; it is {model.gap_}"
    )
    tol = getattr(model, "tol", None)
    if model.converged_ and tol is not None and not math.isnan(model.gap_):
        _require(model.gap_ <= tol, f"converged_ is True and gap_ = {model.gap_:.1e} is above tol = {tol:g}")


def _decision(estimator: Any) -> None:
    X, y = _moons()
    model = _fitted(estimator, X, y)
    f = model.decision_function(X)
    _require(f.shape == (len(X),), f"decision_function must return one number per row; its shape is {f.shape}")
    _require(
        (model.predict(X) == np.where(f > 0.0, "yes", "no")).all(),
        "predict must agree with the sign of decision_function",
    )


def _margins(estimator: Any) -> None:
    X, y = _moons()
    model = _fitted(estimator, X, y)
    functional = np.where(y == "yes", 1.0, -1.0) * model.decision_function(X)
    np.testing.assert_allclose(model.margins(X, y), functional, err_msg="functional margins must be y f(x)")
    norm = model.distance_norm()
    _require(norm > 0.0, f"distance_norm() must be the norm that makes distances of f; it is {norm}")
    np.testing.assert_allclose(
        model.margins(X, y, scale="geometric"),
        functional / norm,
        err_msg="geometric margins must be the functional margins divided by distance_norm()",
    )
    if model.is_linear:
        p = float(model.get_params().get("p", 2.0))
        length = float(np.linalg.norm(model.coef_[0], ord=p / (p - 1.0)))
        _require(
            abs(norm - length) <= 1e-9 * length,
            f"distance_norm() of a linear method must be ||w|| without the bias, {length}; it is {norm}",
        )
    _require(
        model.score(X, y) == MarginDistribution(functional).accuracy, "score must be the share of positive margins"
    )


def _flipped_labels(estimator: Any) -> None:
    X, y = _moons()
    other = np.where(y == "yes", "no", "yes")
    _assert_close(_fitted(estimator, X, y).decision_function(X), -_fitted(estimator, X, other).decision_function(X))


def _order_of_rows(estimator: Any) -> None:
    if "random_state" in estimator.get_params():
        return
    X, y = _moons()
    order = np.random.default_rng(0).permutation(len(y))
    _assert_close(
        _fitted(estimator, X, y).decision_function(X), _fitted(estimator, X[order], y[order]).decision_function(X)
    )


def _second_fit(estimator: Any) -> None:
    X, y = _moons()
    model = _fitted(estimator, X, y)
    first = model.decision_function(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        second = model.fit(X, y).decision_function(X)
    np.testing.assert_array_equal(first, second, err_msg="a second fit must not depend on the first")


def _bad_input(estimator: Any) -> None:
    X, y = _moons()
    gap = X.copy()
    gap[3, 1] = np.nan
    for what, rows, labels in (
        ("NaN", gap, y),
        ("one class", X, np.full(len(y), "yes")),
        ("fewer labels than rows", X, y[:-1]),
    ):
        try:
            _fitted(estimator, rows, labels)
        except ValueError as error:
            _require(
                len(str(error)) > 10, f"{what} must raise a ValueError with a reason; its message is {str(error)!r}"
            )
        else:
            raise AssertionError(f"{what} must raise a ValueError")


def _parameters(estimator: Any) -> None:
    names = [name for name in inspect.signature(type(estimator)).parameters if name not in ("args", "kwargs")]
    _require(names == list(inspect.signature(type(estimator)).parameters), "parameters must be named, not *args")
    given = estimator.get_params()
    _require(set(names) == set(given), f"get_params must return {', '.join(names)}; it returns {', '.join(given)}")


def _require(holds: bool, words: str) -> None:
    """Raise an AssertionError unless `holds`, also under python -O, which removes assert statements."""
    if not holds:
        raise AssertionError(words)


def _assert_close(f: Array, g: Array) -> None:
    far = np.abs(f - g).max() / np.abs(f).max()
    _require(far <= CLOSE, f"decision values differ by {far:.1e} of the largest")


CHECKS: dict[str, Check] = {
    "parameters are named": _parameters,
    "fitted attributes": _fitted_attributes,
    "the certificate": _certificate,
    "the decision": _decision,
    "margins": _margins,
    "flipped labels flip the decision": _flipped_labels,
    "a second fit equals the first": _second_fit,
    "bad input raises a ValueError": _bad_input,
}
