"""Statements of the papers about limits, bounds and steps of their methods."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mdcore import LDM, METHODS, ODM, SVM, MarginDistribution
from mdcore.margins.bounds import Bound, leave_one_out
from mdcore.methods.odm import LAM
from mdcore.solvers.separation import NotSeparable
from tests.oracles import (
    LeaveOneOut,
    gram,
    sample,
    square_root,
    with_bias,
)

over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])
over_samples = pytest.mark.parametrize("name", ["moons", "unbalanced", "duplicated rows", "one feature", "overlapping"])


def cosine(a, b, G):
    return (a @ G @ b) / np.sqrt((a @ G @ a) * (b @ G @ b))


# LDM


@over_kernels
@pytest.mark.parametrize("C", [2.0**-10, 10.0, 2.0**10])
def test_an_ldm_without_mean_and_variance_is_the_svm(kernel, C, moons):
    X, y = moons
    svm, ldm = SVM(C, kernel=kernel, gamma=1.0).fit(X, y), LDM(0.0, 0.0, C, kernel=kernel, gamma=1.0).fit(X, y)
    np.testing.assert_allclose(ldm.decision_function(X), svm.decision_function(X), rtol=0.0, atol=1e-9 * svm.norm_)
    assert ldm.objective_ == pytest.approx(svm.objective_, rel=1e-12)


@over_kernels
@over_samples
def test_an_ldm_of_the_mean_alone_has_the_direction_of_the_signed_mean(name, kernel):
    X, y = sample(name)
    model = LDM(0.0, 16.0, 0.0, kernel=kernel, gamma=1.0).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, 16.0 / len(y) * y, rtol=1e-12)
    assert cosine(model.dual_coef_, y, gram(X, kernel)) == pytest.approx(1.0, abs=1e-12)


def test_the_variance_of_eq_4_is_twice_the_population_variance(moons):
    X, y = moons
    g = LDM(C=1.0).fit(X, y).margins(X, y)
    objective = METHODS["ldm"].objective
    eq_4 = np.mean((g[:, None] - g[None, :]) ** 2)
    assert eq_4 == pytest.approx(2.0 * MarginDistribution(g).variance, rel=1e-12)
    difference = objective(g, 1.0, lambda1=3.0, lambda2=0.0, C=1.0) - objective(g, 1.0, lambda1=0.0, lambda2=0.0, C=1.0)
    assert difference == pytest.approx(3.0 * eq_4, rel=1e-12)


@over_kernels
def test_more_weight_of_the_variance_leaves_less_variance_and_of_the_mean_more_mean(kernel, moons):
    X, y = moons

    def train(**params):
        model = LDM(**{"lambda1": 1.0, "lambda2": 1.0, "C": 1.0, **params}, kernel=kernel, gamma=1.0).fit(X, y)
        return MarginDistribution(model.margins(X, y))

    path = (0.0, 2.0**-4, 1.0, 2.0**4, 2.0**10)
    variances = [train(lambda1=value).variance for value in path]
    means = [train(lambda2=value).mean for value in path]
    assert (np.diff(variances) <= 1e-9).all()
    assert (np.diff(means) >= -1e-9).all()
    assert variances[-1] < 0.5 * variances[0]
    assert means[-1] > 2.0 * means[0]


HARD = [SVM(np.inf, gamma=1.0), LDM(4.0, 1.0, np.inf, gamma=1.0), LDM(2.0**10, 0.0, np.inf, gamma=1.0)]


@over_kernels
@pytest.mark.parametrize("model", HARD, ids=str)
def test_a_hard_margin_holds_and_is_the_limit_of_large_c(kernel, model, separable):
    X, y = separable
    hard = model.set_params(kernel=kernel).fit(X, y)
    assert hard.margins(X, y).min() >= 1.0 - 1e-6
    assert hard.margins(X, y).min() == pytest.approx(1.0, abs=1e-6)
    largest = hard.beta_.max()
    soft = type(model)(**{**model.get_params(), "C": 2.0 * largest}).fit(X, y)
    np.testing.assert_allclose(soft.decision_function(X), hard.decision_function(X), atol=1e-5 * hard.norm_)
    assert soft.objective_ == pytest.approx(hard.objective_, rel=1e-6)
    assert type(model)(**{**model.get_params(), "C": 0.5 * largest}).fit(X, y).margins(X, y).min() < 1.0 - 1e-6


@pytest.mark.parametrize("estimator", [SVM, LDM])
@pytest.mark.parametrize(
    ("name", "kernel"), [("moons", "linear"), ("duplicated rows", "rbf"), ("overlapping", "linear")]
)
def test_a_hard_margin_of_classes_that_overlap_is_refused(estimator, name, kernel):
    with pytest.raises(NotSeparable, match=r"C = ∞ .* finite C") as raised:
        estimator(C=np.inf, kernel=kernel, gamma=1.0).fit(*sample(name))
    assert isinstance(raised.value, ValueError)


@over_samples
@pytest.mark.parametrize(("lambda1", "lambda2", "C"), [(0.0, 0.0, 1.0), (4.0, 1.0, 10.0), (16.0, 0.0, 2.0**10)])
def test_theorem_3_bounds_the_leave_one_out_error(optima, name, lambda1, lambda2, C):
    X, y = sample(name)
    X, y = X[:25], y[:25]
    (error,) = optima(LeaveOneOut(with_bias(X), y, C, lambda1, lambda2))
    assert LDM(lambda1, lambda2, C, kernel="linear").fit(X, y).loo_bound_ >= error


@over_kernels
def test_theorem_3_is_computed_as_printed(kernel, moons):
    X, y = moons
    m, C, lambda1 = len(y), 10.0, 4.0
    model = LDM(lambda1, 1.0, C, kernel=kernel, gamma=1.0).fit(X, y)
    F = square_root(gram(X, kernel)).T  # the paper's X, with a column for every example
    Xy = F @ y
    Q = 4.0 * lambda1 / m**2 * (m * F @ F.T - np.outer(Xy, Xy)) + np.eye(len(F))
    h = np.max(np.diagonal(F.T @ np.linalg.solve(Q, F)))
    at_c = np.isclose(model.beta_, C, rtol=1e-9)
    expected = (h * model.beta_[~at_c].sum() + at_c.sum()) / m
    assert model.loo_bound_ == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("C", [0.01, np.inf])
def test_theorem_3_counts_a_row_of_weight_two_as_two_rows(C, moons):
    X, y = moons
    model = LDM(4.0, 1.0, C, gamma=16.0)
    weighted = model.fit(X, y, sample_weight=np.full(len(y), 2.0)).loo_bound_
    assert weighted == pytest.approx(model.fit(np.r_[X, X], np.r_[y, y]).loo_bound_, rel=1e-6)


def test_a_bound_from_one_on_is_vacuous():
    bound = leave_one_out(np.array([0.0, 1.0, 0.25, 0.0]), np.ones(4), 2.0)
    assert bound.terms == {"h": 2.0, "free": 0.125, "at C": 0.25}
    assert bound.value == 0.375
    assert not bound.vacuous
    for value in (1.0, np.inf, np.nan):
        assert Bound("", value, {}).vacuous


# ODM


@over_kernels
@over_samples
@pytest.mark.parametrize("lam", [LAM.slider.low, LAM.default, 2.0**12])
def test_an_odm_without_band_and_with_equal_sides_is_ridge_regression_on_the_labels(name, kernel, lam):
    X, y = sample(name)
    G = gram(X, kernel)
    coefficients = np.linalg.solve(G + len(y) / (2.0 * lam) * np.eye(len(y)), y)
    f = ODM(lam, 1.0, 0.0, kernel=kernel, gamma=1.0).fit(X, y).decision_function(X)
    np.testing.assert_allclose(f, G @ coefficients, rtol=0.0, atol=1e-7 * np.abs(G @ coefficients).max())


def test_an_odm_of_little_weight_has_the_direction_of_the_signed_mean(moons):
    X, y = moons
    model = ODM(1e-8, 0.4, 0.4, gamma=1.0).fit(X, y)
    assert cosine(model.dual_coef_, y, gram(X, "rbf")) == pytest.approx(1.0, abs=1e-9)
    assert model.norm_ < 1e-6


# Rounding


@pytest.mark.parametrize("key", ["svm", "ldm", "odm", "svr"])
@pytest.mark.parametrize("offset", [0, 10, 100])
def test_a_gap_counts_what_rounding_leaves_of_the_margins(key, offset):
    """Compute the objective of the solution in exact arithmetic, with kernel values up to 1e12."""
    method, rng = METHODS[key], np.random.default_rng(offset)
    y = np.where(np.arange(14) % 2, 1.0, -1.0)
    x = rng.integers(-9, 10, 14) + offset
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = method.estimator(kernel="poly", gamma=1.0, fit_intercept=False).fit(x[:, None], y)
    a = [Fraction(value) for value in model.dual_coef_]
    f = [sum(a_j * (int(x_i) * int(x_j) + 1) ** 3 for a_j, x_j in zip(a, x, strict=True)) for x_i in x]
    norm = float(sum(a_i * f_i for a_i, f_i in zip(a, f, strict=True))) ** 0.5
    margins = y * np.array([float(f_i) for f_i in f])
    params = {p.name: getattr(model, p.name) for p in method.params}
    exact = method.value(margins, norm, params)
    scale = sum(abs(term) for term in method.split_objective(margins, norm, params, exact).values())
    error = abs(exact - model.objective_) / scale
    assert error <= 2.0 * model.gap_ + 1e-7
    assert error <= 2e-6 or not model.converged_
