"""MAMC, EMAMC, LSSVM, SVR, KOMD, MDO and FMM beside brute force, dense algebra, a conic solver and scikit-learn."""

from __future__ import annotations

import re
from itertools import pairwise, product

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import check_estimator

from mdcore import EMAMC, FMM, KOMD, LDM, LSSVM, MAMC, MDO, METHODS, ODM, Experiment, MAMCSearch, SVRClassifier
from mdcore.kernels import Kernel
from mdcore.solvers.threshold import best_threshold
from mdcore.space import KernelSpace
from tests.oracles import CLARABEL, gradient, sample, square_root

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SAMPLES = ["moons", "separable", "unbalanced", "duplicated rows", "one feature", "overlapping"]
over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])
over_samples = pytest.mark.parametrize("name", SAMPLES)
over_costs = pytest.mark.parametrize("C", [2.0**-6, 1.0, 100.0, 2000.0])


def gram(X, kernel):
    return Kernel(kernel, gamma=1.0, bias=False)(X, X)


def close(f, g, share=1e-7):
    np.testing.assert_allclose(f, g, rtol=0.0, atol=share * np.abs(g).max())


def solve(objective, constraints=()):
    problem = cp.Problem(objective, list(constraints))
    problem.solve(**CLARABEL)
    return float(problem.value)


@pytest.fixture(scope="module")
def moons():
    return sample("moons")


# MAMC: the optimal bias of section 2.3


def errors_and_slack(s, y, i, j):
    """E_R and E_S of Eqs. (14)-(16) with b and rho of Eq. (20); an example on the boundary is an error."""
    b, rho = -(s[i] + s[j]) / 2.0, (s[i] - s[j]) / 2.0
    return int(np.sum(y * (s + b) <= 0.0)), float(np.sum(np.maximum(rho - y * (s + b), 0.0)))


def papers_pairs(s, y, nearest_above=min):
    """Every positive i with the nearest negative j below (Eq. 24), every negative j with the nearest positive i above.

    Eq. (25) is printed with an arg max where it must be an arg min.
    """
    positive, negative = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
    for i in positive:
        below = [j for j in negative if s[j] < s[i]]
        if below:
            yield i, max(below, key=lambda j: s[j])
    for j in negative:
        above = [i for i in positive if s[i] > s[j]]
        if above:
            yield nearest_above(above, key=lambda i: s[i]), j


@pytest.mark.parametrize("seed", range(40))
def test_the_optimal_bias_is_that_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 25))
    y = np.r_[1.0, -1.0, np.sign(rng.normal(size=m - 2))]
    s = rng.normal(size=m) + 0.5 * y
    if seed % 2:
        s = np.round(2.0 * s) / 2.0  # ties within and between the classes
    every_pair = [(i, j) for i, j in product(range(m), repeat=2) if y[i] > 0.0 > y[j] and s[j] < s[i]]
    found = best_threshold(s, y, np.ones(m))
    if not every_pair:
        assert found is None
        return
    best = min(errors_and_slack(s, y, i, j) for i, j in every_pair)
    assert best == pytest.approx(min(errors_and_slack(s, y, i, j) for i, j in papers_pairs(s, y)))
    assert (found.errors, found.slack) == pytest.approx(best, abs=1e-12)
    assert found.errors == np.sum(y * (s + found.b) < 0.0)
    assert found.slack == pytest.approx(np.sum(np.maximum(found.rho - y * (s + found.b), 0.0)), abs=1e-12)


def test_no_other_threshold_between_the_scores_has_fewer_errors():
    rng = np.random.default_rng(1)
    y = np.sign(rng.normal(size=200))
    s = rng.normal(size=200) + y
    cuts = [(low + high) / 2.0 for low, high in pairwise(np.sort(s))]
    assert best_threshold(s, y, np.ones(200)).errors == min(np.sum(y * (s - cut) < 0.0) for cut in cuts)


def test_equation_25_as_printed_is_worse():
    s, y = np.array([-2.0, 1.0, 2.0, 3.0, 0.5]), np.array([-1.0, 1.0, 1.0, 1.0, -1.0])
    printed = [(i, j) for i, j in papers_pairs(s, y, nearest_above=max) if s[j] == 0.5 and s[i] == 3.0]
    assert errors_and_slack(s, y, *printed[0]) > errors_and_slack(s, y, 1, 4)
    assert best_threshold(s, y, np.ones(5)).b == -0.75


def test_an_integer_weight_counts_as_so_many_examples():
    rng = np.random.default_rng(2)
    y, counts = np.sign(rng.normal(size=30)), rng.integers(1, 4, size=30)
    s = rng.normal(size=30) + 0.3 * y
    repeated = best_threshold(np.repeat(s, counts), np.repeat(y, counts), np.ones(counts.sum()))
    weighted = best_threshold(s, y, counts.astype(float))
    assert (weighted.b, weighted.errors) == (repeated.b, repeated.errors)
    assert weighted.slack == pytest.approx(repeated.slack)


# MAMC


@over_samples
@over_kernels
@pytest.mark.parametrize("slope", [0.05, 1.0, 20.0])
def test_mamc_is_the_difference_of_the_class_averages(name, kernel, slope):
    X, y = sample(name)
    model = MAMC("zero", slope, kernel=kernel, gamma=1.0).fit(X, y)
    G, M = gram(X, kernel), len(y)
    eq_29 = G[:, y > 0].sum(axis=1) / M - slope * G[:, y < 0].sum(axis=1) / M
    close(model.decision_function(X), eq_29, 1e-12)
    assert model.objective_ == pytest.approx(-(model.norm_**2) / 2.0)
    assert MAMC("mean", slope, kernel=kernel, gamma=1.0).fit(X, y).offset_ == pytest.approx(y.mean(), abs=1e-15)
    optimal = MAMC("optimal", slope, kernel=kernel, gamma=1.0).fit(X, y)
    found = best_threshold(eq_29, y, np.ones(M))
    assert np.sum(optimal.margins(X, y) < 0.0) == found.errors
    assert optimal.offset_ == pytest.approx(found.b, rel=1e-9)


@over_samples
@over_kernels
def test_mamc_has_the_direction_of_an_ldm_of_the_mean_alone(name, kernel):
    X, y = sample(name)
    ldm = LDM(lambda1=0.0, lambda2=3.0, C=0.0, kernel=kernel, gamma=1.0, fit_intercept=False).fit(X, y)
    mamc = MAMC("zero", kernel=kernel, gamma=1.0).fit(X, y)
    close(3.0 * mamc.decision_function(X), ldm.decision_function(X), 1e-12)
    np.testing.assert_allclose(mamc.margins(X, y, "geometric"), ldm.margins(X, y, "geometric"), atol=1e-12)


def test_mamc_costs_one_pass_over_the_gram_matrix(moons):
    class Counting(np.ndarray):
        passes = 0

        def __matmul__(self, other):
            Counting.passes += 1
            return np.asarray(self) @ other

    X, y = moons
    space = KernelSpace(X, Kernel("rbf", gamma=1.0, bias=False))
    space.__dict__["gram"] = space.gram.view(Counting)
    MAMC().fit_space(space, y)
    assert Counting.passes == 1


def test_a_sample_the_scores_turn_round_gets_the_mean_bias_and_says_so():
    X, y = np.array([[-2.0], *[[-1.0]] * 9]), np.r_[1.0, -np.ones(9)]
    model = MAMC(kernel="linear").fit(X, y)
    assert model.offset_ == pytest.approx(-0.8)
    assert "Eq. (13)" in model.status_


# MAMC_bs and MAMC_bsg


GAMMAS, SLOPES = (0.5, 5.0, 50.0), (0.5, 1.0, 2.0)


def cross_validated(X, y, gamma, slope):
    folds = StratifiedKFold(5, shuffle=True, random_state=3).split(X, y)
    model = MAMC("optimal", slope, gamma=gamma / X.shape[1])
    return sum(np.sum(model.fit(X[a], y[a]).predict(X[b]) != y[b]) for a, b in folds) / len(y)


def test_the_grid_search_finds_the_fewest_cross_validated_errors():
    X, y = sample("larger")
    model = MAMCSearch("grid", gammas=GAMMAS, slopes=SLOPES, random_state=3).fit(X, y)
    by_hand = np.array([[cross_validated(X, y, gamma, slope) for slope in (1.0, 0.5, 2.0)] for gamma in GAMMAS])
    np.testing.assert_allclose(model.cv_errors_, by_hand)
    i, j = np.unravel_index(by_hand.argmin(), by_hand.shape)
    assert model.best_params_ == {"gamma": GAMMAS[i], "slope": (1.0, 0.5, 2.0)[j]}
    alone = MAMC("optimal", model.best_params_["slope"], gamma=model.best_params_["gamma"] / 4).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(model.margins(X, y, "geometric"), model.margins(X, y) / model.norm_)


def test_the_line_search_looks_at_one_row_and_one_column():
    X, y = sample("larger")
    line = MAMCSearch("line", gammas=GAMMAS, slopes=SLOPES, random_state=3).fit(X, y)
    grid = MAMCSearch("grid", gammas=GAMMAS, slopes=SLOPES, random_state=3).fit(X, y)
    row = int(np.argmin(grid.cv_errors_[:, 0]))
    looked = np.zeros((3, 3), dtype=bool)
    looked[:, 0] = looked[row] = True
    np.testing.assert_array_equal(np.isnan(line.cv_errors_), ~looked)
    np.testing.assert_array_equal(line.cv_errors_[looked], grid.cv_errors_[looked])
    assert line.best_params_["gamma"] == GAMMAS[row]


@pytest.mark.parametrize("mode", ["line", "grid"])
def test_the_search_is_a_scikit_learn_estimator(mode):
    check_estimator(MAMCSearch(mode, gammas=GAMMAS, slopes=SLOPES))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"mode": "random"}, "mode must be one of line, grid; got 'random'"),
        ({"folds": 1}, r"folds must be an integer in \[2, ∞\]; got 1"),
        ({"gammas": ()}, "gammas must name one value at least"),
        ({"gammas": (1.0, -1.0)}, r"gammas: gamma must be a number in \(0, ∞\); got -1"),
        ({"slopes": (0.0,)}, r"slopes: slope must be a number in \(0, ∞\); got 0"),
    ],
)
def test_a_search_of_nothing_is_refused(params, message, moons):
    with pytest.raises(ValueError, match=message):
        MAMCSearch(**params).fit(*moons)


def test_a_search_needs_two_of_each_class(moons):
    X, y = moons
    with pytest.raises(ValueError, match="two examples of each class"):
        MAMCSearch().fit(X, np.r_[1.0, -np.ones(len(y) - 1)])


# EMAMC


def eqs_36_37(K, y, C):
    """w and b by inversion, with the misprint corrected: the bias column of (36) has no y_i. Row i of K is phi(x_i)."""
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


def eq_33(K, y, C, average=0.0):
    """The objective of section 2.5 as a loss of (w, b), C_a = `average`."""

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
    np.testing.assert_allclose(emamc.margins(X, y, "geometric"), lssvm.margins(K, y, "geometric"), rtol=1e-7)


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
    assert model.gap_ <= 1e-12


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
    assert not rounded.converged_
    assert "Scale the features" in rounded.status_


@over_kernels
@pytest.mark.parametrize("estimator", [LSSVM, EMAMC])
def test_least_squares_of_a_small_price_join_the_class_means(estimator, kernel):
    X, y = sample("unbalanced")
    K = gram(X, kernel)
    means = K[:, y > 0].mean(axis=1) - K[:, y < 0].mean(axis=1)
    f = estimator(1e-9, kernel=kernel, gamma=1.0).fit(X, y)
    close(_unit(f.decision_function(X) - f.offset_), _unit(K @ means if estimator is EMAMC else means), 1e-6)


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
def test_svr_is_the_conic_solvers(name, kernel, bias):
    X, y = sample(name)
    F = square_root(gram(X, kernel))
    w, b = cp.Variable(F.shape[1]), cp.Variable() if bias else 0.0
    outside = cp.pos(cp.abs(y - F @ w - b) - 0.2)
    best = solve(cp.Minimize(0.5 * cp.sum_squares(w) + 5.0 * cp.sum(outside)))
    model = SVRClassifier(5.0, 0.2, kernel=kernel, gamma=1.0, fit_intercept=bias).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-7)


# KOMD


@over_samples
@over_kernels
@pytest.mark.parametrize("lam", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_komd_is_the_conic_solvers(name, kernel, lam):
    X, y = sample(name)
    F = square_root(gram(X, kernel))
    g = cp.Variable(len(y))
    apart = cp.sum_squares(F.T @ cp.multiply(y, g))
    simplices = [g >= 0.0, cp.sum(g[y > 0]) == 1.0, cp.sum(g[y < 0]) == 1.0]
    best = solve(cp.Minimize((1.0 - lam) * apart + lam * cp.sum_squares(g)), simplices)
    model = KOMD(lam, kernel=kernel, gamma=1.0).fit(X, y)
    equal = np.where(y > 0, 1.0 / np.sum(y > 0), 1.0 / np.sum(y < 0))
    scale = (1.0 - lam) * np.sum((F.T @ (y * equal)) ** 2) + lam * equal @ equal
    assert model.converged_
    assert model.objective_ == pytest.approx(best, rel=1e-6, abs=1e-7 * scale)
    assert model.objective_ - best <= model.gap_ * scale + 1e-9 * scale


@over_samples
@over_kernels
@pytest.mark.parametrize("lam", [0.0, 0.5, 1.0])
def test_komds_bias_puts_the_boundary_in_the_middle_of_the_two_points(name, kernel, lam):
    X, y = sample(name)
    model = KOMD(lam, kernel=kernel, gamma=1.0).fit(X, y)
    f, g = model.decision_function(X), model.weights_
    at_points = f[y > 0] @ g[y > 0], f[y < 0] @ g[y < 0]
    np.testing.assert_allclose(at_points, [model.norm_**2 / 2.0, -(model.norm_**2) / 2.0], atol=1e-9)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3])
@over_kernels
def test_komd_of_classes_with_one_centre_is_no_direction(kernel, size):
    """Every row twice, once for each class: at lambda = 0 the hulls meet, and rounding is not taken for a gap."""
    X, _ = sample("moons")
    y = np.repeat([1, -1], len(X))
    model = KOMD(0.0, kernel=kernel, gamma=1.0).fit(size * np.vstack([X, X]), y)
    assert model.converged_
    assert model.norm_ <= 1e-6 * np.sqrt(np.abs(gram(size * X, kernel)).max())


def test_komd_takes_hulls_that_meet_for_no_sign_of_an_indefinite_kernel():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.where(np.arange(40) % 2, 1, -1)
    model = KOMD(0.0, kernel="poly", degree=2, coef0=0.0).fit(X, y)
    assert model.converged_
    assert model.objective_ == pytest.approx(0.0, abs=1e-12)


@over_kernels
def test_komd_at_one_is_the_nearest_class_mean(kernel, moons):
    X, y = moons
    model = KOMD(1.0, kernel=kernel, gamma=1.0).fit(X, y)
    np.testing.assert_allclose(model.weights_, np.where(y > 0, 1.0 / np.sum(y > 0), 1.0 / np.sum(y < 0)), rtol=1e-12)
    F = square_root(gram(X, kernel))
    means = F[y > 0].mean(axis=0), F[y < 0].mean(axis=0)
    to_each = [np.sum((F - mean) ** 2, axis=1) for mean in means]
    close(model.decision_function(X), (to_each[1] - to_each[0]) / 2.0, 1e-9)


@over_kernels
def test_komd_at_zero_is_the_hard_margin_with_a_free_bias(kernel):
    X, y = sample("separable")
    hard = SVC(C=1e8, kernel=kernel, gamma=1.0, tol=1e-9).fit(X, y)
    model = KOMD(0.0, kernel=kernel, gamma=1.0).fit(X, y)
    half = model.norm_**2 / 2.0
    np.testing.assert_allclose(model.decision_function(X) / half, hard.decision_function(X), atol=1e-4)
    assert model.margins(X, y, "geometric").min() == pytest.approx(model.norm_ / 2.0, rel=1e-6)


# MDO


def mdo_value(S, w, a, b):
    m = S @ w / np.linalg.norm(w)
    return float(np.sum(np.where(m >= 0.0, np.exp(-a * m), np.exp(-b * m))))


@pytest.mark.parametrize(("a", "b"), [(0.1, 2.0), (1.0, 5.0), (1.0, 60.0), (0.02, 1.5)])
def test_mdo_on_a_circle_is_that_of_a_fine_grid(a, b):
    X, y = sample("one feature")
    S = y[:, None] * np.column_stack([X, np.ones(len(y))])
    centre, reach = 0.0, np.pi
    for _ in range(3):  # ever finer around the best
        angles = centre + np.linspace(-reach, reach, 10_001)
        values = [mdo_value(S, np.array([np.cos(t), np.sin(t)]), a, b) for t in angles]
        centre, reach = angles[int(np.argmin(values))], 2e-3 * reach
    model = MDO(a, b).fit(X, y)
    assert min(values) * (1.0 - 1e-6) <= model.objective_ <= min(values) * (1.0 + 1e-6)


@pytest.mark.parametrize("name", ["moons", "separable", "unbalanced", "duplicated rows"])
@pytest.mark.parametrize(("a", "b"), [(1.0, 5.0), (0.1, 20.0)])
def test_no_general_optimiser_finds_a_better_mdo(name, a, b):
    X, y = sample(name)
    S = y[:, None] * np.column_stack([X, np.ones(len(y))])
    model = MDO(a, b, restarts=20).fit(X, y)
    w = np.r_[model.coef_[0], model.intercept_]
    assert np.linalg.norm(w) == pytest.approx(1.0, rel=1e-12)
    assert model.objective_ == pytest.approx(mdo_value(S, w, a, b), rel=1e-9)
    rng = np.random.default_rng(0)
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    for start in [w, *rng.normal(size=(12, len(w)))]:
        found = minimize(lambda v: mdo_value(S, v, a, b), start, method="Nelder-Mead", options=options)
        assert model.objective_ <= found.fun * (1.0 + 1e-6)


def test_mdo_keeps_the_best_restart_and_more_restarts_never_hurt():
    X, y = sample("overlapping")
    values = []
    for restarts in (1, 5, 40):
        model = MDO(0.5, 30.0, restarts).fit(X, y)
        assert len(model.restart_objectives_) == restarts
        assert model.objective_ == pytest.approx(model.restart_objectives_.min(), rel=1e-9)
        np.testing.assert_allclose(model.restart_objectives_[: len(values) and 1], values[:1], rtol=1e-9)
        values.append(model.objective_)
    assert values[0] >= values[1] * (1.0 - 1e-9) >= values[2] * (1.0 - 1e-9)
    assert np.ptp(model.restart_objectives_) > 1e-3  # there are local minima


def test_mdo_is_stationary_off_the_kinks():
    X, y = sample("separable")
    S = y[:, None] * np.column_stack([X, np.ones(len(y))])
    model = MDO(2.0, 5.0).fit(X, y)
    w = np.r_[model.coef_[0], model.intercept_]
    assert np.abs(S @ w).min() > 1e-3
    assert np.abs(gradient(lambda v: mdo_value(S, v, 2.0, 5.0), w)).max() < 1e-5


def test_mdo_refuses_rates_in_the_wrong_order(moons):
    with pytest.raises(ValueError, match=r"MDO: b must be larger than a; got a = 2.0, b = 2.0"):
        MDO(2.0, 2.0).fit(*moons)


def test_mdo_takes_rows_of_any_scale(moons):
    X, y = moons
    model = MDO(1.0, 60.0, fit_intercept=False).fit(1e6 * X, y)
    assert model.objective_ == np.inf
    assert np.isfinite(model.decision_function(X)).all()
    with pytest.raises(ValueError, match="Scale the features"), np.errstate(over="ignore"):
        MDO().fit(1e200 * X, y)


# FMM


def largest_margin(F, y):
    w, margin = cp.Variable(F.shape[1]), cp.Variable()
    return solve(cp.Maximize(margin), [cp.multiply(y, F @ w) >= margin, cp.norm(w) <= 1.0])


@pytest.mark.parametrize(
    ("name", "kernel", "steps"),
    [
        ("separable", "linear", 2000),
        ("separable", "rbf", 2000),
        ("unbalanced", "rbf", 2000),
        ("moons", "rbf", 40_000),
        ("two rows", "linear", 10),
    ],
)
def test_fmm_reaches_the_largest_margin(name, kernel, steps):
    X, y = sample(name)
    best = largest_margin(square_root(gram(X, kernel) + 1.0), y)
    model = FMM(steps, kernel=kernel, gamma=1.0).fit(X, y)
    assert model.norm_ == pytest.approx(1.0, rel=1e-9)
    assert model.converged_
    assert (1.0 - 1e-3) * best <= model.margins(X, y).min() <= best * (1.0 + 1e-7)
    assert best * (1.0 - 1e-7) <= model.margin_bound_ <= best * (1.0 + 2e-3)


def algorithm_1(F, y, theta, steps):
    """w_1, w_2, ... as printed, on rows of length one at most."""
    Z = -y[:, None] * F
    w, g, q = np.zeros(F.shape[1]), np.zeros(F.shape[1]), np.full(len(y), 1.0 / len(y))
    for t in range(steps):
        g = t / (t + 1.0) * (g + Z.T @ q)
        w = w - theta * (g + Z.T @ q)
        q = np.exp(Z @ w)
        q /= q.sum()
        yield w


@over_samples
@over_kernels
@pytest.mark.parametrize("theta", [2.0**-6, 1.0])
def test_fmm_takes_the_steps_of_algorithm_1(name, kernel, theta):
    X, y = sample(name)
    F = square_root(gram(X, kernel) + 1.0)
    F = F / np.linalg.norm(F, axis=1).max()
    for steps, w in enumerate(algorithm_1(F, y, theta, 12), start=1):
        model = FMM(steps, theta, kernel=kernel, gamma=1.0, tol=0.0).fit(X, y)
        assert model.n_iter_ == steps
        close(model.margins(X, y, "geometric") / np.linalg.norm(model.margins(X, y)), _unit(y * (F @ w)), 1e-8)


def _unit(v):
    return v / np.linalg.norm(v)


def test_fmm_after_one_step_has_the_direction_of_the_signed_mean(moons):
    X, y = moons
    f = FMM(1, gamma=1.0).fit(X, y).decision_function(X)
    close(_unit(f), _unit((gram(X, "rbf") + 1.0) @ y), 1e-10)


def test_fmm_says_what_it_reached_where_no_plane_separates(moons):
    model = FMM(kernel="linear").fit(*moons)
    assert not model.converged_
    assert model.margins(*moons).min() < 0.0
    assert model.margin_bound_ < 1e-6
    assert re.fullmatch(r"smallest margin -0\.\d+, at most .* possible, after 400 steps\.", model.status_)


# What the app makes of a bias of one's own and of a choice


def test_a_choice_of_a_method_travels_through_the_query(moons):
    experiment = Experiment.from_query("data=moons&n=60&methods=mamc&mamc.bias=mean")
    assert experiment.settings("mamc")["bias"] == "mean"
    assert "mamc.bias=mean" in experiment.to_query()
    moved = experiment.with_param("mamc", "bias", "zero")
    assert Experiment.from_query(moved.to_query()) == moved
    assert moved.run()["mamc"].model.offset_ == 0.0
    with pytest.raises(ValueError, match="mamc: bias must be one of optimal, mean, zero; got 'none'"):
        Experiment.from_query("methods=mamc&mamc.bias=none")


OWN_BIAS = [key for key, method in METHODS.items() if method.bias == "own" and method.kernels]


@pytest.mark.parametrize("key", OWN_BIAS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_an_experiment_without_bias_leaves_out_a_methods_own(key, kernel):
    query = f"data=moons&n=60&noise=0.4&seed=1&kernel={kernel}&methods={key}"
    assert Experiment.from_query(query + "&bias=0").run()[key].model.offset_ == 0.0
    assert Experiment.from_query(query + "&bias=1").run()[key].model.offset_ != 0.0


@pytest.mark.parametrize("key", OWN_BIAS)
def test_a_shared_space_with_the_constant_feature_gives_the_same_model(key, moons):
    X, y = moons
    method = METHODS[key]
    shared = method.estimator().fit_space(KernelSpace(X, Kernel("rbf", gamma=1.0)), y)
    alone = method.estimator(kernel="rbf", gamma=1.0).fit(X, y)
    np.testing.assert_array_equal(shared.decision_function(X), alone.decision_function(X))
