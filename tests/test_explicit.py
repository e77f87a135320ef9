"""Linear kernels are solved in feature space: the same optimum as with the Gram matrix, which is not computed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from mdcore import LDM, LSSVM, METHODS, ODM, SVM, SVRClassifier
from mdcore.solvers import explicit
from mdcore.solvers.features import Features, RunningGram
from mdcore.solvers.linalg import line_search
from mdcore.spaces.space import KernelSpace
from tests.batch import close

MACHINES = [SVM, LDM, ODM, LSSVM, SVRClassifier]
over_machines = pytest.mark.parametrize("machine", MACHINES)


def noisy(m, d, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) + offset
    y = np.where((X - offset) @ rng.normal(size=d) + rng.normal(size=m) > 0.0, 1, -1)
    return X, y


@over_machines
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("intercept", [True, False])
def test_the_optimum_is_that_of_the_gram_matrix(machine, seed, intercept):
    X, y = noisy(40 + 30 * seed, 1 + 2 * seed, seed)
    X[::5] = X[1]  # repeated rows
    weight = np.random.default_rng(seed).uniform(0.2, 3.0, len(y))
    settings = {"C": 10.0 ** (seed - 2)} if "C" in machine().get_params() else {"lam": 10.0**seed}
    features, gram = (
        machine(kernel=kernel, fit_intercept=intercept, **settings).fit(rows, y, sample_weight=weight)
        for kernel, rows in (("linear", X), ("precomputed", X @ X.T))
    )
    assert features.gap_ <= 1e-7
    assert features.objective_ == pytest.approx(gram.objective_, rel=1e-6)
    assert features.norm_ == pytest.approx(gram.norm_, rel=1e-3, abs=1e-6)
    close(features.decision_function(X), gram.decision_function(X @ X.T), 1e-3)


@over_machines
def test_no_matrix_of_many_rows_is_made(machine, monkeypatch):
    monkeypatch.setattr(KernelSpace, "gram", property(lambda _: pytest.fail("a Gram matrix was made")))
    monkeypatch.setattr("mdcore.spaces.space.largest_kernel_problem", lambda: 1000)
    X, y = noisy(30_000, 5)
    model = machine(kernel="linear").fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-6


@over_machines
@pytest.mark.parametrize("size", [1e-3, 1e3, 1e6])
def test_columns_of_any_size_are_no_obstacle(machine, size):
    X, y = noisy(300, 4, offset=2.0)
    X = X * np.array([1.0, size, 1.0, 1e-2 * size])
    model = machine(kernel="linear").fit(X, y)
    at_zero = METHODS[key_of(machine)].objective(
        np.zeros(len(y)), 0.0, **{p: getattr(model, p) for p in METHODS[key_of(machine)].settings({})}
    )
    assert model.converged_
    assert model.objective_ < at_zero


@over_machines
def test_sparse_rows_have_the_optimum_of_dense_ones(machine):
    X, y = noisy(300, 30)
    X[np.abs(X) < 1.0] = 0.0
    dense, sparse = (machine(kernel="linear").fit(rows, y) for rows in (X, csr_array(X)))
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-7)
    close(sparse.decision_function(csr_array(X)), dense.decision_function(X), 1e-4)


def test_more_sparse_features_than_a_matrix_of_them_may_have():
    rng = np.random.default_rng(0)
    X = csr_array((rng.uniform(0.1, 1.0, 20_000), (rng.integers(0, 500, 20_000), rng.integers(0, 4000, 20_000))))
    y = np.where(np.arange(500) % 2, 1, -1)
    for model in (SVM(1.0, kernel="linear"), LDM(1.0, 1.0, 1.0, kernel="linear")):
        assert model.fit(X, y).gap_ <= 1e-6


@pytest.mark.parametrize("machine", [SVM, LDM, SVRClassifier])
def test_rows_that_are_set_aside_do_not_move_the_optimum(machine, monkeypatch):
    X, y = noisy(25_000, 6)
    model = machine(kernel="linear", C=1.0, warm_start=True)
    solved = []
    monkeypatch.setattr(explicit, "NearMachine", partial(_noted, solved, explicit.NearMachine))
    found = [model.set_params(C=C).fit(X, y).objective_ for C in (1.0, 1.5)]
    assert solved
    assert max(count for count, _ in solved) <= 0.5 * len(y)
    monkeypatch.setattr(explicit, "MOST_SHARE", 0.0)
    for objective, C in zip(found, (1.0, 1.5), strict=True):
        whole = machine(kernel="linear", C=C).fit(X, y)
        assert whole.gap_ <= 1e-7
        assert objective == pytest.approx(whole.objective_, rel=2e-7)


@pytest.mark.parametrize("times", [0.05, 0.5, 1.3, 20.0])
@pytest.mark.parametrize("shape", [(2_000, 3), (2_000, 40)])
def test_the_nearest_of_the_near_rows_do_not_move_the_optimum(times, shape, monkeypatch):
    """This holds however far C moves, and however many rows unexpectedly cross a kink."""
    X, y = noisy(*shape)
    X[::3] = np.round(X[::3])  # many rows at the same margin
    whole = LDM(1.0, 1.0, C=times, kernel="linear").fit(X, y)
    monkeypatch.setattr(explicit, "FEW_ROWS", 300)
    monkeypatch.setattr(explicit, "MANY_NEAR", 50)
    solved = []
    monkeypatch.setattr(explicit, "NearMachine", partial(_noted, solved, explicit.NearMachine))
    model = LDM(1.0, 1.0, C=1.0, kernel="linear", warm_start=True).fit(X, y)
    moved = model.set_params(C=times).fit(X, y)
    assert min(beside for _, beside in solved) < len(y)
    assert moved.gap_ <= 1e-7
    assert moved.objective_ == pytest.approx(whole.objective_, rel=2e-7)


@pytest.mark.parametrize("machine", [SVM(30.0), LDM(8.0, 8.0, 30.0), ODM(30.0)], ids=repr)
def test_with_a_rough_tolerance_every_small_move_moves_the_solution(machine):
    X, y = noisy(400, 3)
    model = clone(machine).set_params(gamma=0.3, landmarks=80, warm_start=True, tol=1e-2).fit(X, y)
    name = "lam" if isinstance(machine, ODM) else "C"
    for _ in range(12):
        before = model.decision_function(X)
        model.set_params(**{name: 1.1 * model.get_params()[name]}).fit(X, y)
        assert model.gap_ <= 1e-2
        assert (model.decision_function(X) != before).all()


@pytest.mark.parametrize("seed", [4, 5, 7, 13, 19, 21])
@pytest.mark.parametrize("machine", [SVM(30.0), LDM(70.0, 8.0, 30.0)])
def test_a_price_that_moves_far_is_no_obstacle(machine, seed, monkeypatch):
    """Dual variables that no longer fit the margins are not gone on from."""
    monkeypatch.setattr(explicit, "FEW_ROWS", 300)
    monkeypatch.setattr(explicit, "MANY_NEAR", 50)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 3))
    y = np.where(X[:, 0] + np.sin(3.0 * X[:, 2]) + 0.5 * rng.normal(size=600) > 0.0, 1, -1)
    model = clone(machine).set_params(gamma=0.3, landmarks=80, warm_start=True).fit(X, y)
    for C in (3e4, 1.0, 500.0):
        assert model.set_params(C=C).fit(X, y).gap_ <= 1e-6


def _noted(solved, make, whole, at, rows):
    solved.append((len(rows), len(whole.Z)))
    return make(whole, at, rows)


def key_of(machine):
    return next(key for key, method in METHODS.items() if method.estimator is machine)


@pytest.mark.parametrize("C", [100.0, 1e4, 1e6])
def test_a_large_price_of_the_hinge_is_no_obstacle(C):
    """At w = 0 no margin is near the kink, and the first step must not increase the objective beyond it."""
    X, y = noisy(4_000, 20)
    model = SVM(kernel="linear", C=C).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-8


def test_a_step_does_not_climb_behind_a_kink():
    """f decreases up to t = 1e-6 and then increases, although its slope at 1 is a small share of the initial one."""
    for slope_behind in (0.01, 0.2, 0.29):

        def derivative(t, slope_behind=slope_behind):
            return -1.0 if t < 1e-6 else slope_behind

        t = line_search(derivative, -1.0)
        assert -min(t, 1e-6) + slope_behind * max(t - 1e-6, 0.0) <= 0.0


@pytest.mark.parametrize("rows", [None, np.arange(1, 300, 3)])
@pytest.mark.parametrize("equal", [True, False])
def test_the_scatter_of_signed_rows_far_from_the_origin_keeps_its_digits(rows, equal):
    """With few rows of one class, nearly all signed rows coincide, and a difference of two sums is rounding error."""
    rng = np.random.default_rng(0)
    m = 300 if rows is None else len(rows)
    Z, p = 1e6 + rng.normal(size=(300, 3)), np.full(m, 1.0 / m) if equal else rng.dirichlet(np.ones(m))
    signs = np.where(np.arange(m) < 3, 1.0, -1.0)
    S = (Z if rows is None else Z[rows]).astype(np.longdouble) * signs[:, None]
    apart = S - p @ S / p.sum()
    exact = (apart * p[:, None]).T @ apart
    found = Features(Z).scatter(p, signs, rows)
    directions = rng.normal(size=(20, 3))
    directions -= directions.mean(axis=1, keepdims=True)  # a direction without any offset
    for v in directions:
        assert v @ found @ v == pytest.approx(float(v @ exact @ v), rel=1e-3)
    np.testing.assert_allclose(found, exact.astype(float), rtol=1e-12)


def test_the_scatter_of_sparse_rows_is_that_of_dense_ones():
    X, _ = noisy(60, 5)
    X[np.abs(X) < 0.7] = 0.0
    p, signs = np.random.default_rng(1).dirichlet(np.ones(60)), np.where(np.arange(60) % 3, 1.0, -1.0)
    np.testing.assert_allclose(Features(csr_array(X)).scatter(p, signs), Features(X).scatter(p, signs), atol=1e-12)


@pytest.mark.parametrize("single", [False, True])
def test_a_running_gram_matrix_is_that_of_its_rows(single):
    rng = np.random.default_rng(0)
    Z = Features(rng.normal(size=(500, 8)).astype(np.float32 if single else np.float64))
    running, inside = RunningGram(Z), np.zeros(500, dtype=bool)
    for step in range(40):
        few = step % 4
        inside[rng.integers(0, 500, 5 if few else 300)] ^= True
        weight = rng.uniform(0.1, 10.0) * inside if few < 3 else rng.uniform(0.1, 10.0, 500) * inside
        rows = np.flatnonzero(inside)
        close(running.gram(weight), Z.gram(weight[rows], rows), 1e-5 if single else 1e-12)
    assert not running.gram(np.zeros(500)).any()


def test_a_running_gram_matrix_keeps_no_rounding_of_rows_that_have_left():
    rng = np.random.default_rng(0)
    values = np.where(np.arange(2_000) < 10, 1e-3, 1.0)[:, None] * rng.normal(size=(2_000, 6))
    running = RunningGram(Features(values.astype(np.float32)))
    for left in (2_000, 1_800, 1_500, 1_100, 800, 500, 300, 160, 90, 50, 30, 18, 10):
        found = running.gram((np.arange(2_000) < left).astype(float))
    close(found, values[:10].T @ values[:10], 1e-6)
