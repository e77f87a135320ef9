"""Helpers for tests of all methods: methods by ability, fits, parameter values."""

from __future__ import annotations

import inspect
import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mdcore import METHODS
from mdcore.spec import Choice, Param

ALL = list(METHODS.values())
CERTIFIED = [method for method in ALL if method.certificate == "gap"]
KERNEL = [method for method in ALL if method.kernels]
WEIGHTED = [method for method in ALL if method.weights]
BATCH = [method for method in ALL if method.family == "batch"]
ONLINE = [method for method in ALL if method.family == "online"]
BINARY = [method for method in ALL if not method.multiclass]


def signature(method):
    return inspect.signature(method.estimator).parameters


def having(name):
    return [method for method in ALL if name in signature(method)]


def over(methods, name="method"):
    return pytest.mark.parametrize(name, methods, ids=lambda method: method.key)


def kernel_of(method, kernel):
    return {"kernel": kernel, "gamma": 1.0} if method.kernels else {}


def fit(method, X, y, kernel="rbf", **params):
    return method.estimator(**kernel_of(method, kernel), **params).fit(X, y)


def settings_of(method, model):
    return {p.name: getattr(model, p.name) for p in method.params}


def positions(param):
    """Return the ends of a slider, its zero, and the default."""
    ends = {param.slider.low, param.slider.high, param.default, *([0.0] if param.slider.zero else [])}
    return sorted(int(v) if param.integer else v for v in ends)


def others(p):
    """Return legal values other than the default."""
    if isinstance(p, Choice):
        return [option for option in p.options if option != p.default]
    if p.integer:
        return [p.default // 4, p.default * 4]
    ends = [max(p.default / 4, p.slider.low), min(p.default * 4, p.slider.high)]
    return [value for value in ends if value != p.default]


def all_corners(method):
    """Yield every combination of slider ends, zeros and defaults."""
    numbers = [p for p in method.params if isinstance(p, Param)]
    for values in product(*(positions(p) for p in numbers)):
        yield {p.name: value for p, value in zip(numbers, values, strict=True)}


def corners(method, kernel):
    """Return the combinations without conflicts."""
    return [params for params in all_corners(method) if not method.conflict(params, kernel)]


def single(values):
    """Return values for f = f_1 - f_0 from values with a column for each class."""
    return values[..., 1] - values[..., 0] if values.ndim == 2 else values


def fit_and_listen(method, X, y, **params):
    """Return the model, and whether it raised a ConvergenceWarning with its name; any other warning is an error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("error")
        warnings.simplefilter("always", ConvergenceWarning)
        model = fit(method, X, y, **params)
    assert all(f"{method.estimator.__name__} did not converge" in str(w.message) for w in heard)
    return model, bool(heard)


def close(f, g, share=1e-5):
    """Assert that two decision functions agree up to a share of their size, too small to see in a picture."""
    np.testing.assert_allclose(f, g, rtol=0.0, atol=share * np.abs(g).max())
