"""MSVM_Av: the steps of its paper, its limits and its bound."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from mdcore import MarginDistribution, MSVMAv, load_dataset
from mdcore.margins.bounds import semivariance_bound
from mdcore.solvers.changing_systems import MemberSystem, SubsetSystem
from mdcore.solvers.extrapolation import Extrapolation
from mdcore.solvers.msvmav import KernelSteps, NoDirection, solve_kernel, solve_linear
from tests.oracles import (
    gram,
    msvmav_kernel,
    msvmav_linear,
    msvmav_linear_step,
    sample,
    weights,
    with_bias,
)

over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])
over_samples = pytest.mark.parametrize("name", ["moons", "unbalanced", "duplicated rows", "one feature", "overlapping"])


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


@over_settings
@pytest.mark.parametrize("rows", [2, 5, 9])
def test_linear_msvmav_takes_the_steps_of_algorithm_1_with_more_features_than_rows(rows, alpha, beta):
    rng = np.random.default_rng(rows)
    X, y = rng.normal(size=(rows, 9)), np.where(np.arange(rows) % 2, 1.0, -1.0)
    w = next(islice(msvmav_linear(with_bias(X), y, alpha, beta), 12, None))
    model = MSVMAv(alpha, beta, kernel="linear", tol=0.0, max_iter=12).fit(X, y)
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
    """With a small beta, the step that lowers the semi-variance overshoots."""
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
    """After 500 steps the margins are those of a run that factors the whole system in every step."""
    X, y = sample("larger")
    Z, K = with_bias(X), gram(X, "rbf")
    if kernel == "linear":
        ours, start, step = solve_linear(Z, y, alpha=alpha, beta=beta, tol=0.0, max_iter=500), msvmav_linear, Z
    else:
        ours, start, step = (
            solve_kernel(KernelSteps.of(K), y, alpha=alpha, beta=beta, tol=0.0, max_iter=500),
            msvmav_kernel,
            K,
        )
    w = next(islice(start(step, y, alpha, beta), 500, None))
    assert ours.n_iter == 500
    np.testing.assert_allclose(ours.margins, y * (step @ w), rtol=0.0, atol=1e-8 * np.abs(ours.margins).max())


@pytest.mark.parametrize("name", ["moons", "unbalanced", "one feature", "overlapping"])
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (16.0, 0.25)])
def test_extrapolation_reaches_the_limit_of_the_steps_earlier(name, alpha, beta):
    X, y = sample(name)
    plain, ahead = (
        MSVMAv(alpha, beta, tol=1e-9, max_iter=5000, extrapolate=extrapolate).fit(X, y) for extrapolate in (False, True)
    )
    assert plain.converged_
    assert ahead.converged_
    assert ahead.n_iter_ < plain.n_iter_
    scale = np.abs(plain.margins(X, y) / plain.norm_).max()
    np.testing.assert_allclose(ahead.margins(X, y) / ahead.norm_, plain.margins(X, y) / plain.norm_, atol=1e-5 * scale)


def test_extrapolation_finds_the_limit_of_a_linear_iteration_in_as_many_steps_as_dimensions():
    rng = np.random.default_rng(3)
    M, b = rng.normal(size=(5, 5)), rng.normal(size=5)
    M *= 0.99 / np.abs(np.linalg.eigvals(M)).max()
    limit, x, extrapolation = np.linalg.solve(np.eye(5) - M, b), np.zeros(5), Extrapolation()
    for _ in range(6):
        after = M @ x + b
        x = extrapolation.after(after, after - x)
    np.testing.assert_allclose(x, limit, atol=1e-6 * np.abs(limit).max())


@pytest.mark.parametrize("most", [1, 5, 60])
def test_a_member_system_solves_what_a_dense_solver_does(most):
    rng = np.random.default_rng(4)
    V = rng.normal(size=(20, 60))
    system, members = MemberSystem(V, 0.05), rng.random(60) < 0.5
    for _ in range(60):
        members = members ^ np.isin(np.arange(60), rng.integers(60, size=rng.integers(most + 1)))
        dense = np.eye(20) + V[:, members] @ V[:, members].T / 0.05
        right = rng.normal(size=len(V))
        np.testing.assert_allclose(system.solve(members, right), np.linalg.solve(dense, right), atol=1e-10)


@pytest.mark.parametrize("most", [1, 5, 60])
def test_a_subset_system_solves_what_a_dense_solver_does(most):
    rng = np.random.default_rng(4)
    S = gram(rng.normal(size=(60, 3)), "rbf") + 0.05 * np.eye(60)
    system, members = SubsetSystem(S), rng.random(60) < 0.5
    for _ in range(60):
        members = members ^ np.isin(np.arange(60), rng.integers(60, size=rng.integers(most + 1)))
        right, rows = rng.normal(size=60), np.flatnonzero(members)
        expected = np.zeros(60)
        expected[rows] = np.linalg.solve(S[np.ix_(rows, rows)], right[rows])
        np.testing.assert_allclose(system.solve(members, right), expected, atol=1e-10)


def test_the_steps_with_a_kernel_solve_the_system_of_section_4_2():
    rng = np.random.default_rng(5)
    K, y, a = gram(rng.normal(size=(40, 3)), "rbf"), rng.choice([-1.0, 1.0], 40), rng.normal(size=40)
    steps, s, theta, A = KernelSteps.of(K), 0.7, 0.4, np.arange(40) % 3 > 0
    z = SubsetSystem(steps.B + s * np.eye(40)).solve(A, theta * y - K @ a)
    expected = np.linalg.solve(
        K[:, A] @ K[:, A].T / s + K + np.eye(40), (K + np.eye(40)) @ a + theta / s * K[:, A] @ y[A]
    )
    np.testing.assert_allclose(a + z - steps.inverse @ z, expected, atol=1e-10)
    np.testing.assert_allclose(K @ a + steps.B @ z, K @ expected, atol=1e-10)


def test_a_member_system_factors_seldom_while_few_members_change():
    rng = np.random.default_rng(6)
    V = rng.normal(size=(80, 80))
    system, subset = MemberSystem(V, 1.0), SubsetSystem(gram(rng.normal(size=(80, 3)), "rbf") + np.eye(80))
    members = rng.random(80) < 0.5
    for step in range(40):
        members[step] ^= True
        system.solve(members, np.ones(80))
        subset.solve(members, np.ones(80))
    assert system.factorisations <= 5
    assert subset.factorisations <= 10


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
    """Every row occurs once in each class, so that the sum is zero up to rounding."""
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
