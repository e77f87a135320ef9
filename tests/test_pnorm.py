"""The p-norm, its link functions and the norms of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mdcore.solvers.pnorm import dual_exponent, row_norms
from mdcore.solvers.pnorm import link as ours
from tests.oracles import link


@pytest.mark.parametrize("p", [2.0, 2.5, 3.0, 9.21, 50.0])
def test_the_links_invert_each_other_and_keep_the_norm(p):
    q = dual_exponent(p)
    assert 1.0 / p + 1.0 / q == pytest.approx(1.0, rel=1e-15)
    rng = np.random.default_rng(0)
    for _ in range(50):
        w = rng.normal(size=7) * 10.0 ** rng.integers(-3, 4) * (rng.random(7) < 0.8)
        theta, back = np.empty(7), np.empty(7)
        assert ours(w, q, theta) == pytest.approx(np.linalg.norm(w, ord=q), rel=1e-12)
        assert ours(theta, p, back) == pytest.approx(np.linalg.norm(w, ord=q), rel=1e-12)  # Lemma 3.2
        np.testing.assert_allclose(back, w, rtol=1e-10)
        np.testing.assert_allclose(theta, link(w, q), rtol=1e-10)
        assert w @ theta == pytest.approx(np.linalg.norm(w, ord=q) ** 2, rel=1e-12)  # Lemma 3.3


def test_the_links_do_not_overflow():
    for v in (np.array([1e200, 1e-200, 0.0]), np.array([1e-300, 0.0, 1e-301]), np.zeros(3)):
        for r in (2.5, 100.0, 100.0 / 99.0):
            out = np.empty(3)
            assert np.isfinite(ours(v, r, out))
            assert np.isfinite(out).all()


@pytest.mark.parametrize("p", [2.0, 3.0, 50.0])
def test_row_norms_are_those_of_dense_and_sparse_rows(p):
    X = np.random.default_rng(1).normal(size=(20, 6)) * (np.random.default_rng(2).random((20, 6)) < 0.5)
    X[3] = 0.0
    expected = [np.linalg.norm(x, ord=p) for x in X]
    np.testing.assert_allclose(row_norms(X, p), expected, rtol=1e-12)
    np.testing.assert_allclose(row_norms(csr_matrix(X), p), expected, rtol=1e-12)


@pytest.mark.parametrize("p", [2.0, 3.0])
def test_a_row_whose_stored_values_are_all_zero_has_no_length(p):
    X = csr_matrix((np.array([0.0, 1.0, 2.0, 0.0]), np.array([0, 0, 1, 1]), np.array([0, 1, 3, 4])), shape=(3, 2))
    np.testing.assert_allclose(row_norms(X, p), row_norms(X.toarray(), p))


@pytest.mark.parametrize("p", [3.0, 50.0])
@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_norms_of_rows_of_any_size_are_finite(p, size):
    X = np.array([[3.0, -4.0], [0.0, 0.0], [1.0, 0.0]])
    for rows in (X, csr_matrix(X)):
        np.testing.assert_allclose(row_norms(size * rows, p) / size, np.linalg.norm(X, ord=p, axis=1))
