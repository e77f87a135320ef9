"""The SVM on many rows computes columns of the kernel matrix on demand, and reaches the same optimum."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons

from mdcore import LDM, SVM
from mdcore.spaces.columns import KernelColumns
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.batch import close


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("gamma", [0.05, 1.0, 30.0])
def test_the_optimum_is_that_of_the_whole_matrix(C, gamma):
    """A negligible lambda2 makes the LDM use the whole matrix."""
    X, y = make_moons(400, noise=0.3, random_state=1)
    columns = SVM(C=C, gamma=gamma).fit(X, y)
    matrix = LDM(C=C, gamma=gamma, lambda1=0.0, lambda2=1e-14).fit(X, y)
    assert columns.gap_ <= 1e-8
    assert columns.objective_ == pytest.approx(matrix.objective_, rel=1e-9)
    assert columns.loo_bound_ == pytest.approx(matrix.loo_bound_, rel=1e-6)
    close(columns.decision_function(X), matrix.decision_function(X))


def test_rows_with_both_labels_need_few_steps(monkeypatch):
    """Both dual variables go to any C together; moved singly, they would take steps of 1/K_ii in turn."""
    monkeypatch.setattr("mdcore.solvers.working_set._solve_at_once", lambda *_: pytest.fail("pairs got nowhere"))
    X = np.random.default_rng(0).normal(size=(300, 5))
    model = SVM(C=1e4, gamma=10.0, tol=1e-5).fit(np.repeat(X, 2, axis=0), np.tile([-1, 1], 300))
    assert model.converged_
    np.testing.assert_allclose(model.beta_, 1e4, rtol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_rows_without_length_are_errors_of_margin_zero(seed):
    """With a kernel that is zero at the origin, no w changes their margins, so each costs C times its weight."""
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(80, 3)), rng.uniform(0.1, 2.0, size=80)
    X[:3] = 0.0
    y = np.where(X[:, 0] + rng.normal(size=80) > 0.0, 1, -1)
    model, without = (
        SVM(C=5.0, kernel="poly", coef0=0.0, gamma=0.5, fit_intercept=False).fit(X[k:], y[k:], sample_weight=weight[k:])
        for k in (0, 3)
    )
    np.testing.assert_allclose(model.beta_[:3], 5.0 * weight[:3])
    assert model.objective_ == pytest.approx(without.objective_ + 5.0 * weight[:3].sum(), rel=1e-8)


def test_once_the_free_are_known_a_newton_step_follows():
    """If every example is free, the dual variables solve YKY b = e."""
    X, y = make_moons(400, noise=0.3, random_state=1)
    model = SVM(C=1e4, gamma=3000.0).fit(X, y)
    s = np.where(y == 1, 1.0, -1.0)
    np.testing.assert_allclose(model.beta_, np.linalg.solve(s[:, None] * Kernel("rbf", 3000.0)(X, X) * s, np.ones(400)))
    assert model.n_iter_ <= 12


def test_few_support_vectors_need_no_matrix(monkeypatch):
    monkeypatch.setattr(KernelSpace, "gram", property(lambda _: pytest.fail("a Gram matrix was made")))
    monkeypatch.setattr("mdcore.spaces.space.largest_kernel_problem", lambda: 1000)
    X, y = make_moons(20_000, noise=0.1, random_state=0)
    model = SVM(C=10.0, gamma=1.0).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-8
    assert len(model.support_) < 500


def test_too_many_support_vectors_for_the_memory_are_told(monkeypatch):
    monkeypatch.setattr("mdcore.spaces.columns.MEMORY_SHARE", 1e-7)
    X, y = make_moons(3_000, noise=0.5, random_state=0)
    with pytest.raises(ValueError, match=r"3,000 rows needs .* landmarks"):
        SVM(C=1.0, gamma=1.0).fit(X, y)


def test_columns_that_make_room_change_no_product():
    rng = np.random.default_rng(0)
    X, a = rng.normal(size=(50, 3)), rng.normal(size=50)
    columns = KernelColumns(X, Kernel("rbf", 0.5))
    columns.room = 20
    whole = Kernel("rbf", 0.5)(X, X)
    columns.fetch(np.arange(15), np.arange(0))
    columns.fetch(np.arange(20, 35), np.array([3, 11, 7]))
    there = np.flatnonzero(columns.place >= 0)
    assert set(there) == {3, 7, 11, *range(20, 35)}
    np.testing.assert_array_equal(columns.held[columns.place[there]], whole[there])
    np.testing.assert_allclose(columns.product(a), whole @ a, atol=1e-12)


def test_a_root_spans_the_rows_or_is_none():
    X = np.random.default_rng(0).normal(size=(300, 2))
    columns = KernelColumns(X, Kernel("rbf", 0.05))
    Z = columns.root(150)
    np.testing.assert_allclose(Z @ Z.T, Kernel("rbf", 0.05)(X, X), atol=1e-9)
    assert columns.root(5) is None


def test_any_kernel_gives_its_columns():
    X, y = make_moons(150, noise=0.3, random_state=2)
    G = Kernel("poly", 1.0, 3, 1.0, bias=False)(X, X)
    named = SVM(kernel="poly", gamma=1.0, degree=3, coef0=1.0).fit(X, y)
    given = SVM(kernel="precomputed").fit(G, y)
    assert named.objective_ == pytest.approx(given.objective_, rel=1e-9)


def test_where_pairs_get_nowhere_a_few_solutions_at_once_do(monkeypatch):
    for name, value in (("STEPS", 0.2), ("FEWER_STEPS", 0.1), ("MOST_FEATURES", 1)):
        monkeypatch.setattr(f"mdcore.solvers.working_set.{name}", value)
    X, y = make_classification(2000, 10, flip_y=0.05, random_state=18)
    model = SVM(C=3000.0, gamma=0.006, tol=1e-3).fit(X, y)
    assert model.converged_
    assert model.n_iter_ <= 10
