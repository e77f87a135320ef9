"""EMAMC, LSSVM and SVR (regression on labels) compared with dense algebra, a conic solver and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVR

from mdcore import EMAMC, LSSVM, METHODS, ODM, SVRClassifier
from mdcore.solvers import least_squares
from mdcore.solvers.explicit import solve_explicit
from mdcore.spaces.columns import MEMORY_SHARE
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.batch import close, gram, over_costs, over_kernels, over_samples, unit
from tests.oracles import SVRProblem, gradient, sample, square_root

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# EMAMC


def eqs_36_37(K, y, C):
    """Return w and b by inversion, without the misprinted y_i in the bias column of (36). Row i of K is phi(x_i)."""
    M = len(y)
    system = np.block([[np.eye(M) / C + K.T @ K, K.sum(axis=0)[:, None]], [K.sum(axis=0), np.array(float(M))]])
    solution = np.linalg.solve(system, np.r_[K.T @ y, y.sum()])
    return solution[:-1], solution[-1]


@over_samples
@over_kernels
@over_costs
def test_emamc_solves_the_papers_normal_equations(name, kernel, C):
    X, y = sample(name)
    K = gram(X, kernel)
    w, b = eqs_36_37(K, y, C)
    model = EMAMC(C, kernel=kernel, gamma=1.0).fit(X, y)
    close(model.decision_function(X), K @ w + b, 1e-8)
    assert model.norm_ == pytest.approx(np.linalg.norm(w), rel=1e-6)
    assert model.offset_ == pytest.approx(b, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("kernel", "C"), [("rbf", 2.0**11), ("poly", 10.0), ("laplacian", 2.0**-10)])
def test_emamc_without_eigenvalues_is_that_of_a_shared_space_with_them(kernel, C, intercept):
    X, y = make_moons(400, noise=0.3, random_state=0)  # every row twice, so that K is singular
    X, y = np.r_[X, X], np.r_[y, y]
    alone = EMAMC(C, kernel=kernel, fit_intercept=intercept).fit(X, y)
    space = KernelSpace(X, alone.kernel_)
    shared = EMAMC(C, kernel=kernel, fit_intercept=intercept).fit_space(space, y)
    assert space.plain.has_spectrum
    assert alone.converged_
    assert shared.converged_
    assert alone.gap_ < 1e-8
    close(alone.decision_function(X), shared.decision_function(X), 1e-9)


@pytest.mark.parametrize("C", [1e-3, 10.0, 1e5])
def test_emamc_of_a_factor_in_single_precision_is_that_of_one_in_double(C, monkeypatch):
    X, y = make_moons(400, noise=0.3, random_state=0)
    single = EMAMC(C, gamma=1.0).fit(X, y)
    monkeypatch.setattr(least_squares, "WELL_CONDITIONED", 0.0)
    double = EMAMC(C, gamma=1.0).fit(X, y)
    assert single.gap_ <= 1e-9
    close(single.decision_function(X), double.decision_function(X), 1e-7)
    assert single.norm_ == pytest.approx(double.norm_, rel=1e-7)


@pytest.mark.parametrize("C", [1e-9, 1e-3])
@pytest.mark.parametrize("gamma", [1.0, 1e4])
def test_emamc_of_a_small_price_keeps_the_digits_of_w(C, gamma):
    """Relative to the cost of the deviations w is tiny, and it is the smaller part of the solution of the system."""
    X, y = make_moons(400, noise=0.3, random_state=0)
    alone = EMAMC(C, gamma=gamma).fit(X, y)
    shared = EMAMC(C, gamma=gamma).fit_space(KernelSpace(X, alone.kernel_), y)
    np.testing.assert_allclose(unit(alone.dual_coef_), unit(shared.dual_coef_), atol=1e-6)


def test_emamc_of_the_smallest_price_does_not_overflow():
    assert EMAMC(1e-99, gamma=1.0).fit(*make_moons(400, noise=0.3, random_state=0)).gap_ <= 1e-12


@pytest.mark.parametrize("rows", [40, 400])
def test_emamc_refuses_kernel_values_whose_squares_overflow(rows):
    X, y = make_moons(rows, noise=0.3, random_state=0)
    with pytest.raises(ValueError, match=r"Kernel values overflow.*Scale the features"):
        EMAMC(kernel="linear").fit(1e80 * X, y)


def test_emamc_goes_on_in_double_precision_where_single_does_not_do(monkeypatch):
    X, y = make_moons(400, noise=0.3, random_state=0)
    made = []
    factor = least_squares.cholesky
    monkeypatch.setattr(least_squares, "cholesky", lambda A: made.append(A.dtype) or factor(A))
    monkeypatch.setattr(least_squares, "WELL_CONDITIONED", np.inf)
    model = EMAMC(1e14, gamma=1e-3).fit(X, y)
    assert made[:2] == [np.float32, np.float64]
    assert model.gap_ <= 1e-6 or not model.converged_


def eq_33(K, y, C, average=0.0):
    """Return the objective of section 2.5 as a loss of (w, b), with C_a = `average`."""

    def value(wb):
        g = y * (K @ wb[:-1] + wb[-1])
        return 0.5 * wb[:-1] @ wb[:-1] - average / len(y) * g.sum() + C / 2.0 * np.sum((1.0 - g) ** 2)

    return value


def test_the_gradient_of_eq_33_contradicts_the_printed_y_in_the_bias_column(moons):
    X, y = moons
    X, y = X[:12], np.r_[1.0, 1.0, 1.0, -np.ones(9)]
    K, C = gram(X, "rbf"), 5.0
    model = EMAMC(C, gamma=1.0).fit(X, y)
    w, b = model.dual_coef_, model.offset_
    assert np.abs(gradient(eq_33(K, y, C), np.r_[w, b])).max() < 1e-6
    corrected = w / C + K @ (K @ w) + K.sum(axis=0) * b - K @ y
    printed = w / C + K @ (K @ w) + (K @ y) * b - K @ y
    assert np.abs(corrected).max() < 1e-10
    assert np.abs(printed).max() > 1e-2


def test_the_average_margin_of_eq_33_does_not_move_the_boundary(moons):
    X, y = moons
    K, C, average = gram(X, "rbf"), 5.0, 70.0
    model = EMAMC(C, gamma=1.0).fit(X, y)
    scaled = (average / (C * len(y)) + 1.0) * np.r_[model.dual_coef_, model.offset_]
    assert np.abs(gradient(eq_33(K, y, C, average), scaled)).max() < 1e-5


@over_kernels
def test_emamc_is_an_lssvm_of_the_kernel_values(kernel, moons):
    X, y = moons
    K = gram(X, kernel)
    lssvm = LSSVM(3.0, kernel="linear").fit(K, y)
    emamc = EMAMC(3.0, kernel=kernel, gamma=1.0).fit(X, y)
    close(emamc.decision_function(X), lssvm.decision_function(K), 1e-9)
    assert emamc.objective_ == pytest.approx(lssvm.objective_)
    np.testing.assert_allclose(emamc.margins(X, y, "paper"), lssvm.margins(K, y, "paper"), rtol=1e-7)
    assert emamc.distance_norm() == pytest.approx(np.sqrt(emamc.dual_coef_ @ K @ emamc.dual_coef_), rel=1e-9)


# LSSVM


@over_samples
@over_kernels
@over_costs
def test_lssvm_solves_the_karush_kuhn_tucker_system_of_suykens(name, kernel, C):
    X, y = sample(name)
    K = gram(X, kernel)
    omega = y[:, None] * K * y
    system = np.block([[np.zeros((1, 1)), y[None, :]], [y[:, None], omega + np.eye(len(y)) / C]])
    b, *alpha = np.linalg.solve(system, np.r_[0.0, np.ones(len(y))])
    model = LSSVM(C, kernel=kernel, gamma=1.0).fit(X, y)
    close(model.dual_coef_, y * np.array(alpha), 1e-6)
    assert model.offset_ == pytest.approx(b, rel=1e-7, abs=1e-10)
    assert model.gap_ <= 1e-10


@over_costs
def test_lssvm_is_ridge_regression_on_the_labels(C, moons):
    X, y = moons
    free = Ridge(alpha=1.0 / C).fit(X, y)
    close(LSSVM(C, kernel="linear").fit(X, y).decision_function(X), free.predict(X))
    none = KernelRidge(alpha=1.0 / C, kernel="rbf", gamma=1.0).fit(X, y)
    without = LSSVM(C, gamma=1.0, fit_intercept=False).fit(X, y)
    close(without.decision_function(X), none.predict(X))
    assert without.offset_ == 0.0
    odm = ODM(lam=C * len(y) / 2.0, mu=1.0, theta=0.0, gamma=1.0, fit_intercept=False).fit(X, y)
    close(without.decision_function(X), odm.decision_function(X), 1e-6)


@pytest.mark.parametrize(("estimator", "C"), [(LSSVM, 10.0), (EMAMC, 2000.0)])
def test_a_closed_form_says_what_rounding_left(estimator, C):
    X, y = sample("overlapping")
    exact, rounded = (estimator(C, kernel="linear").fit(size * X, y) for size in (1.0, 1e6))
    assert exact.converged_
    assert exact.gap_ <= 1e-9
    assert rounded.converged_ == (rounded.gap_ <= 1e-6)
    assert rounded.converged_ or "Scale the features" in rounded.status_


@over_kernels
@pytest.mark.parametrize("estimator", [LSSVM, EMAMC])
def test_least_squares_of_a_small_price_join_the_class_means(estimator, kernel):
    X, y = sample("unbalanced")
    K = gram(X, kernel)
    means = K[:, y > 0].mean(axis=1) - K[:, y < 0].mean(axis=1)
    f = estimator(1e-9, kernel=kernel, gamma=1.0).fit(X, y)
    close(unit(f.decision_function(X) - f.offset_), unit(K @ means if estimator is EMAMC else means), 1e-6)


# SVR


@over_samples
@over_kernels
@pytest.mark.parametrize(("C", "epsilon"), [(2.0**-6, 0.1), (1.0, 0.0), (10.0, 0.1), (100.0, 0.8)])
def test_svr_is_scikit_learns(name, kernel, C, epsilon):
    X, y = sample(name)
    theirs = SVR(kernel=kernel, gamma=1.0, C=C, epsilon=epsilon, tol=1e-5, max_iter=10**6).fit(X, y)
    ours = SVRClassifier(C, epsilon, kernel=kernel, gamma=1.0).fit(X, y)
    assert ours.gap_ <= 1e-7
    a = np.zeros(len(y))
    a[theirs.support_] = theirs.dual_coef_[0]
    norm = np.sqrt(max(a @ gram(X, kernel) @ a, 0.0))
    value = METHODS["svr"].objective(y * theirs.predict(X), norm, C=C, epsilon=epsilon)
    assert ours.objective_ <= value * (1.0 + 1e-12)
    assert ours.objective_ == pytest.approx(value, rel=1e-4, abs=1e-5 * C * len(y))  # its tolerance, in units of f


@over_kernels
def test_svr_predicts_what_scikit_learns_does(kernel, moons):
    X, y = moons
    fresh = np.random.default_rng(3).normal(size=(50, 2))
    theirs = SVR(kernel=kernel, gamma=1.0, C=3.0, tol=1e-8).fit(X, y)
    ours = SVRClassifier(3.0, kernel=kernel, gamma=1.0).fit(X, y)
    close(ours.decision_function(fresh), theirs.predict(fresh), 1e-4)
    np.testing.assert_array_equal(ours.predict(fresh), np.sign(theirs.predict(fresh)))


@over_samples
@over_kernels
@pytest.mark.parametrize("bias", [True, False])
def test_svr_is_the_conic_solvers(optima, name, kernel, bias):
    X, y = sample(name)
    F = square_root(gram(X, kernel))
    (best,) = optima(SVRProblem(F, y, 5.0, 0.2, bias))
    model = SVRClassifier(5.0, 0.2, kernel=kernel, gamma=1.0, fit_intercept=bias).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("intercept", [True, False])
def test_svr_of_many_rows_needs_no_matrix_and_no_features(intercept, monkeypatch):
    X, y = make_moons(1500, noise=0.15, random_state=0)
    whole = SVRClassifier(1.0, 0.6, gamma=1.0, fit_intercept=intercept).fit(X, y)
    for name in ("gram", "root"):
        monkeypatch.setattr(KernelSpace, name, property(lambda _: pytest.fail("more than columns were made")))
    monkeypatch.setattr("mdcore.solvers.tube_dual.SHORT", 0)
    monkeypatch.setattr("mdcore.spaces.columns.free_memory", lambda: 8 * 1500 * 700 / MEMORY_SHARE)
    by_columns = SVRClassifier(1.0, 0.6, gamma=1.0, fit_intercept=intercept).fit(X, y)
    assert by_columns.converged_
    assert len(by_columns.support_) < 700
    assert by_columns.objective_ == pytest.approx(whole.objective_, rel=1e-9)
    close(by_columns.decision_function(X), whole.decision_function(X), 1e-5)


def test_svr_takes_few_features_where_pairs_get_nowhere(monkeypatch):
    """This happens with a large C and a kernel so wide that few features span the rows."""
    taken = []
    monkeypatch.setattr(
        "mdcore.solvers.tube_dual.solve_explicit",
        lambda Z, *a, **k: taken.append(Z.width) or solve_explicit(Z, *a, **k),
    )
    X, y = make_moons(400, noise=0.3, random_state=0)
    model = SVRClassifier(1000.0, gamma=0.1).fit(X, y)
    assert model.gap_ <= 1e-7
    assert 0 < taken[0] < 200


def test_a_kernel_so_narrow_that_all_rows_are_their_own_takes_newton_steps_alone():
    """Every coefficient is free: G a = y - epsilon sign(a) - b, where a sums to zero."""
    X, y = make_moons(300, noise=0.3, random_state=1)
    model = SVRClassifier(1e3, 0.2, gamma=3000.0).fit(X, y)
    s = np.where(y == 1, 1.0, -1.0)
    K = Kernel("rbf", 3000.0, bias=False)(X, X)
    system = np.block([[K, np.ones((300, 1))], [np.ones(300), 0.0]])
    *a, b = np.linalg.solve(system, np.r_[0.8 * s, 0.0])
    close(model.dual_coef_, np.array(a), 1e-8)
    assert model.offset_ == pytest.approx(b, abs=1e-8)
    assert model.n_iter_ <= 10


@pytest.mark.parametrize(("C", "epsilon"), [(30.0, 0.1), (0.3, 0.1), (3.0, 0.5), (3.0, 0.0)])
def test_svr_goes_on_from_where_it_is(C, epsilon, moons):
    X, y = moons
    moved = SVRClassifier(3.0, 0.1, warm_start=True).fit(X, y).set_params(C=C, epsilon=epsilon).fit(X, y)
    fresh = SVRClassifier(C, epsilon).fit(X, y)
    assert moved.gap_ <= 1e-7
    assert moved.objective_ == pytest.approx(fresh.objective_, rel=1e-9)
