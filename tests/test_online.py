"""The online learners beside a conic solver and their own definitions, update by update."""

from __future__ import annotations

import re
import warnings
from collections import deque
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from mdcore import ALMA, METHODS, MICRA, PUMMA, ROMMA, load_dataset
from mdcore.bounds import update_bound
from mdcore.figures import learning_figure
from mdcore.online import CurvesPlan, learning_curves, records
from mdcore.solvers.pnorm import dual_exponent, row_norms
from mdcore.solvers.pnorm import link as ours
from tests.oracles import largest_margin, link, relaxed_hyperplane, sample

LEARNERS = [PUMMA(), PUMMA(p=3.0), PUMMA(p=9.21), ROMMA(), ALMA(), ALMA(p=4.0), MICRA()]
KERNELS = [PUMMA(kernel="rbf", gamma=1.0), PUMMA(soft=0.5), PUMMA(kernel="rbf", gamma=1.0, soft=0.5)]
over_learners = pytest.mark.parametrize("model", LEARNERS, ids=str)
over_all = pytest.mark.parametrize("model", LEARNERS + KERNELS, ids=str)


def split(n, d, *, seed=0, gap=0.5, shift=0.0, scale=1.0):
    """Normal rows on both sides of a hyperplane, `gap` away from it; then moved, then scaled."""
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    u /= np.linalg.norm(u)
    y = np.sign(X @ u)
    return (X + gap * y[:, None] * u + shift) * scale, y


SEPARABLE = {
    "plain": split(60, 5),
    "many features": split(50, 20, gap=0.1),
    "large bias": split(60, 5, shift=100.0),
    "huge bias": split(60, 5, shift=1e6),
    "badly scaled": split(60, 4, scale=np.array([30.0, 1.0, 0.1, 1.0]), seed=2),
    "tiny": split(60, 4, scale=1e-8),
    "one feature": split(40, 1),
}
NORMS = {"2": lambda n: 2.0, "3": lambda n: 3.0, "4": lambda n: 4.0, "2 ln n": lambda n: max(2.0 * np.log(n), 2.0)}
over_separable = pytest.mark.parametrize("name", SEPARABLE)
over_norms = pytest.mark.parametrize("norm", NORMS)


def moons():
    return sample("moons")


def settled(model, X, y):
    """Fitted, and without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        return clone(model).set_params(max_iter=200_000).fit(X, y)


# Norms


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


# PUMMA


@over_separable
@over_norms
def test_pumma_reaches_its_share_of_the_largest_margin(name, norm):
    X, y = SEPARABLE[name]
    p, delta = NORMS[norm](X.shape[1]), 0.1
    best = largest_margin(X * (1e8 if name == "tiny" else 1.0), y, p) / (1e8 if name == "tiny" else 1.0)
    model = settled(PUMMA(p, delta), X, y)
    margin = (y * (X @ model.coef_[0] + model.intercept_[0])).min() / np.linalg.norm(model.coef_[0], dual_exponent(p))
    assert model.margin_ == pytest.approx(margin, rel=1e-6)
    assert (1.0 - delta) * best * (1.0 - 1e-6) <= margin <= best * (1.0 + 1e-6)
    assert model.n_updates_ <= model.update_bound_


@pytest.mark.parametrize("delta", [0.5, 0.1, 0.01])
def test_a_smaller_delta_comes_closer(delta):
    X, y = SEPARABLE["plain"]
    assert settled(PUMMA(3.0, delta), X, y).margin_ >= (1.0 - delta) * largest_margin(X, y, 3.0)


@over_norms
@pytest.mark.parametrize("name", ["plain", "many features", "large bias", "badly scaled"])
def test_every_update_solves_the_relaxed_problem(name, norm):
    X, y = SEPARABLE[name]
    p = NORMS[norm](X.shape[1])
    w_old = np.zeros(X.shape[1])
    for record, _ in zip(PUMMA(p).updates(X, y), range(12), strict=False):
        oracle = relaxed_hyperplane(record.x_pos, record.x_neg, w_old, p)
        same_hyperplane(record, oracle, w_old, p)
        w_old = record.w


def same_hyperplane(record, oracle, w_old, p):
    """Feasible, as short as the conic solution, near it as far as a flat minimum lets that be accurate, and KKT."""
    q = dual_exponent(p)
    w, b, theta, z = record.w, record.b, link(w_old, q), record.x_pos - record.x_neg
    assert w @ record.x_pos + b == pytest.approx(1.0, abs=1e-7)  # Lemma 4
    assert w @ record.x_neg + b == pytest.approx(-1.0, abs=1e-7)
    assert w @ theta >= w_old @ theta * (1.0 - 1e-9)
    assert np.linalg.norm(w, q) == pytest.approx(np.linalg.norm(oracle[:-1], q), rel=1e-7)
    np.testing.assert_allclose(w, oracle[:-1], rtol=0.0, atol=2e-5 * np.abs(w).max())
    # Eq. (4): f(w) = alpha z + beta theta; with alpha, beta >= 0 and tight constraints that is the only solution.
    basis = np.column_stack([z / np.linalg.norm(z), theta / max(np.linalg.norm(theta), 1e-300)])
    multipliers, *_ = np.linalg.lstsq(basis, link(w, q), rcond=None)
    np.testing.assert_allclose(basis @ multipliers, link(w, q), atol=1e-8 * np.abs(link(w, q)).max())
    assert (multipliers >= -1e-8 * np.abs(multipliers).max()).all()


def test_both_cases_of_the_relaxed_problem_occur():
    """(i): the old constraint is slack and w is Eq. (12), with the p-norm that the paper prints as the q-norm."""
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


def test_w_grows_towards_the_largest_margin_from_above():
    """Lemma 5: 1 / ||w|| never falls below the largest margin."""
    X, y = SEPARABLE["plain"]
    limits = [1.0 / np.linalg.norm(record.w, 1.5) for record in PUMMA(3.0, 0.01).updates(X, y)]
    assert all(after <= before * (1.0 + 1e-9) for before, after in pairwise(limits))
    assert limits[-1] >= largest_margin(X, y, 3.0) * (1.0 - 1e-6)


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


def test_the_soft_margin_reaches_its_share_of_the_largest():
    X, y = moons()
    largest = largest_margin(np.hstack([X, np.eye(len(y))]), y, 2.0)
    assert 0.9 * largest <= settled(PUMMA(soft=1.0), X, y).margin_ <= largest * (1.0 + 1e-6)


def test_the_soft_objective_is_that_of_the_squared_slacks():
    X, y = moons()
    Z = np.hstack([X, np.sqrt(0.5) * np.eye(len(y))])
    hard, soft = settled(PUMMA(delta=1e-3), Z, y), settled(PUMMA(delta=1e-3, soft=0.5), X, y)
    assert hard.n_updates_ == soft.n_updates_
    assert soft.objective_ == pytest.approx(0.5 * hard.norm_**2, rel=1e-2)
    assert soft.norm_ < hard.norm_


# ROMMA, ALMA, MICRA by their definitions


def augmented(X, p=2.0):
    R = np.linalg.norm(X, ord=p, axis=1).max()
    return np.column_stack([X, np.full(len(X), -R)]), R


def romma(X, y, delta):
    """w, with b: aggressive ROMMA in closed form."""
    Z, R = augmented(X)
    w = np.zeros(Z.shape[1])
    while True:
        for z, label in zip(Z, y, strict=True):
            if label * (w @ z) < 1.0 - delta:
                zz, ww, f = z @ z, w @ w, label * (w @ z)
                if f >= ww * zz:
                    w = label * z / zz
                else:
                    w = ((zz * ww - f) * w + ww * (1.0 - f) * label * z) / (zz * ww - f**2)
                yield w[:-1], -R * w[-1]


def alma(X, y, p, alpha):
    Z, R = augmented(X, p)
    Z_hat = Z / np.linalg.norm(Z, ord=p, axis=1)[:, None]
    q, w, k = 1.0 / (1.0 - 1.0 / p), np.zeros(Z.shape[1]), 1
    while True:
        for z, label in zip(Z_hat, y, strict=True):
            if label * (w @ z) <= (1.0 - alpha) * np.sqrt(8.0) / alpha * np.sqrt((p - 1.0) / k):
                theta = link(w, q) + np.sqrt(2.0 / ((p - 1.0) * k)) * label * z
                w = link(theta, p)
                w = w / max(1.0, np.linalg.norm(w, ord=q))
                k += 1
                yield w[:-1], -R * w[-1]


def micra(X, y, beta, eta, eps, zeta):
    Z, R = augmented(X)
    u, t = y[0] * Z[0] / np.linalg.norm(Z[0]), 1
    yield u[:-1], -R * u[-1]
    position = 1
    while True:
        for z, label in zip(Z[position:], y[position:], strict=True):
            if label * (u @ z) <= beta / t**eps:
                u = u + eta / t**zeta * label * z
                u, t = u / np.linalg.norm(u), t + 1
                yield u[:-1], -R * u[-1]
        position = 0


@pytest.mark.parametrize(
    ("model", "definition"),
    [
        (ROMMA(0.1), lambda X, y: romma(X, y, 0.1)),
        (ROMMA(0.01), lambda X, y: romma(X, y, 0.01)),
        (ALMA(2.0, 0.5), lambda X, y: alma(X, y, 2.0, 0.5)),
        (ALMA(5.0, 0.3), lambda X, y: alma(X, y, 5.0, 0.3)),
        (MICRA(), lambda X, y: micra(X, y, 1.0, 1.0, 0.5, 0.9)),
        (MICRA(4.0, 0.5, 0.7, 0.5), lambda X, y: micra(X, y, 4.0, 0.5, 0.7, 0.5)),
    ],
    ids=lambda value: str(value) if isinstance(value, BaseEstimator) else "",
)
def test_the_updates_are_those_of_the_definition(model, definition):
    for X, y in (SEPARABLE["plain"], SEPARABLE["many features"], moons()):
        for _, record, (w, b) in zip(range(300), model.updates(X, y), definition(X, y), strict=False):
            np.testing.assert_allclose(record.w, w, rtol=1e-7, atol=1e-9 * np.abs(w).max())
            assert record.b == pytest.approx(b, rel=1e-7, abs=1e-9 * np.abs(w).max())


def test_romma_is_pumma_without_its_bias_on_the_extra_feature():
    X, y = SEPARABLE["plain"]
    Z, R = augmented(X)
    romma, pumma = settled(ROMMA(0.05), X, y), settled(PUMMA(2.0, 0.05, fit_intercept=False), Z, y)
    assert romma.n_updates_ == pumma.n_updates_
    np.testing.assert_array_equal(romma.coef_, pumma.coef_[:, :-1])
    assert romma.intercept_[0] == -R * pumma.coef_[0, -1]


@pytest.mark.parametrize("name", ["plain", "many features"])
def test_romma_reaches_its_share_on_the_rows_with_the_extra_feature(name):
    X, y = SEPARABLE[name]
    Z, R = augmented(X)
    model = settled(ROMMA(0.1), X, y)
    w = np.r_[model.coef_[0], -model.intercept_[0] / R]
    # The largest margin without a bias: every row beside its mirror image of the other class.
    best = largest_margin(np.r_[Z, -Z], np.r_[y, -y], 2.0)
    margin = (y * (Z @ w)).min() / np.linalg.norm(w)
    assert 0.9 * best * (1.0 - 1e-6) <= margin <= best * (1.0 + 1e-6)


@pytest.mark.parametrize("p", [2.0, 4.0])
@pytest.mark.parametrize("alpha", [0.5, 0.2])
def test_alma_keeps_gentiles_theorem_3(p, alpha):
    X, y = SEPARABLE["plain"]
    Z, R = augmented(X, p)
    Z /= np.linalg.norm(Z, ord=p, axis=1)[:, None]
    gamma = largest_margin(np.r_[Z, -Z], np.r_[y, -y], p)
    model = settled(ALMA(p, alpha), X, y)
    w = np.r_[model.coef_[0], -model.intercept_[0] / R]
    assert (y * (Z @ w)).min() / np.linalg.norm(w, dual_exponent(p)) >= (1.0 - alpha) * gamma
    assert np.linalg.norm(w, dual_exponent(p)) <= 1.0 + 1e-12
    assert model.n_updates_ <= 2.0 * (p - 1.0) / gamma**2 * (2.0 / alpha - 1.0) ** 2 + 8.0 / alpha - 4.0


def test_micra_ends_with_every_margin_above_its_threshold():
    X, y = SEPARABLE["plain"]
    model = settled(MICRA(beta=2.0), X, y)
    Z, R = augmented(X)
    u = np.r_[model.coef_[0], -model.intercept_[0] / R]
    assert np.linalg.norm(u) == pytest.approx(1.0, rel=1e-12)
    assert (y * (Z @ u)).min() > 2.0 / model.n_updates_**0.5


# fit, updates, epochs, partial_fit


@over_all
@pytest.mark.parametrize("name", ["separable", "moons"])
def test_updates_and_fit_agree_exactly(model, name):
    X, y = sample(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = clone(model).set_params(max_iter=50).fit(X, y)
    before = dict(vars(model))
    records = list(model.updates(X, y))
    assert vars(model) == before
    assert [record.step for record in records] == list(range(1, model.n_updates_ + 1))
    assert sorted({record.example for record in records}) == model.support_.tolist()
    last = records[-1]
    np.testing.assert_array_equal(last.w, model.dual_coef_ if hasattr(model, "dual_coef_") else model.coef_[0])
    assert last.b == (model.intercept_[0] if hasattr(model, "intercept_") else model.offset_)
    assert last.margin == model.margin_


@over_learners
def test_a_records_margin_is_that_of_all_rows(model):
    X, y = SEPARABLE["plain"]
    q = dual_exponent(getattr(model, "p", 2.0))
    for record, _ in zip(model.updates(X, y), range(50), strict=False):
        margin = (y * (X @ record.w + record.b)).min() / np.linalg.norm(record.w, q)
        assert record.margin == pytest.approx(margin, rel=1e-9, abs=1e-12)
        with pytest.raises(AttributeError):
            record.step = 0


@over_learners
def test_a_stream_is_one_epoch(model):
    X, y = SEPARABLE["many features"]
    radius = {} if isinstance(model, PUMMA) else {"radius": 3.0}
    with pytest.warns(ConvergenceWarning):
        whole = clone(model).set_params(**radius, max_iter=1).fit(X, y)
    for parts in (1, 3, len(y)):
        stream = clone(model).set_params(**radius)
        for part in np.array_split(np.arange(len(y)), parts):
            stream.partial_fit(X[part], y[part], classes=[-1.0, 1.0])
        np.testing.assert_array_equal(stream.coef_, whole.coef_)
        np.testing.assert_array_equal(stream.intercept_, whole.intercept_)
        assert (stream.n_updates_, stream.n_mistakes_) == (whole.n_updates_, whole.n_mistakes_)


@over_learners
def test_passes_of_a_stream_are_the_epochs_of_a_fit(model):
    X, y = SEPARABLE["plain"]
    model = clone(model).set_params(max_iter=200_000)
    stream = clone(model)
    for epoch in model.epochs(X, y):
        stream.partial_fit(X, y)
        assert (epoch.number, epoch.updates, epoch.mistakes) == (stream.n_iter_, stream.n_updates_, stream.n_mistakes_)
        assert epoch.margin == stream.margin_
        assert epoch.seconds >= 0.0
    assert stream.converged_
    assert stream.n_iter_ == settled(model, X, y).n_iter_


@over_learners
def test_mistakes_are_counted_before_each_update(model):
    X, y = SEPARABLE["plain"]
    w, b, mistakes = np.zeros(X.shape[1]), -1.0 if isinstance(model, PUMMA) else 0.0, 0
    stream = clone(model)
    for x, label in zip(X[:30], y[:30], strict=True):
        mistakes += label * (w @ x + b) <= 0.0
        stream.set_params(**({} if isinstance(model, PUMMA) else {"radius": 5.0}))
        stream.partial_fit(x[None, :], [label], classes=[-1.0, 1.0])
        w, b = stream.coef_[0], stream.intercept_[0]
        assert stream.n_mistakes_ == mistakes


@over_learners
@pytest.mark.parametrize("name", ["moons", "duplicated rows", "one feature"])
def test_a_stream_that_cannot_be_separated_stops_at_the_limit(model, name):
    with pytest.warns(ConvergenceWarning, match=r"epoch 30, the last allowed.* may not be separable"):
        model = clone(model).set_params(max_iter=30).fit(*sample(name))
    assert (model.n_iter_, model.converged_) == (30, False)
    assert "may not be separable" in model.status_
    assert np.isfinite(model.coef_).all()


def test_equal_rows_of_both_classes_are_no_hyperplane():
    X, y = np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([1.0, -1.0])
    with pytest.warns(ConvergenceWarning, match="may not be separable"):
        model = PUMMA(max_iter=5).fit(X, y)
    assert (model.n_updates_, model.norm_, model.objective_) == (0, 0.0, np.inf)
    assert model.update_bound_ == np.inf


def test_constraints_that_exclude_each_other_start_anew():
    """On one feature, +1 right of -1 and then left of it: no w has w.z >= 2 and w.w_old >= ||w_old||^2."""
    X, y = np.array([[0.0], [1.0], [5.0], [2.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    records = list(PUMMA(max_iter=1).updates(X, y))
    assert [record.w[0] for record in records] == pytest.approx([2.0, -0.5, -2.0 / 3.0])


# Sparse rows, bad input


@over_learners
@pytest.mark.parametrize("container", [csr_matrix, csr_array])
def test_sparse_rows_give_what_dense_rows_do(model, container):
    X, y = SEPARABLE["many features"]
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.5, X, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dense = clone(model).set_params(max_iter=20).fit(X, y)
        sparse = clone(model).set_params(max_iter=20).fit(container(X), y)
    assert sparse.n_updates_ == dense.n_updates_
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sparse.decision_function(container(X)), dense.decision_function(X), rtol=1e-8)
    assert len(list(sparse.updates(container(X), y))) == dense.n_updates_


def test_a_soft_margin_takes_sparse_rows():
    X, y = moons()
    dense, sparse = settled(PUMMA(soft=1.0), X, y), settled(PUMMA(soft=1.0), csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)


def test_what_does_not_go_together_is_refused(separable):
    X, y = separable
    with pytest.raises(ValueError, match=r"kernels and the soft margin are for p = 2; got p=3 with kernel='rbf'"):
        PUMMA(p=3.0, kernel="rbf").fit(X, y)
    with pytest.raises(ValueError, match=r"are for p = 2; got p=3 .* soft=1\. Take p=2, or kernel='linear'"):
        PUMMA(p=3.0, soft=1.0).fit(X, y)
    with pytest.raises(ValueError, match="sparse rows need kernel='linear'"):
        PUMMA(kernel="rbf").fit(csr_matrix(X), y)
    for model in (PUMMA(kernel="rbf"), PUMMA(soft=1.0)):
        with pytest.raises(ValueError, match="partial_fit needs kernel='linear' and soft=0"):
            model.partial_fit(X, y)
    for radius in (0.0, -1.0, np.inf, "large"):
        with pytest.raises(ValueError, match=re.escape("ROMMA: radius must be a number in (0, ∞)")):
            ROMMA(radius=radius).fit(X, y)


# The bound, and the paper's comparison


def test_theorem_2_is_computed_as_printed():
    bound = update_bound(p=3.0, delta=0.5, R=2.0, margin=0.25)
    assert bound.value == pytest.approx(2.0 * 2.0 * 4.0 * 16.0 / 0.25)
    assert bound.terms == {"R": 2.0, "‖u‖": 4.0, "proved": 2.0 * bound.value}
    assert update_bound(p=2.0, delta=0.1, R=1.0, margin=-1.0).value == np.inf
    assert update_bound(p=2.0, delta=1e-300, R=1.0, margin=1.0).value == np.inf, "too large for a float"


def test_lemma_6_as_printed_is_too_large_but_holds_with_half():
    """||w_{t+1}||^2 - ||w_t||^2 falls short of delta^2 / (2 (p-1) R^2), never of half of it."""
    least = np.inf
    for seed in range(40):
        X, y = split(40, 3, seed=seed, gap=0.05)
        X /= np.linalg.norm(X, axis=1)[:, None]  # through the origin, so still separable
        squares = deque(maxlen=2)
        for record in PUMMA(2.0, 0.1).updates(X, y):
            squares.append(record.w @ record.w)
            if len(squares) == 2:
                least = min(least, (squares[1] - squares[0]) * 2.0 / 0.1**2)
    assert 0.5 <= least < 1.0


@pytest.mark.parametrize("r", [1, 4])
def test_pumma_makes_fewer_updates_on_threshold_data(r):
    data = load_dataset("threshold", n=200, features=50, k=8, r=r, seed=0)
    X, y = data.X, data.y
    for p, others in ((2.0, [ROMMA(), ALMA()]), (2.0 * np.log(50), [ALMA(p=2.0 * np.log(50))])):
        pumma = settled(PUMMA(p), X, y)
        for other in others:
            # as many as it takes the other to reach a margin that PUMMA surpasses, or to end
            theirs = next(
                (
                    epoch.updates
                    for epoch in clone(other).set_params(max_iter=20_000).epochs(X, y)
                    if epoch.margin >= pumma.margin_
                ),
                settled(other, X, y).n_updates_,
            )
            assert pumma.n_updates_ <= theirs


@pytest.mark.parametrize("method", [m for m in METHODS.values() if m.family == "online"], ids=lambda m: m.key)
def test_the_order_of_the_rows_counts(method):
    X, y = SEPARABLE["many features"]
    order = np.random.default_rng(2).permutation(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first, second = method.estimator().fit(X, y), method.estimator().fit(X[order], y[order])
    assert not np.allclose(first.decision_function(X), second.decision_function(X), rtol=1e-3)


@pytest.fixture(scope="module")
def curves():
    """The experiment of Figures 3 and 4, smaller; and the calls of its progress."""
    calls = []
    plan = CurvesPlan(rs=(1, 2), ps=(2.0, 5.0), n=60, features=20, k=4, repeats=2, epochs=3000)
    made = learning_curves(plan, progress=lambda *call: calls.append(call))
    return made, calls


def test_the_curves_hold_every_learner_that_is_for_p(curves):
    made, calls = curves
    assert sorted((curve.method, curve.p, curve.r) for curve in made) == sorted(
        (method, p, r)
        for r in (1, 2)
        for method, p in (("pumma", 2.0), ("romma", 2.0), ("alma", 2.0), ("pumma", 5.0), ("alma", 5.0))
    )
    assert calls == [(done, 20) for done in range(1, 21)]


def test_the_records_are_the_points_of_the_curves(curves):
    made = curves[0]
    rows = records(made)
    assert [row["margin"] for row in rows] == [margin for curve in made for margin in curve.margins]
    assert rows[0] == {
        "learner": METHODS[made[0].method].name,
        "p": made[0].p,
        "r": made[0].r,
        "epoch": 1,
        "updates": made[0].updates[0],
        "seconds": made[0].seconds[0],
        "margin": made[0].margins[0],
        "largest margin": made[0].largest,
    }


def test_a_curve_is_the_average_of_its_runs(curves):
    for curve in curves[0]:
        runs = []
        for seed in (0, 1):
            data = load_dataset("threshold", n=60, features=20, k=4, r=curve.r, seed=seed)
            exponent = {} if curve.method == "romma" else {"p": curve.p}
            runs.append(METHODS[curve.method].estimator(max_iter=3000, **exponent).fit(data.X, data.y))
        assert len(curve.updates) == len(curve.margins) == len(curve.seconds) == max(run.n_iter_ for run in runs)
        assert curve.updates[-1] == np.mean([run.n_updates_ for run in runs])
        assert curve.margins[-1] == pytest.approx(np.mean([run.margin_ for run in runs]), rel=1e-12)
        assert curve.ended == np.mean([run.converged_ for run in runs])
        assert (np.diff(curve.updates) >= 0).all()
        assert (np.diff(curve.seconds) >= 0).all()


@pytest.mark.parametrize("against", ["updates", "seconds"])
def test_the_figure_shows_the_curves(curves, against):
    shown = [curve for curve in curves[0] if curve.p == 2.0]
    made = learning_figure(shown, against)
    assert made.layout.xaxis.type == "log"
    for curve, trace in zip(shown, made.data, strict=True):
        assert (trace.x, trace.y) == (getattr(curve, against), curve.margins)
        assert trace.line.color == METHODS[curve.method].color
        assert trace.name == f"{METHODS[curve.method].name}, r = {curve.r}"
    assert len({(trace.line.color, trace.line.dash) for trace in made.data}) == len(shown)


def test_what_a_learner_promises_is_a_share_of_the_original_margin():
    assert PUMMA(delta=0.2).promise == 0.8
    assert ROMMA(delta=0.2, fit_intercept=False).promise == 0.8
    for model in (ROMMA(), ALMA(), ALMA(fit_intercept=False), MICRA()):
        assert model.promise is None
