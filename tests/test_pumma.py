"""PUMMA compared with a conic solver, update by update, with a kernel and with the soft margin."""

from __future__ import annotations

from collections import deque
from itertools import islice, pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mdcore import PUMMA
from mdcore.margins.bounds import update_bound
from mdcore.solvers.pnorm import dual_exponent
from mdcore.solvers.relaxed import p_norm
from tests.oracles import NormMarginProblem, RelaxedProblem, link
from tests.streams import NORMS, SEPARABLE, moons, over_norms, over_separable, settled, split

# PUMMA


@over_separable
@over_norms
def test_pumma_reaches_its_share_of_the_largest_margin(optima, name, norm):
    X, y = SEPARABLE[name]
    p, delta = NORMS[norm](X.shape[1]), 0.1
    unit = 1e8 if name == "tiny" else 1.0
    best = float(optima(NormMarginProblem(X * unit, y, p))[0]) / unit
    model = settled(PUMMA(p, delta), X, y)
    margin = (y * (X @ model.coef_[0] + model.intercept_[0])).min() / np.linalg.norm(model.coef_[0], dual_exponent(p))
    assert model.margin_ == pytest.approx(margin, rel=1e-6)
    assert (1.0 - delta) * best * (1.0 - 1e-6) <= margin <= best * (1.0 + 1e-6)
    assert model.n_updates_ <= model.update_bound_


@pytest.mark.parametrize("delta", [0.5, 0.1, 0.01])
def test_a_smaller_delta_comes_closer(optima, delta):
    X, y = SEPARABLE["plain"]
    assert settled(PUMMA(3.0, delta), X, y).margin_ >= (1.0 - delta) * optima(NormMarginProblem(X, y, 3.0))


@over_norms
@pytest.mark.parametrize("name", ["plain", "many features", "large bias", "badly scaled"])
def test_every_update_solves_the_relaxed_problem(conic, name, norm):
    X, y = SEPARABLE[name]
    p = NORMS[norm](X.shape[1])
    w_old = np.zeros(X.shape[1])
    records = list(islice(PUMMA(p).updates(X, y), 12))
    assert len(records) > 1
    for record in records:
        oracle = conic(RelaxedProblem(record.x_pos, record.x_neg, w_old, p))
        same_hyperplane(record, oracle, w_old, p)
        w_old = record.w


def same_hyperplane(record, oracle, w_old, p):
    """Assert that w is feasible, as short as the conic solution, as near to it as a flat minimum permits, and KKT."""
    q = dual_exponent(p)
    w, b, theta, z = record.w, record.b, link(w_old, q), record.x_pos - record.x_neg
    assert w @ record.x_pos + b == pytest.approx(1.0, abs=1e-7)  # Lemma 4
    assert w @ record.x_neg + b == pytest.approx(-1.0, abs=1e-7)
    assert w @ theta >= w_old @ theta * (1.0 - 1e-9)
    assert np.linalg.norm(w, q) == pytest.approx(np.linalg.norm(oracle[:-1], q), rel=1e-7)
    np.testing.assert_allclose(w, oracle[:-1], rtol=0.0, atol=2e-5 * np.abs(w).max())
    # Eq. (4): f(w) = alpha z + beta theta; with alpha, beta >= 0 and tight constraints, the solution is unique.
    basis = np.column_stack([z / np.linalg.norm(z), theta / max(np.linalg.norm(theta), 1e-300)])
    multipliers, *_ = np.linalg.lstsq(basis, link(w, q), rcond=None)
    np.testing.assert_allclose(basis @ multipliers, link(w, q), atol=1e-8 * np.abs(link(w, q)).max())
    assert (multipliers >= -1e-8 * np.abs(multipliers).max()).all()


@pytest.mark.parametrize("p", [2.5, 3.0, 4.0, 9.21])
def test_the_relaxed_problem_is_solved_where_the_pair_nearly_cancels_what_is_known(p):
    """Near the point of cancellation Newton's method alone went back and forth between the ends of its bracket."""
    z = np.array([-1.0, 3.8e-4, 8.3e-3, 7.5e-4, -7.4e-7])
    theta = np.array([1.0, 1.7e-4, -7.7e-3, -4.3e-5, 3.8e-7])
    square = float(np.linalg.norm(theta, p) ** 2)
    alpha, beta, met = p_norm(z, theta, square, 2.0, p)
    w = link(alpha * z + beta * theta, p)
    assert met
    assert min(alpha, beta) > 0.0
    assert w @ z == pytest.approx(2.0, rel=1e-6)
    assert w @ theta == pytest.approx(square, rel=1e-6)


def test_both_cases_of_the_relaxed_problem_occur():
    """In case (i) the old constraint is slack and w is Eq. (12), with the p-norm, which the paper prints as q-norm."""
    cases = set()
    for name, p in (("large bias", 3.0), ("badly scaled", 3.0), ("many features", 2.0), ("badly scaled", 2.0)):
        w_old = np.zeros(SEPARABLE[name][0].shape[1])
        for record in PUMMA(p).updates(*SEPARABLE[name]):
            theta, z = link(w_old, dual_exponent(p)), record.x_pos - record.x_neg
            slack = record.w @ theta > (w_old @ theta) * (1.0 + 1e-6) and w_old.any()
            if slack:
                np.testing.assert_allclose(record.w, 2.0 / np.linalg.norm(z, p) ** 2 * link(z, p), rtol=1e-7)
            elif w_old.any():
                assert record.w @ theta == pytest.approx(w_old @ theta, rel=1e-7)
            cases.add((p, bool(slack)))
            w_old = record.w
    assert cases == {(2.0, True), (2.0, False), (3.0, True), (3.0, False)}


def test_w_grows_towards_the_largest_margin_from_above(optima):
    """Lemma 5: 1 / ||w|| never falls below the largest margin."""
    X, y = SEPARABLE["plain"]
    limits = [1.0 / np.linalg.norm(record.w, 1.5) for record in PUMMA(3.0, 0.01).updates(X, y)]
    assert all(after <= before * (1.0 + 1e-9) for before, after in pairwise(limits))
    assert limits[-1] >= optima(NormMarginProblem(X, y, 3.0)) * (1.0 - 1e-6)


def test_the_pair_is_the_last_example_of_either_class():
    X, y = SEPARABLE["many features"]
    x_pos = x_neg = None
    for record in PUMMA(3.0).updates(X, y):
        own = record.x_pos if y[record.example] > 0 else record.x_neg
        np.testing.assert_array_equal(own, X[record.example])
        if x_pos is not None:
            kept = (record.x_neg, x_neg) if y[record.example] > 0 else (record.x_pos, x_pos)
            np.testing.assert_array_equal(*kept)
        x_pos, x_neg = record.x_pos, record.x_neg
    assert record.step > 2


def test_before_the_second_class_is_seen_the_prediction_is_constant():
    for label, mistakes in ((1.0, 1), (-1.0, 0)):
        model = PUMMA().partial_fit(np.array([[1.0, 2.0], [3.0, 1.0]]), np.full(2, label), classes=[-1.0, 1.0])
        np.testing.assert_array_equal(model.predict(np.zeros((3, 2))), np.full(3, label))
        assert (model.n_updates_, model.n_mistakes_, model.margin_) == (0, mistakes, 0.0)


# The kernel and the soft margin


@pytest.mark.parametrize("soft", [0.0, 1.0])
@pytest.mark.parametrize("bias", [True, False])
def test_the_linear_kernel_is_the_linear_version(soft, bias):
    X, y = SEPARABLE["plain"]
    linear = settled(PUMMA(soft=soft, fit_intercept=bias), X, y)
    kernel = settled(PUMMA(soft=soft, fit_intercept=bias, kernel="precomputed"), X @ X.T, y)
    assert (kernel.n_updates_, kernel.n_mistakes_, kernel.n_iter_) == (
        linear.n_updates_,
        linear.n_mistakes_,
        linear.n_iter_,
    )
    np.testing.assert_allclose(kernel.decision_function(X @ X.T), linear.decision_function(X), atol=1e-8)
    assert kernel.norm_ == pytest.approx(linear.norm_, rel=1e-8)
    assert kernel.margin_ == pytest.approx(linear.margin_, rel=1e-8)
    assert kernel.update_bound_ == pytest.approx(linear.update_bound_, rel=1e-8)


@pytest.mark.parametrize("soft", [0.25, 4.0])
def test_the_soft_margin_is_a_kernel_with_a_larger_diagonal(soft):
    X, y = moons()
    G = np.exp(-cdist(X, X, "sqeuclidean"))
    model = settled(PUMMA(soft=soft, kernel="rbf", gamma=1.0), X, y)
    given = settled(PUMMA(kernel="precomputed"), G + soft * np.eye(len(y)), y)
    assert given.n_updates_ == model.n_updates_
    np.testing.assert_allclose(given.dual_coef_, model.dual_coef_, atol=1e-9)
    assert given.margin_ == pytest.approx(model.margin_, rel=1e-9)
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-9)  # so that a constant feature changes nothing
    np.testing.assert_allclose(model.decision_function(X), G @ model.dual_coef_ + model.offset_, atol=1e-9)


def test_the_soft_margin_reaches_its_share_of_the_largest(optima):
    X, y = moons()
    (largest,) = optima(NormMarginProblem(np.hstack([X, np.eye(len(y))]), y, 2.0))
    assert 0.9 * largest <= settled(PUMMA(soft=1.0), X, y).margin_ <= largest * (1.0 + 1e-6)


def test_the_soft_objective_is_that_of_the_squared_slacks():
    X, y = moons()
    Z = np.hstack([X, np.sqrt(0.5) * np.eye(len(y))])
    hard, soft = settled(PUMMA(delta=1e-3), Z, y), settled(PUMMA(delta=1e-3, soft=0.5), X, y)
    assert hard.n_updates_ == soft.n_updates_
    assert soft.objective_ == pytest.approx(0.5 * hard.norm_**2, rel=1e-2)
    assert soft.norm_ < hard.norm_


def test_theorem_2_is_computed_as_printed():
    bound = update_bound(p=3.0, delta=0.5, R=2.0, margin=0.25)
    assert bound.value == pytest.approx(2.0 * 2.0 * 4.0 * 16.0 / 0.25)
    assert bound.terms == {"R": 2.0, "‖u‖": 4.0, "proved": 2.0 * bound.value}
    assert update_bound(p=2.0, delta=0.1, R=1.0, margin=-1.0).value == np.inf
    assert update_bound(p=2.0, delta=1e-300, R=1.0, margin=1.0).value == np.inf, "too large for a float"


def test_lemma_6_as_printed_is_too_large_but_holds_with_half():
    """||w_{t+1}||^2 - ||w_t||^2 can be below delta^2 / (2 (p-1) R^2), but never below half of it."""
    least = np.inf
    for seed in range(40):
        X, y = split(40, 3, seed=seed, gap=0.05)
        X /= np.linalg.norm(X, axis=1)[:, None]  # through the origin, and therefore still separable
        squares = deque(maxlen=2)
        for record in PUMMA(2.0, 0.1).updates(X, y):
            squares.append(record.w @ record.w)
            if len(squares) == 2:
                least = min(least, (squares[1] - squares[0]) * 2.0 / 0.1**2)
    assert 0.5 <= least < 1.0
