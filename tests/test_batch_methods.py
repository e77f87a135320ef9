"""KOMD, MDO and FMM compared with a conic solver and brute force, and how the app treats a method's own bias."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_wine, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mdcore import FMM, KOMD, MDO, METHODS, Experiment
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.batch import close, gram, over_kernels, over_samples, unit
from tests.oracles import FreeMarginProblem, KOMDProblem, gradient, sample, square_root

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# KOMD


@over_samples
@over_kernels
@pytest.mark.parametrize("lam", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_komd_is_the_conic_solvers(optima, name, kernel, lam):
    X, y = sample(name)
    F = square_root(gram(X, kernel))
    (best,) = optima(KOMDProblem(F, y, lam))
    model = KOMD(lam, kernel=kernel, gamma=1.0).fit(X, y)
    equal = np.where(y > 0, 1.0 / np.sum(y > 0), 1.0 / np.sum(y < 0))
    scale = (1.0 - lam) * np.sum((F.T @ (y * equal)) ** 2) + lam * equal @ equal
    if lam == 0.0 and best <= 1e-7 * scale:  # the hulls meet
        assert not model.converged_
        assert "there is none" in model.status_
        return
    assert model.converged_
    assert model.objective_ == pytest.approx(best, rel=1e-6, abs=1e-7 * scale)
    assert model.objective_ - best <= model.gap_ * model.objective_ + 1e-9 * scale


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
    """Every row occurs once in each class: at lambda = 0 the hulls meet, and rounding errors do not count as a gap."""
    X, _ = sample("moons")
    y = np.repeat([1, -1], len(X))
    with pytest.warns(ConvergenceWarning, match="convex hulls of the classes meet"):
        model = KOMD(0.0, kernel=kernel, gamma=1.0).fit(size * np.vstack([X, X]), y)
    assert not model.converged_
    assert model.norm_ <= 1e-6 * np.sqrt(np.abs(gram(size * X, kernel)).max())


@pytest.mark.parametrize("landmarks", [None, 40])
def test_komd_says_that_a_lambda_is_too_small_to_decide_where_hulls_meet(moons, landmarks):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match=r"hulls of the classes meet, and λ = 1e-12 is too small"):
        model = KOMD(1e-12, landmarks=landmarks).fit(np.r_[X, X], np.r_[y, -y])
    assert not model.converged_
    assert model.gap_ > 1e-6


def test_komd_takes_hulls_that_meet_for_no_sign_of_an_indefinite_kernel():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.where(np.arange(40) % 2, 1, -1)
    with pytest.warns(ConvergenceWarning, match="convex hulls of the classes meet"):
        model = KOMD(0.0, kernel="poly", degree=2, coef0=0.0).fit(X, y)
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


@pytest.mark.parametrize("lam", [1e-4, 0.01, 0.5])
@pytest.mark.parametrize("rows", [40, 400])
@pytest.mark.parametrize("intercept", [True, False])
def test_komd_is_the_same_wherever_the_origin_is(lam, rows, intercept):
    """Hulls that are translated together keep their distance; offset_ accounts for the translation."""
    X, y = make_moons(rows, noise=0.3, random_state=0)
    here = KOMD(lam, kernel="linear", fit_intercept=intercept).fit(X, y)
    for offset in (1e2, 1e6):
        there = KOMD(lam, kernel="linear", fit_intercept=intercept).fit(X + offset, y)
        assert there.converged_
        assert there.objective_ == pytest.approx(here.objective_, rel=1e-6)
        np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-3, atol=1e-6)
        moved = 0.0 if intercept else float(here.coef_[0].sum()) * offset
        close(there.decision_function(X + offset) - moved, here.decision_function(X), 1e-3)
        np.testing.assert_allclose(
            there.margins_of_fit(X + offset, y).functional, there.margins(X + offset, y), atol=1e-8
        )


@pytest.mark.parametrize("data", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("lam", [0.01, 0.1, 0.5, 0.9])
def test_komd_takes_columns_as_they_come(data, lam):
    X, y = data(return_X_y=True)
    model = KOMD(lam, kernel="linear").fit(X, y > 0)
    assert model.converged_
    assert model.gap_ <= 1e-6


def test_komd_at_zero_finds_a_margin_that_is_very_small_beside_the_rows():
    """A proximal term that is too small makes the margins vanish in rounding: the search returns to a larger one."""
    X, y = load_breast_cancer(return_X_y=True)
    model = KOMD(0.0, kernel="linear").fit(StandardScaler().fit_transform(X), y)
    assert model.converged_
    assert model.norm_ < 0.003


@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_komd_of_rows_that_are_all_alike_says_that_nothing_is_left(lam):
    with pytest.warns(ConvergenceWarning, match="coincide|there is none"):
        model = KOMD(lam, kernel="linear").fit(np.ones((6, 2)), [0, 1] * 3)
    assert model.norm_ == 0.0


@pytest.mark.parametrize("lam", [0.5, 1.0])
def test_komd_of_classes_with_one_centre_asks_for_no_larger_lambda(lam):
    X, _ = sample("moons")
    with pytest.warns(ConvergenceWarning, match="w cannot be determined") as noted:
        KOMD(lam).fit(np.vstack([X, X]), np.repeat([1, -1], len(X)))
    assert "larger λ" not in str(noted[0].message)


# MDO


def mdo_value(S, w, a, b):
    """Return the objective at w, or at each column of w."""
    m = S @ w / np.linalg.norm(w, axis=0)
    return np.where(m >= 0.0, np.exp(-a * m), np.exp(-b * m)).sum(axis=0)


@pytest.mark.parametrize(("a", "b"), [(0.1, 2.0), (1.0, 5.0), (1.0, 60.0), (0.02, 1.5)])
def test_mdo_on_a_circle_is_that_of_a_fine_grid(a, b):
    X, y = sample("one feature")
    S = y[:, None] * np.column_stack([X, np.ones(len(y))])
    centre, reach = 0.0, np.pi
    for _ in range(3):  # successively finer grids around the best point
        angles = centre + np.linspace(-reach, reach, 10_001)
        values = mdo_value(S, np.array([np.cos(angles), np.sin(angles)]), a, b)
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
    options = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 600}  # one that has no end by then runs off along a ray
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


# FMM


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
def test_fmm_reaches_the_largest_margin(optima, name, kernel, steps):
    X, y = sample(name)
    (best,) = optima(FreeMarginProblem(square_root(gram(X, kernel) + 1.0), y))
    model = FMM(steps, kernel=kernel, gamma=1.0, tol=1e-3).fit(X, y)
    assert model.norm_ == pytest.approx(1.0, rel=1e-9)
    assert model.converged_
    assert (1.0 - 1e-3) * best <= model.margins(X, y).min() <= best * (1.0 + 1e-7)
    assert best * (1.0 - 1e-7) <= model.margin_bound_ <= best * (1.0 + 2e-3)


def algorithm_1(F, y, theta, steps):
    """Yield w_1, w_2, ... as printed, for rows with a norm of at most one."""
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
        close(unit(model.margins(X, y)), unit(y * (F @ w)), 1e-8)


def test_fmm_after_one_step_has_the_direction_of_the_signed_mean(moons):
    X, y = moons
    f = FMM(1, gamma=1.0).fit(X, y).decision_function(X)
    close(unit(f), unit((gram(X, "rbf") + 1.0) @ y), 1e-10)


def test_fmm_says_what_it_reached_where_no_plane_separates(moons):
    model = FMM(kernel="linear").fit(*moons)
    assert not model.converged_
    assert model.margins(*moons).min() < 0.0
    assert model.margin_bound_ < 1e-6
    assert model.n_iter_ < 1000
    told = rf"smallest margin over ‖w‖ -0\.\d+, at most .* possible, after {model.n_iter_} steps\. No w separates"
    assert re.match(told, model.status_)
    assert FMM(kernel="linear", tol=0.0).fit(*moons).n_iter_ == 1600


@pytest.mark.parametrize("exponent", range(-11, -3))
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_fmm_bounds_a_margin_that_is_lost_in_rounding(kernel, exponent):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) > 0.5, 1, -1)
    X[:, 0] = y * (1.0 + rng.random(40)) * 10.0**exponent
    model = FMM(kernel=kernel, degree=1, gamma=1.0, coef0=0.0, fit_intercept=False).fit(X, y)
    assert model.margin_bound_ >= np.abs(X[:, 0]).min()
    assert model.converged_ or "working precision" in model.status_ or "No separating w was found" in model.status_


# How the app treats a method's own bias, and choices


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
