"""Products with LDM's dual matrix without forming it, and refits after a slider has moved."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdcore import LDM
from mdcore.data import load_dataset
from mdcore.methods.ldm import Dual
from mdcore.solvers.ldm import FactoredDual, dual_matrix
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace

M = 60
DATA = load_dataset("moons", n=M, noise=0.3, seed=1)
Y = DATA.y.astype(float)


def space(name: str = "rbf") -> KernelSpace:
    return KernelSpace(DATA.X, Kernel(name, 1.0, 3, 1.0, True))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=30)
@given(
    exponent=st.integers(-10, 20),
    name=st.sampled_from(["rbf", "linear", "laplacian"]),
    uniform=st.booleans(),
    seed=st.integers(0, 99),
)
def test_products_and_blocks_are_those_of_the_matrix(exponent: int, name: str, uniform: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = np.full(M, 1.0 / M) if uniform else rng.dirichlet(np.full(M, 3.0))
    G = space(name).gram
    b, F = rng.random(M), np.sort(rng.choice(M, 20, replace=False))
    H, factored = dual_matrix(G, Y, p, 2.0**exponent), FactoredDual(G, Y, p, 2.0**exponent, F[: seed % 21])
    scale = np.abs(H).max()
    assert factored @ b == pytest.approx(H @ b, rel=1e-8, abs=1e-10 * scale * M)
    for rows in (F[:7], F, F[:0], np.arange(M)):  # from none to all of them were declared
        assert factored.block(rows) == pytest.approx(H[np.ix_(rows, rows)], rel=1e-7, abs=1e-9 * scale)


@pytest.mark.parametrize("exponent", [-20, -8, -2, 4, 10])
def test_repeated_rows_stay_a_null_direction(exponent: int) -> None:
    """H e_1 y_1 = H e_2 y_2 for two equal rows, to the last digits of H."""
    X, y = np.repeat(DATA.X, 2, axis=0), np.repeat(Y, 2)
    G = KernelSpace(X, Kernel("rbf", 100.0)).gram
    H = dual_matrix(G, y, np.full(2 * M, 0.5 / M), 2.0**exponent)
    assert H[:, ::2] == pytest.approx(H[:, 1::2], abs=1e-12 * np.abs(H).max())


@pytest.mark.parametrize("C", [0.5, 10.0])
@pytest.mark.parametrize("factor", [0.0, 0.25, 1.2, 2.0, 64.0])
def test_a_moved_lambda1_ends_where_a_fresh_fit_does(factor: float, C: float) -> None:
    moved = LDM(4.0, 2.0, C, warm_start=True).fit_space(space(), DATA.y)
    moved.set_params(lambda1=4.0 * factor).fit_space(moved._space_, DATA.y)
    fresh = LDM(4.0 * factor, 2.0, C).fit_space(space(), DATA.y)
    assert moved.converged_
    assert moved.gap_ <= 1e-8
    assert moved.objective_ == pytest.approx(fresh.objective_, rel=1e-9)
    assert moved.beta_ == pytest.approx(fresh.beta_, abs=1e-6 * C)
    assert moved.loo_bound_ == pytest.approx(fresh.loo_bound_, rel=1e-6)


def test_a_moved_lambda1_forms_no_matrix() -> None:
    shared = space()
    model = LDM(4.0, 2.0, 10.0, warm_start=True).fit_space(shared, DATA.y)
    model.set_params(lambda1=5.0).fit_space(shared, DATA.y)
    assert not Dual(Y, np.full(M, 1.0 / M), 5.0).is_known(shared)
    assert pickle.loads(pickle.dumps(model)).loo_bound_ == model.loo_bound_


def test_a_start_from_other_data_is_only_a_start() -> None:
    """With the opposite labels, nothing of the old active set is valid."""
    shared = space()
    model = LDM(4.0, 2.0, 10.0, warm_start=True).fit_space(shared, DATA.y)
    other = np.random.default_rng(0).permutation(DATA.y)
    model.set_params(lambda1=8.0).fit_space(shared, other)
    assert model.objective_ == pytest.approx(LDM(8.0, 2.0, 10.0).fit_space(space(), other).objective_, rel=1e-9)
