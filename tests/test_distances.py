"""A geometric margin is the distance to the boundary, found here by bisection."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from mdcore import METHODS
from mdcore.methods.one_versus_rest import OneVersusRest

HALVINGS = 80
CASES = [(method, k) for method in METHODS.values() for k in (2, 3, 4)]


def blobs(k):
    X, y = make_blobs(60, 3, centers=k, cluster_std=2.5, random_state=k)
    return X / 5.0, y


def fitted(method, k):
    X, y = blobs(k)
    settings = {"kernel": "linear"} if method.kernels else {}
    model = method.estimator(**settings)
    if k > 2 and not method.multiclass:
        model = OneVersusRest(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y), X, y


def planes(model):
    """Return the weights of each class, the constant feature last, and whether that is one of the coordinates."""
    if isinstance(model, OneVersusRest):
        parts = [planes(part) for part in model.estimators_]
        return np.array([0.5 * W[1] for W, _ in parts]) - np.array([0.5 * W[0] for W, _ in parts]), parts[0][1]
    inside = METHODS[model_key(model)].bias == "feature"
    if len(model.coef_) > 1:
        return np.column_stack([model.coef_, model.intercept_]), inside
    w = np.append(model.coef_[0], model.intercept_)
    return np.array([-0.5 * w, 0.5 * w]), inside


def model_key(model):
    return next(key for key, method in METHODS.items() if method.estimator is type(model))


def walk(W, z, own, inside):
    """Return the distance of z from the nearest boundary of its class, by bisection towards every other class."""
    ways = []
    for other in set(range(len(W))) - {own}:
        ahead = W[own] - W[other]
        direction = ahead if inside else np.append(ahead[:-1], 0.0)
        side = np.sign(ahead @ z)
        step = -side * direction / np.linalg.norm(direction)
        low, high = 0.0, 1.0
        while np.sign(ahead @ (z + high * step)) == side:
            high *= 2.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.sign(ahead @ (z + middle * step)) == side else (low, middle)
        ways.append(side * high)
    return min(ways)


@pytest.mark.parametrize(("method", "k"), CASES, ids=[f"{method.key}-{k}" for method, k in CASES])
def test_a_geometric_margin_is_the_distance_to_the_boundary(method, k):
    model, X, y = fitted(method, k)
    if method.space == "kernel values" or (getattr(model, "voting", False) and k > 2):
        return  # their weights are not in the columns
    W, inside = planes(model)
    expected = [walk(W, np.append(x, 1.0), own, inside) for x, own in zip(X, y, strict=True)]
    np.testing.assert_allclose(model.margins(X, y, "geometric"), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("key", ["mcsvm", "ova", "ovo", "ecoc"])
def test_two_classes_have_the_scale_of_the_svm(key, kernel):
    X, y = blobs(2)
    model = METHODS[key].estimator(8.0, kernel=kernel, gamma=0.5).fit(X, y)
    svm = METHODS["svm"].estimator(16.0 if key == "mcsvm" else 8.0, kernel=kernel, gamma=0.5).fit(X, y)
    np.testing.assert_allclose(model.margins(X, y, "geometric"), svm.margins(X, y, "geometric"), atol=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("key", ["svm", "lssvm", "emamc", "pumma"])
def test_one_versus_rest_of_two_classes_has_the_scale_of_its_method(key, kernel):
    X, y = blobs(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one = METHODS[key].estimator(kernel=kernel, gamma=0.5).fit(X, y)
        both = OneVersusRest(METHODS[key].estimator(kernel=kernel, gamma=0.5)).fit(X, y)
    assert both.weight_distance() == pytest.approx(one.norm_, rel=0.3 if key == "pumma" else 1e-6)


def test_the_papers_normalisation_is_a_choice_of_its_own():
    X, y = blobs(3)
    model = METHODS["mcodm"].estimator(kernel="rbf").fit(X, y)
    np.testing.assert_array_equal(model.margins(X, y, "paper"), model.margins(X, y) / model.norm_)
    with pytest.raises(ValueError, match="scale must be one of functional, geometric; got 'printed'"):
        model.margins(X, y, "printed")


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_margins_of_the_rows_fitted_on_are_remembered(method):
    X, y = blobs(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = method.estimator().fit(X, y)
    kept, fresh = model.margins_of_fit(X, y), model.both_margins(X, y)
    for scale in ("functional", "geometric"):
        a, b = kept.on(scale).values, fresh.on(scale).values
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max())
