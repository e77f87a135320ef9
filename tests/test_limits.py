"""What the papers say of the limits, bounds and steps of their methods."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import islice, product

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mdcore import LDM, METHODS, ODM, SVM, LinearLDM, MarginDistribution, MSVMAv, load_dataset
from mdcore.bounds import Bound, leave_one_out, semivariance_bound
from mdcore.methods.odm import LAM
from mdcore.solvers.asgd import run_epoch
from mdcore.solvers.msvmav import MemberSystem, NoDirection, solve_kernel, solve_linear
from mdcore.solvers.separation import NotSeparable
from tests.oracles import (
    LDMProblem,
    gradient,
    leave_one_out_error,
    msvmav_kernel,
    msvmav_linear,
    msvmav_linear_step,
    sample,
    square_root,
)

over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])
over_samples = pytest.mark.parametrize("name", ["moons", "unbalanced", "duplicated rows", "one feature", "overlapping"])


def with_bias(X):
    return np.column_stack([X, np.ones(len(X))])


def gram(X, kernel):
    return X @ X.T + 1.0 if kernel == "linear" else np.exp(-cdist(X, X, "sqeuclidean")) + 1.0


def weights(model):
    return np.r_[model.coef_[0], model.intercept_]


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
    with pytest.raises(NotSeparable, match=r"C = inf .* finite C") as raised:
        estimator(C=np.inf, kernel=kernel, gamma=1.0).fit(*sample(name))
    assert isinstance(raised.value, ValueError)


@over_samples
@pytest.mark.parametrize(("lambda1", "lambda2", "C"), [(0.0, 0.0, 1.0), (4.0, 1.0, 10.0), (16.0, 0.0, 2.0**10)])
def test_theorem_3_bounds_the_leave_one_out_error(name, lambda1, lambda2, C):
    X, y = sample(name)
    X, y = X[:25], y[:25]
    error = leave_one_out_error(with_bias(X), y, lambda1=lambda1, lambda2=lambda2, C=C)
    assert LDM(lambda1, lambda2, C, kernel="linear").fit(X, y).loo_bound_ >= error


@over_kernels
def test_theorem_3_is_computed_as_printed(kernel, moons):
    X, y = moons
    m, C, lambda1 = len(y), 10.0, 4.0
    model = LDM(lambda1, 1.0, C, kernel=kernel, gamma=1.0).fit(X, y)
    F = square_root(gram(X, kernel)).T  # the paper's X: a column for every example
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


# LinearLDM


def eq_14(X, y, lambda1, lambda2, C):
    problem = LDMProblem(X, y, C=C, lambda1=lambda1, lambda2=lambda2)
    return problem.value, problem.solve().lower


@pytest.fixture
def stochastic(monkeypatch):
    """As for rows of many columns."""
    monkeypatch.setattr("mdcore.methods.linear_ldm.FEW_COLUMNS", 0)


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize(("lambda1", "lambda2", "C"), [(0.0, 0.0, 1.0), (4.0, 1.0, 1.0), (16.0, 16.0, 10.0)])
def test_few_columns_have_the_optimum_and_its_certificate(lambda1, lambda2, C, scale):
    X, y = sample("larger")
    X = X * np.r_[scale, np.ones(X.shape[1] - 1)]
    model = LinearLDM(lambda1, lambda2, C).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-6
    assert model.objective_ == pytest.approx(LDM(lambda1, lambda2, C, kernel="linear").fit(X, y).objective_, rel=1e-6)


def test_many_rows_are_solved_by_a_part_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 4))
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 0.0, 1, -1)
    best = LDM(kernel="linear").fit(X, y).objective_
    monkeypatch.setattr("mdcore.methods.linear_ldm.FIRST_ROWS", 1_000)
    model = LinearLDM().fit(X, y)
    assert model.converged_
    assert np.isnan(model.gap_)
    assert best <= model.objective_ <= best * 1.01


def test_a_stream_whose_rows_grow_does_not_diverge():
    X, y = sample("larger")
    model = LinearLDM(C=1.0)
    for factor in (1.0, 1e3, 1e-3, 1e3):
        model.partial_fit(factor * X, y)
        assert np.isfinite(model.coef_).all()
    assert model.objective_ < 1e9


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("lambda1", [0.0, 3.0])
def test_the_stochastic_gradient_is_unbiased(bias, lambda1):
    """Theorem 2: the mean of Eq. (15) over all pairs is the gradient of Eq. (14); one step shows each of them."""
    X, y = sample("overlapping")
    X, y, lambda2, C, eta = X[:12], y[:12], 2.0, 0.7, 1e-3
    m = len(y)
    rows = np.column_stack([X, np.full(m, bias)])
    w = np.random.default_rng(0).normal(size=rows.shape[1]) * np.r_[np.ones(X.shape[1]), bias]
    settings = (1.0 / (m * C), lambda1 / (m * C), lambda2 / (m * C), eta, 1e9, np.inf)

    def step(i, j):
        v, state = w.copy(), np.array([0.0, 1.0, 1.0, 0.0])
        run_epoch(X, y, np.array([i]), np.array([j]), settings, bias, state, v, np.zeros_like(v))
        return m * C * (w - v / state[1]) / eta

    mean = np.mean([step(i, j) for i, j in product(range(m), repeat=2)], axis=0)
    value = LDMProblem(rows, y, C=C, lambda1=lambda1, lambda2=lambda2).value
    np.testing.assert_allclose(mean, gradient(value, w), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("lambda1", "lambda2", "C"), [(0.0, 0.0, 1.0), (4.0, 1.0, 1.0), (16.0, 16.0, 10.0)])
def test_stochastic_gradients_approach_the_linear_ldm(lambda1, lambda2, C, stochastic):
    X, y = sample("larger")
    best = LDM(lambda1, lambda2, C, kernel="linear").fit(X, y).objective_

    def excess(epochs):
        model = LinearLDM(lambda1, lambda2, C, epochs).fit(X, y)
        assert model.objective_ >= best - 1e-6 * abs(best)
        return (model.objective_ - best) / abs(best)

    few, most = excess(5), excess(500)
    assert few < 0.05
    assert most < min(few / 3.0, 5e-3)


@pytest.mark.parametrize("container", [csr_matrix, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_rows_give_exactly_what_dense_rows_do(container, intercept, stochastic):
    rng = np.random.default_rng(8)
    for _ in range(20):
        X = rng.normal(size=rng.integers((8, 2), (150, 60)))
        X[rng.random(X.shape) < rng.choice([0.0, 0.5, 0.9])] = 0.0
        y = np.r_[1.0, -1.0, np.sign(rng.normal(size=len(X) - 2))]
        model = LinearLDM(*rng.choice([0.0, 1.0, 16.0, 2.0**10], size=2), C=1.0, epochs=2, fit_intercept=intercept)
        dense, sparse = clone(model).fit(X, y), clone(model).fit(container(X), y)
        np.testing.assert_array_equal(sparse.coef_, dense.coef_)
        np.testing.assert_array_equal(sparse.intercept_, dense.intercept_)
        np.testing.assert_allclose(sparse.decision_function(container(X)), dense.decision_function(X), atol=1e-12)
        assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-12)


def test_sparse_rows_that_are_no_numbers_are_refused():
    X, y = sample("larger")
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in a sparse matrix"):
        LinearLDM().fit(csr_matrix(X), y)


@pytest.mark.parametrize("name", ["moons", "unscaled", "unbalanced"])
def test_stochastic_gradients_stay_finite_in_every_corner(name, stochastic):
    X, y = sample(name)
    for lambda1, lambda2, C, epochs in product((0.0, 2.0**10), (0.0, 2.0**10), (2.0**-10, 2.0**10), (1, 10)):
        model = LinearLDM(lambda1, lambda2, C, epochs).fit(X, y)
        at_zero = METHODS["linearldm"].objective(0.0 * y, 0.0, lambda1=lambda1, lambda2=lambda2, C=C, epochs=epochs)
        assert np.isfinite(weights(model)).all()
        assert model.objective_ <= at_zero, (lambda1, lambda2, C, epochs)


# MSVM_Av

SETTINGS = [
    (1.0, 1.0),
    (2.0**10, 2.0**-6),
    (2.0**-10, 2.0**-10),
    (1.0, 2.0**-10),
    (2.0**10, 2.0**10),
    (2.0**-4, 2.0**4),
]
over_settings = pytest.mark.parametrize(("alpha", "beta"), SETTINGS)


@over_samples
@over_settings
def test_linear_msvmav_takes_the_steps_of_algorithm_1(name, alpha, beta):
    X, y = sample(name)
    for steps, w in enumerate(islice(msvmav_linear(with_bias(X), y, alpha, beta), 1, 12), start=1):
        model = MSVMAv(alpha, beta, kernel="linear", tol=0.0, max_iter=steps).fit(X, y)
        assert model.n_iter_ == steps
        np.testing.assert_allclose(weights(model), w, atol=1e-8)


@over_samples
@over_settings
def test_kernel_msvmav_takes_the_steps_of_section_4_2(name, alpha, beta):
    X, y = sample(name)
    K = gram(X, "rbf")
    for steps, a in enumerate(islice(msvmav_kernel(K, y, alpha, beta), 1, 12), start=1):
        model = MSVMAv(alpha, beta, gamma=1.0, tol=0.0, max_iter=steps).fit(X, y)
        assert model.n_iter_ == steps
        np.testing.assert_allclose(model.decision_function(X), K @ a, atol=1e-8)


def test_msvmav_turns_round_where_the_mean_margin_is_negative(moons):
    """With a small beta the step that lowers the semi-variance overshoots."""
    X, y = moons
    Z, alpha, beta = with_bias(X), 2.0**10, 2.0**-10
    turned = 0
    for steps, before in enumerate(islice(msvmav_linear(Z, y, alpha, beta), 12), start=1):
        after = msvmav_linear_step(Z, y, before, alpha, beta)
        model = MSVMAv(alpha, beta, kernel="linear", tol=0.0, max_iter=steps).fit(X, y)
        assert model.margins(X, y).mean() >= 0.0
        if np.mean(y * (Z @ after)) < 0.0:
            np.testing.assert_allclose(weights(model), -after, atol=1e-8)
            turned += 1
    assert turned


@over_kernels
@over_settings
def test_rank_updates_do_not_drift(kernel, alpha, beta):
    """After 500 steps the margins are those of a run that factors the whole system anew in every step."""
    X, y = sample("larger")
    Z, K = with_bias(X), gram(X, "rbf")
    if kernel == "linear":
        ours, start, step = solve_linear(Z, y, alpha=alpha, beta=beta, tol=0.0, max_iter=500), msvmav_linear, Z
    else:
        ours, start, step = solve_kernel(K, y, alpha=alpha, beta=beta, tol=0.0, max_iter=500), msvmav_kernel, K
    w = next(islice(start(step, y, alpha, beta), 500, None))
    assert ours.n_iter == 500
    np.testing.assert_allclose(ours.margins, y * (step @ w), rtol=0.0, atol=1e-8 * np.abs(ours.margins).max())


@pytest.mark.parametrize("identity", [True, False])
@pytest.mark.parametrize("most", [1, 5, 60])
def test_a_member_system_solves_what_a_dense_solver_does(identity, most):
    rng = np.random.default_rng(4)
    V = rng.normal(size=(20, 60)) if identity else gram(rng.normal(size=(60, 3)), "rbf")
    R = None if identity else V + np.eye(60)
    system, members = MemberSystem(R, V, 0.05), rng.random(60) < 0.5
    for _ in range(60):
        members = members ^ np.isin(np.arange(60), rng.integers(60, size=rng.integers(most + 1)))
        dense = (np.eye(20) if R is None else R) + V[:, members] @ V[:, members].T / 0.05
        right = rng.normal(size=len(V))
        np.testing.assert_allclose(system.solve(members, right), np.linalg.solve(dense, right), atol=1e-10)


def test_a_member_system_factors_seldom_while_few_members_change():
    rng = np.random.default_rng(6)
    V = gram(rng.normal(size=(80, 3)), "rbf")
    system, members = MemberSystem(V + np.eye(80), V, 1.0), rng.random(80) < 0.5
    for step in range(40):
        members[step] ^= True
        system.solve(members, np.ones(80))
    assert system.factorisations <= 5


@pytest.mark.parametrize("alpha", [1.0, 2.0, 16.0])
@pytest.mark.parametrize("steps", [5, 40, 100])
def test_kernel_msvmav_is_a_unit_vector_where_the_kernel_has_few_features(alpha, steps):
    data = load_dataset("moons", n=200, seed=0)
    X, y = data.X, data.y
    first, second = X.T
    features = np.column_stack([first**2, second**2, np.sqrt(2.0) * first * second, np.ones(len(X))])  # of (x'z)^2 + 1
    model = MSVMAv(alpha, 2.0**-6, kernel="poly", degree=2, coef0=0.0, gamma=1.0, tol=0.0, max_iter=steps).fit(X, y)
    w = features.T @ model.dual_coef_
    assert np.linalg.norm(w) == pytest.approx(1.0, rel=1e-9)
    assert model.norm_ == pytest.approx(1.0, rel=1e-9)
    np.testing.assert_allclose(model.decision_function(X), features @ w, rtol=0.0, atol=1e-9 * np.abs(features).max())


@over_kernels
def test_msvmav_is_a_unit_vector_with_its_path(kernel, moons):
    X, y = moons
    model = MSVMAv(1.0, 1.0, kernel=kernel, gamma=1.0, tol=0.0, max_iter=7).fit(X, y)
    assert model.norm_ == pytest.approx(1.0, rel=1e-14)
    if kernel == "rbf":
        assert model.dual_coef_ @ gram(X, kernel) @ model.dual_coef_ == pytest.approx(1.0, rel=1e-12)
    else:
        assert np.linalg.norm(weights(model)) == pytest.approx(1.0, rel=1e-12)
    train = MarginDistribution(model.margins(X, y))
    assert len(model.path_) == 8
    assert model.path_[-1] == pytest.approx(train.semivariance / train.mean**2, rel=1e-9)
    assert model.objective_ == pytest.approx(model.path_[-1], rel=1e-9)


@over_kernels
@pytest.mark.parametrize("extreme", [{"alpha": 1e-12}, {"beta": 1e12, "alpha": 1.0}], ids=str)
def test_msvmav_stays_at_the_signed_mean_in_its_limits(kernel, extreme, moons):
    X, y = moons
    model = MSVMAv(**extreme, kernel=kernel, gamma=1.0, tol=0.0, max_iter=20).fit(X, y)
    f, mean = model.decision_function(X), gram(X, kernel) @ y
    assert (f @ mean) / (np.linalg.norm(f) * np.linalg.norm(mean)) == pytest.approx(1.0, abs=1e-6)


def test_msvmav_needs_a_direction():
    X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    with pytest.raises(NoDirection, match="no direction has a positive mean margin") as raised:
        MSVMAv(kernel="linear").fit(X, y)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
def test_rounding_is_no_direction(kernel, moons):
    """Every row twice, once for each class: the sum is zero but for its last digits."""
    X, _ = moons
    y = np.repeat([1.0, -1.0], len(X))
    with pytest.raises(NoDirection):
        MSVMAv(kernel=kernel).fit(np.vstack([X, X + 0.0]), y)


@pytest.mark.parametrize("linear", [True, False])
def test_theorem_1_adds_the_semivariance_and_the_complexity(linear):
    margins, diagonal = MarginDistribution(np.array([0.5, 1.0, 1.5, 3.0])), np.array([1.0, 2.0, 4.0, 1.0])
    complexity = 3.0 * 2.0 / np.sqrt(4) if linear else 2.0 * 3.0 / 4 * np.sqrt(8.0)
    bound = semivariance_bound(margins, 3.0, diagonal, linear=linear)
    assert bound.terms["SV/mean²"] == pytest.approx(np.mean([1.0, 0.25, 0.0, 0.0]) / 1.5**2)
    assert bound.terms["complexity/mean²"] == pytest.approx(complexity / 1.5**2)
    assert bound.value == pytest.approx(sum(bound.terms.values()))
    assert semivariance_bound(MarginDistribution(-margins.values), 3.0, diagonal, linear=linear).vacuous


# Rounding


@pytest.mark.parametrize("key", ["svm", "ldm", "odm", "svr"])
@pytest.mark.parametrize("offset", [0, 10, 100])
def test_a_gap_counts_what_rounding_leaves_of_the_margins(key, offset):
    """The objective of the weights found, in exact arithmetic, with kernel values up to 1e12."""
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
