"""LinearLDM: the optimum for few columns, and the limit of its stochastic gradients."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

from mdcore import LDM, METHODS, LinearLDM
from mdcore.solvers.asgd import run_epoch
from tests.oracles import (
    LDMProblem,
    gradient,
    sample,
    weights,
)


@pytest.fixture
def stochastic(monkeypatch):
    """Use stochastic gradients, as for rows with many columns."""
    monkeypatch.setattr("mdcore.methods.linear_ldm.FEW_COLUMNS", 0)


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize(("lambda1", "lambda2", "C"), [(0.0, 0.0, 1.0), (4.0, 1.0, 1.0), (16.0, 16.0, 10.0)])
def test_few_columns_have_the_optimum_and_its_certificate(lambda1, lambda2, C, scale):
    X, y = sample("larger")
    X = X * np.r_[scale, np.ones(X.shape[1] - 1)]
    model = LinearLDM(lambda1, lambda2, C).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-6
    assert model.objective_ == pytest.approx(LDM(lambda1, lambda2, C, kernel="linear").fit(X, y).objective_, rel=1e-6)


def test_many_rows_are_solved_by_a_part_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 4))
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 0.0, 1, -1)
    best = LDM(kernel="linear").fit(X, y).objective_
    monkeypatch.setattr("mdcore.methods.linear_ldm.FIRST_ROWS", 1_000)
    model = LinearLDM().fit(X, y)
    assert model.converged_
    assert np.isnan(model.gap_)
    assert best <= model.objective_ <= best * 1.01


def test_a_stream_whose_rows_grow_does_not_diverge():
    X, y = sample("larger")
    model = LinearLDM(C=1.0)
    for factor in (1.0, 1e3, 1e-3, 1e3):
        model.partial_fit(factor * X, y)
        assert np.isfinite(model.coef_).all()
    assert model.objective_ < 1e9


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("lambda1", [0.0, 3.0])
def test_the_stochastic_gradient_is_unbiased(bias, lambda1):
    """Theorem 2: the mean of Eq. (15) over all pairs is the gradient of Eq. (14). One step reveals each term."""
    X, y = sample("overlapping")
    X, y, lambda2, C, eta = X[:12], y[:12], 2.0, 0.7, 1e-3
    m = len(y)
    rows = np.column_stack([X, np.full(m, bias)])
    w = np.random.default_rng(0).normal(size=rows.shape[1]) * np.r_[np.ones(X.shape[1]), bias]
    settings = (1.0 / (m * C), lambda1 / (m * C), lambda2 / (m * C), eta, 1e9, np.inf)

    def step(i, j):
        v, state = w.copy(), np.array([0.0, 1.0, 1.0, 0.0])
        run_epoch(X, y, np.array([i]), np.array([j]), settings, bias, state, v, np.zeros_like(v))
        return m * C * (w - v / state[1]) / eta

    mean = np.mean([step(i, j) for i, j in product(range(m), repeat=2)], axis=0)
    value = LDMProblem(rows, y, C=C, lambda1=lambda1, lambda2=lambda2).value
    np.testing.assert_allclose(mean, gradient(value, w), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("lambda1", "lambda2", "C"), [(0.0, 0.0, 1.0), (4.0, 1.0, 1.0), (16.0, 16.0, 10.0)])
def test_stochastic_gradients_approach_the_linear_ldm(lambda1, lambda2, C, stochastic):
    X, y = sample("larger")
    best = LDM(lambda1, lambda2, C, kernel="linear").fit(X, y).objective_

    def excess(epochs):
        model = LinearLDM(lambda1, lambda2, C, epochs).fit(X, y)
        assert model.objective_ >= best - 1e-6 * abs(best)
        return (model.objective_ - best) / abs(best)

    few, most = excess(5), excess(500)
    assert few < 0.05
    assert most < min(few / 3.0, 5e-3)


@pytest.mark.parametrize("container", [csr_matrix, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_rows_give_exactly_what_dense_rows_do(container, intercept, stochastic):
    rng = np.random.default_rng(8)
    for _ in range(20):
        X = rng.normal(size=rng.integers((8, 2), (150, 60)))
        X[rng.random(X.shape) < rng.choice([0.0, 0.5, 0.9])] = 0.0
        y = np.r_[1.0, -1.0, np.sign(rng.normal(size=len(X) - 2))]
        model = LinearLDM(*rng.choice([0.0, 1.0, 16.0, 2.0**10], size=2), C=1.0, epochs=2, fit_intercept=intercept)
        dense, sparse = clone(model).fit(X, y), clone(model).fit(container(X), y)
        np.testing.assert_array_equal(sparse.coef_, dense.coef_)
        np.testing.assert_array_equal(sparse.intercept_, dense.intercept_)
        np.testing.assert_allclose(sparse.decision_function(container(X)), dense.decision_function(X), atol=1e-12)
        assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-12)


def test_sparse_rows_that_are_no_numbers_are_refused():
    X, y = sample("larger")
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in a sparse matrix"):
        LinearLDM().fit(csr_matrix(X), y)


@pytest.mark.parametrize("name", ["moons", "unscaled", "unbalanced"])
def test_stochastic_gradients_stay_finite_in_every_corner(name, stochastic):
    X, y = sample(name)
    for lambda1, lambda2, C, epochs in product((0.0, 2.0**10), (0.0, 2.0**10), (2.0**-10, 2.0**10), (1, 10)):
        model = LinearLDM(lambda1, lambda2, C, epochs).fit(X, y)
        at_zero = METHODS["linearldm"].objective(0.0 * y, 0.0, lambda1=lambda1, lambda2=lambda2, C=C, epochs=epochs)
        assert np.isfinite(weights(model)).all()
        assert model.objective_ <= at_zero, (lambda1, lambda2, C, epochs)
