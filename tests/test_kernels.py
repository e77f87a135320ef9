"""Kernels compared with scikit-learn's, and the space that caches whatever depends on rows and kernel only."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from mdcore.basics.memo import LRUCache
from mdcore.spaces.kernels import (
    GAMMA,
    KERNEL,
    KERNELS,
    Kernel,
    abe_gamma,
    average_distance,
    fast_kernel,
    resolve_gamma,
    squared_distances,
)
from mdcore.spaces.space import KernelSpace, check_memory

PEERS = {
    "rbf": lambda X, Z: rbf_kernel(X, Z, gamma=0.7),
    "linear": linear_kernel,
    "poly": lambda X, Z: polynomial_kernel(X, Z, degree=4, gamma=0.7, coef0=0.5),
    "laplacian": lambda X, Z: laplacian_kernel(X, Z, gamma=0.7),
}

over_names = pytest.mark.parametrize("name", PEERS)
over_bias = pytest.mark.parametrize("bias", [True, False])


def kernel(name, bias=True):
    return Kernel(name, gamma=0.7, degree=4, coef0=0.5, bias=bias)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    X[7] = X[3]
    return X


@pytest.fixture(scope="module")
def others():
    return np.random.default_rng(1).normal(size=(15, 2))


# Kernels


@over_bias
@over_names
def test_the_matrix_of_rows_with_themselves_is_symmetric_to_the_last_bit(name, bias):
    X = np.random.default_rng(2).normal(size=(300, 3))
    G = kernel(name, bias).gram(X)
    assert np.array_equal(G, G.T)
    np.testing.assert_allclose(G, kernel(name, bias)(X, X), rtol=1e-12, atol=1e-12)


def test_a_precomputed_matrix_is_made_symmetric():
    given = np.random.default_rng(3).normal(size=(300, 300))
    G = Kernel("precomputed", bias=False).gram(given)
    np.testing.assert_allclose(G, 0.5 * (given + given.T))
    assert np.array_equal(G, G.T)


def test_every_kernel_offered_is_compared():
    assert set(PEERS) == set(KERNEL.options) == set(KERNELS) - {"precomputed"}


@over_names
@over_bias
def test_a_kernel_is_scikit_learns_and_the_constant(name, bias, rows, others):
    np.testing.assert_allclose(kernel(name, bias)(others, rows), PEERS[name](others, rows) + bias, rtol=1e-10)


@over_names
@over_bias
def test_the_diagonal_is_that_of_the_matrix(name, bias, rows):
    np.testing.assert_allclose(
        kernel(name, bias).diagonal(rows), np.diagonal(kernel(name, bias)(rows, rows)), rtol=1e-12
    )


@over_bias
def test_a_precomputed_kernel_is_the_matrix_and_the_constant(bias, rows):
    G = rbf_kernel(rows, gamma=0.7)
    np.testing.assert_array_equal(Kernel("precomputed", bias=bias)(G[:5], G), G[:5] + bias)
    np.testing.assert_array_equal(Kernel("precomputed", bias=bias).diagonal(G), np.diagonal(G) + bias)


@over_names
def test_a_kernel_that_is_a_product_over_the_axes_is_their_product(name, rows, others):
    k = kernel(name, bias=False)
    factors = [k.axis_factors(others[:, j], rows[:, j]) for j in range(2)]
    if factors[0] is None:
        assert factors[1] is None
    else:
        np.testing.assert_allclose(factors[0] * factors[1], k(others, rows), rtol=1e-12)
    assert (factors[0] is None) == (name in ("linear", "poly"))


def test_squared_distances_are_exact_where_rows_coincide(rows):
    far = rows + 1e8
    assert squared_distances(far, far)[3, 7] == 0.0
    assert kernel("rbf", bias=False)(far, far)[3, 7] == 1.0


# Named values of gamma


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_scale_is_scikit_learns(scale, rows):
    y = np.arange(len(rows)) % 2
    peer = SVC(gamma="scale").fit(scale * rows, y)
    assert resolve_gamma("scale", scale * rows) == pytest.approx(peer._gamma, rel=1e-12)


def test_abes_gamma_is_divided_by_the_number_of_inputs(rows):
    assert resolve_gamma("abe", rows) == abe_gamma(1.0, rows) == 1.0 / rows.shape[1]
    assert abe_gamma(700.0, rows) == 700.0 / rows.shape[1]


def test_distance_is_the_centre_of_the_papers_grid(rows):
    assert resolve_gamma("distance", rows) == pytest.approx(1.0 / (2.0 * pdist(rows).mean() ** 2), rel=1e-12)


def test_rows_all_alike_leave_gamma_one():
    assert resolve_gamma("scale", np.ones((5, 3))) == resolve_gamma("distance", np.ones((5, 3))) == 1.0


@pytest.mark.parametrize("value", [2.0**-10, 1, np.float32(0.5), np.float64(3.0)])
def test_a_number_is_itself(value, rows):
    assert resolve_gamma(value, rows) == value


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan, "auto", None, True])
def test_any_other_gamma_is_refused_with_the_range(bad, rows):
    with pytest.raises(ValueError, match=r"gamma must be a number in \(0, ∞\)"):
        resolve_gamma(bad, rows)
    assert str(GAMMA.legal) == "(0, ∞)"


@given(st.integers(2, 30), st.integers(1, 4), st.integers(1, 40))
def test_the_average_distance_is_that_of_all_pairs_in_any_blocks(n, d, block):
    X = np.random.default_rng(n * 31 + d).normal(size=(n, d))
    assert average_distance(X, block=block) == pytest.approx(pdist(X).mean(), rel=1e-12)


def test_one_row_is_at_no_distance():
    assert average_distance(np.ones((1, 2))) == 0.0


# The space


@over_names
@over_bias
def test_the_gram_matrix_is_the_kernels_symmetric_and_read_only(name, bias, rows):
    space = KernelSpace(rows, kernel(name, bias))
    assert len(space) == len(rows)
    np.testing.assert_allclose(space.gram, PEERS[name](rows, rows) + bias, rtol=1e-10)
    np.testing.assert_array_equal(space.gram, space.gram.T)
    assert space.gram is space.gram
    with pytest.raises(ValueError, match="read-only"):
        space.gram[0, 0] = 0.0


@over_names
@over_bias
def test_the_field_is_the_decision_on_the_grid(name, bias, rows):
    space, coefficients = KernelSpace(rows, kernel(name, bias)), np.random.default_rng(2).normal(size=len(rows))
    for xs, ys in ((np.linspace(-2, 2, 23), np.linspace(-1, 3, 17)), (np.linspace(-1, 1, 5), np.linspace(0, 1, 9))):
        grid = np.array([[x, y] for y in ys for x in xs])
        expected = (space.cross(grid) @ coefficients).reshape(len(ys), len(xs))
        for _ in range(2):
            np.testing.assert_allclose(space.field(coefficients, xs, ys), expected, atol=1e-10 * np.abs(expected).max())


def test_the_axes_of_a_grid_are_computed_once(rows, monkeypatch):
    calls = []
    original = Kernel.axis_factors
    monkeypatch.setattr(Kernel, "axis_factors", lambda self, x, z: calls.append(1) or original(self, x, z))
    space, xs, ys = KernelSpace(rows, kernel("rbf")), np.linspace(-1, 1, 10), np.linspace(-2, 2, 10)
    for seed in range(3):
        space.field(np.random.default_rng(seed).normal(size=len(rows)), xs, ys)
    assert len(calls) == 2


def test_a_derived_matrix_is_made_once_while_it_is_among_the_latest(rows):
    space, made = KernelSpace(rows, kernel("rbf")), []
    for key in "abcabcdcba":  # room for three: d replaces a, then a replaces d
        space.cached(key, lambda key=key: made.append(key) or np.ones(1))
    assert made == ["a", "b", "c", "d", "a"]


def test_what_was_used_longest_ago_is_forgotten_first():
    recent = LRUCache(capacity=2)
    assert [recent.get(key, lambda key=key: key.upper()) for key in "aba"] == ["A", "B", "A"]
    recent.get("c", lambda: "C")
    assert recent.get("a", lambda: "again") == "A"
    assert recent.get("b", lambda: "again") == "again"
    recent.clear()
    assert recent.get("b", lambda: "anew") == "anew"


def test_room_is_counted_in_weights_and_the_latest_is_kept_whatever_its_weight():
    recent = LRUCache(capacity=10, weight=float)
    for value in (4, 5, 3):
        assert recent.get(value, lambda value=value: value) == value
    assert recent.get(5, lambda: 0) == 5
    assert recent.get(4, lambda: 0) == 0
    assert recent.get(99, lambda: 99) == recent.get(99, lambda: 0) == 99
    assert recent.get(5, lambda: 0) == 0


def test_memory_is_refused_with_what_it_takes_and_what_to_do_instead(monkeypatch, rows):
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=2**30))
    check_memory(5000)
    with pytest.raises(
        ValueError, match=r"on 100,000 rows needs about 298.0 GiB of memory, but only 1.0 GiB are free. Set landmarks"
    ):
        check_memory(100_000)
    check_memory(2500, matrices=16.0)
    with pytest.raises(ValueError, match=r"on 5,000 rows needs about 3.0 GiB"):
        check_memory(5000, matrices=16.0)
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=100))
    monkeypatch.setattr("mdcore.spaces.space.UNCHECKED_BYTES", 0)
    with pytest.raises(ValueError, match="at most 1 rows"):
        _ = KernelSpace(rows, kernel("rbf")).gram


@pytest.mark.parametrize("bias", [False, True])
def test_products_give_the_values_of_distances(bias):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(50, 7)) + 30.0, rng.normal(size=(9, 7)) + 30.0
    kernel = Kernel("rbf", 0.2, bias=bias)
    np.testing.assert_allclose(fast_kernel(kernel, X)(X, Z), kernel(X, Z), rtol=1e-12)
    np.testing.assert_allclose(fast_kernel(kernel, X, np.float32)(X, Z), kernel(X, Z), rtol=1e-4, atol=1e-6)


def test_products_are_not_taken_where_they_would_lose_digits():
    X = np.array([[0.0, 0.0], [1e4, 0.0], [1e4, 1e-3]])
    for kernel in (Kernel("rbf", 1.0), Kernel("laplacian", 0.1), Kernel("poly", 0.1)):
        assert fast_kernel(kernel, X) is kernel
