"""mcODM: its block, its convex problems, and the minima of its Eq. (1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import load_iris, make_blobs
from sklearn.preprocessing import StandardScaler

from mdcore import MCODM, MCSVM, ODM
from mdcore.solvers.class_block import ClassLoss, block_jacobians, proximal_blocks, solve_block
from mdcore.solvers.class_newton import factors, free_directions
from mdcore.solvers.multiclass import Ceiling, MulticlassProblem
from tests.class_oracles import Block, MCODMProblem, close, features, multiclass_sample, weights
from tests.oracles import sample

NAMES = ["three far apart", "five overlapping", "four on a line", "duplicated rows"]
ODM_SETTINGS = [(1.0, 0.4, 0.4), (256.0, 0.4, 0.4), (256.0, 1.0, 0.0), (2.0**14, 0.2, 0.8)]
over_names = pytest.mark.parametrize("name", NAMES)
over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])
over_settings = pytest.mark.parametrize(("lam", "mu", "theta"), ODM_SETTINGS)


# mcODM: the block


def random_blocks(count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        k = int(rng.integers(2, 9))
        A = rng.uniform(0.5, 2.0)
        yield Block(
            A,
            rng.normal(0.0, 1.5, k),
            int(rng.integers(k)),
            A + rng.uniform(0.01, 5.0),
            A + rng.uniform(0.01, 10.0),
            rng.normal(-0.5, 1.5),
        )


def solved(block, cap=np.inf, runner=-1):
    """Return alpha and beta by the sorting rule."""
    k = len(block.B)
    row, order = np.empty(k), np.empty(k, dtype=np.intp)
    beta = solve_block(block.A, block.B, block.y, block.D, block.E, block.F, cap, runner, order, row)
    row[block.y] += beta
    return row, beta


def test_the_sorting_rule_solves_eq_6(optima):
    with_beta = 0
    for block in random_blocks(60):
        alpha, beta = solved(block)
        assert abs(alpha.sum()) < 1e-12 * (1.0 + np.abs(alpha).sum())
        assert (np.delete(alpha, block.y) <= 0.0).all()
        assert beta >= 0.0
        assert block.value(alpha, beta) == pytest.approx(*optima(block), rel=1e-7, abs=1e-9)
        with_beta += beta > 0.0
    assert 10 < with_beta < 60


def test_the_printed_rule_does_not():
    """Algorithm 2 has a misprint: its alpha does not even sum to zero."""
    wrong = 0
    for block in random_blocks(60):
        alpha, beta = block.as_printed()
        right, right_beta = solved(block)
        wrong += abs(alpha.sum()) > 1e-6 or block.value(alpha, beta) > block.value(right, right_beta) + 1e-6
    assert wrong >= 55


# mcODM: the convex problems


def inner_problem(F, y, lam, mu, theta):
    soft = len(y) * (1.0 - theta) ** 2 / (2.0 * lam)
    loss = ClassLoss(1.0 - theta, soft, np.inf, 1.0 + theta, soft / mu)
    return MulticlassProblem(F, y, int(y.max()) + 1, loss)


@over_names
@over_kernels
@over_settings
@pytest.mark.parametrize("fixed", ["value", "class", "nothing"])
def test_the_inner_problem_is_the_conic_solvers(optima, name, kernel, lam, mu, theta, fixed):
    X, y = multiclass_sample(name)
    m, k, rng = len(y), int(y.max()) + 1, np.random.default_rng(4)
    F = features(X, kernel)
    runner = (y + rng.integers(1, k, size=m)) % k
    M = {"value": rng.normal(size=m), "class": None, "nothing": np.full(m, 1e3)}[fixed]
    problem = inner_problem(F, y, lam, mu, theta)
    ceilings = {"class": Ceiling.of_runner_up(runner), "nothing": Ceiling.none(m)}
    found, _ = problem.solve(np.zeros((m, k)), ceilings.get(fixed) or Ceiling.of_value(M), tol=1e-9)
    stated = MCODMProblem(F, y, lam, mu, theta, M, runner if fixed == "class" else None)
    (least,) = optima(stated)
    assert 0.0 <= found.gap <= 1e-9
    assert found.value == pytest.approx(least, rel=1e-7)
    assert stated.value(np.linalg.lstsq(F, found.F)[0]) == pytest.approx(least, rel=1e-7)


def test_free_directions_are_the_rank_of_the_jacobians():
    _, y = multiclass_sample("five overlapping")
    m, k = len(y), 5
    runner, weight = (y + 1) % k, np.random.default_rng(2).uniform(0.5, 2.0, m)
    for loss in (ClassLoss(0.6, 0.3, np.inf, 1.4, 0.8), ClassLoss(1.0, 0.0, 2.0, 1.0, 1.0)):
        ceiling = Ceiling.of_runner_up(runner) if loss.soft else Ceiling.none(m)
        a, beta, V = np.zeros((m, k)), np.zeros(m), np.empty((m, k, k))
        F = np.random.default_rng(1).normal(0.0, 1.5, (m, k))
        proximal_blocks(0.7, F, y, ceiling.runner, ceiling.M, loss, weight, a, beta)
        block_jacobians(0.7, a, beta, y, ceiling.runner, loss, weight, V)
        found = free_directions(a, beta, y, loss.cap * weight)
        np.testing.assert_array_equal(found, np.linalg.matrix_rank(V, tol=1e-9))
        assert len(np.unique(found)) > 2
        owner, T = factors(V)
        np.testing.assert_array_equal(np.bincount(owner, minlength=m), found)
        whole = np.zeros_like(V)
        np.add.at(whole, owner, T[:, :, None] * T[:, None])
        np.testing.assert_allclose(whole, V, atol=1e-12)


@pytest.mark.parametrize("wide", [False, True])
def test_many_features_and_few_lead_to_the_same_solution(wide):
    """Embedding or permuting the features changes nothing; beyond some number of them, products are cached."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 6)) + 2.0 * np.eye(6)[np.arange(160) % 4], np.arange(160) % 4
    rotation = np.linalg.qr(rng.normal(size=(150, 150)))[0][:6]
    narrow = MCODM(kernel="linear").fit(X, y)
    model = MCODM(kernel="linear").fit(X @ rotation if wide else X[:, ::-1], y)
    assert model.gap_ <= 1e-8
    assert model.objective_ == pytest.approx(narrow.objective_, rel=1e-6)


# mcODM: Eq. (1)


def test_where_no_weights_are_best_the_search_says_so():
    """No line separates these classes: w = 0, where every margin is 0, is a certified minimum."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 4)), np.arange(600) % 10
    model = MCODM(kernel="linear").fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-8
    assert model.objective_ == pytest.approx(256.0, rel=1e-8)
    assert model.norm_ < 1e-3


@over_names
@over_kernels
@over_settings
def test_the_outer_objective_falls_to_a_stationary_point_of_eq_1(conic, name, kernel, lam, mu, theta):
    X, y = multiclass_sample(name)
    F = features(X, kernel)
    problem = MCODMProblem(F, y, lam, mu, theta)
    model = MCODM(lam, mu, theta, kernel=kernel, gamma=1.0).fit(X, y)
    W = weights(model, F)
    assert (np.diff(model.path_) <= 0.0).all()
    assert model.path_[0] == pytest.approx(lam)  # w = 0: every margin is 0
    assert model.objective_ == pytest.approx(model.path_[-1], rel=1e-8)
    assert problem.value(W) == pytest.approx(model.objective_, rel=1e-7)
    assert len(model.path_) <= model.n_iter_ + 1
    # The convex majorant that touches Eq. (1) at W has its minimum there.
    (least,) = conic(replace(problem, runner=np.argmax(problem.rivals(W), axis=1)))
    assert problem.value(W) == pytest.approx(least, rel=1e-6)


@over_names
def test_no_small_step_lowers_eq_1(name):
    X, y = multiclass_sample(name)
    F = features(X, "rbf")
    problem = MCODMProblem(F, y, 256.0, 0.4, 0.4)
    W = weights(MCODM(gamma=1.0).fit(X, y), F)
    best, rng = problem.value(W), np.random.default_rng(2)
    for size in (1e-5, 1e-3, 1e-2):
        for _ in range(60):
            step = rng.normal(size=W.shape)
            assert problem.value(W + size * np.linalg.norm(W) / np.linalg.norm(step) * step) >= best * (1.0 - 1e-7)


def test_fixed_values_alone_settle_elsewhere():
    """The search leaves Algorithm 1 once it no longer lowers Eq. (1), because its fixed points are not minima."""
    X, y = multiclass_sample("five overlapping")
    F, lam, mu, theta = features(X, "linear"), 256.0, 1.0, 0.0
    inner, problem = inner_problem(F, y, lam, mu, theta), MCODMProblem(F, y, lam, mu, theta)
    M, W = np.zeros(len(y)), np.zeros((4, 5))
    for _ in range(30):
        found, _ = inner.solve(np.zeros((len(y), 5)), Ceiling.of_value(M), tol=1e-9)
        W = np.linalg.lstsq(F, found.F)[0]
        M = problem.rivals(W).max(axis=1)
    assert MCODM(lam, mu, theta, kernel="linear").fit(X, y).objective_ < 0.99 * problem.value(W)


@pytest.mark.parametrize("name", ["moons", "separable", "duplicated rows", "unbalanced", "one feature"])
@over_kernels
@over_settings
def test_two_classes_are_half_of_odm(name, kernel, lam, mu, theta):
    X, y = sample(name)
    ours = MCODM(lam, mu, theta, kernel=kernel, gamma=1.0).fit(X, y)
    odm = ODM(2.0 * lam, mu, theta, kernel=kernel, gamma=1.0, tol=1e-12).fit(X, y)
    assert ours.objective_ == pytest.approx(0.5 * odm.objective_, rel=1e-8)
    assert ours.norm_ == pytest.approx(odm.norm_ / np.sqrt(2.0), rel=1e-5)
    close(ours.decision_function(X), odm.decision_function(X))
    np.testing.assert_array_equal(ours.predict(X), odm.predict(X))


@pytest.mark.parametrize("estimator", [MCODM, MCSVM])
@pytest.mark.parametrize("container", [csr_matrix, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_rows_give_what_dense_rows_do(estimator, container, intercept):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 12)) * (rng.random((80, 12)) < 0.3), rng.integers(0, 4, size=80)
    dense = estimator(kernel="linear", fit_intercept=intercept).fit(X, y)
    sparse = estimator(kernel="linear", fit_intercept=intercept).fit(container(X), y)
    close(sparse.decision_function(container(X)), dense.decision_function(X), 1e-6)
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-8)
    assert sparse.gap_ <= 1e-8
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        estimator().fit(container(X), y)


def test_the_linear_kernel_forms_no_gram_matrix(monkeypatch):
    X, y = multiclass_sample("five overlapping")
    monkeypatch.setattr(
        "mdcore.spaces.space.KernelSpace.gram", property(lambda _: pytest.fail("a Gram matrix was formed"))
    )
    for estimator in (MCODM, MCSVM):
        estimator(kernel="linear").fit(X, y).decision_function(X)


@pytest.mark.parametrize("estimator", [MCODM, MCSVM])
def test_rows_far_from_the_origin_are_no_obstacle(estimator):
    X, y = make_blobs(150, 4, centers=4, cluster_std=4.0, random_state=1)
    assert estimator(kernel="linear").fit(X + 1e4, y).gap_ <= 1e-6


@pytest.mark.parametrize("lam", [2.0**17, 2.0**20])
def test_a_step_that_has_to_be_solved_to_the_end_is(lam):
    """After a step that lowers Eq. (1) tenfold, the next one lowers it by at most a ten-thousandth of a per cent."""
    X, y = load_iris(return_X_y=True)
    model = MCODM(lam, 0.4, 0.4, kernel="linear").fit(StandardScaler().fit_transform(X), y)
    assert model.converged_
    assert (np.diff(model.path_) <= 0.0).all()
