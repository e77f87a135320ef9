"""Online learners compared with their definitions, update by update; fits, streams, sparse rows."""

from __future__ import annotations

import re
import warnings
from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from mdcore import ALMA, METHODS, MICRA, PUMMA, ROMMA
from mdcore.solvers.pnorm import dual_exponent
from tests.oracles import NormMarginProblem, link, sample
from tests.streams import SEPARABLE, moons, over_all, over_learners, settled

# ROMMA, ALMA, MICRA by their definitions


def augmented(X, p=2.0):
    R = np.linalg.norm(X, ord=p, axis=1).max()
    return np.column_stack([X, np.full(len(X), -R)]), R


def romma(X, y, delta):
    """Yield w and b after each update of aggressive ROMMA, in closed form."""
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
def test_romma_reaches_its_share_on_the_rows_with_the_extra_feature(optima, name):
    X, y = SEPARABLE[name]
    Z, R = augmented(X)
    model = settled(ROMMA(0.1), X, y)
    w = np.r_[model.coef_[0], -model.intercept_[0] / R]
    # The largest margin without a bias: every row and its mirror image in the other class.
    (best,) = optima(NormMarginProblem(np.r_[Z, -Z], np.r_[y, -y], 2.0))
    margin = (y * (Z @ w)).min() / np.linalg.norm(w)
    assert 0.9 * best * (1.0 - 1e-6) <= margin <= best * (1.0 + 1e-6)


@pytest.mark.parametrize("p", [2.0, 4.0])
@pytest.mark.parametrize("alpha", [0.5, 0.2])
def test_alma_keeps_gentiles_theorem_3(optima, p, alpha):
    X, y = SEPARABLE["plain"]
    Z, R = augmented(X, p)
    Z /= np.linalg.norm(Z, ord=p, axis=1)[:, None]
    (gamma,) = optima(NormMarginProblem(np.r_[Z, -Z], np.r_[y, -y], p))
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
    records = list(islice(model.updates(X, y), 50))
    assert len(records) > 1
    for record in records:
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
    """With one feature, if +1 is first right of -1 and then left, no w has w.z >= 2 and w.w_old >= ||w_old||^2."""
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
    with pytest.raises(ValueError, match=r"kernels and the soft margin require p = 2; got p=3 with kernel='rbf'"):
        PUMMA(p=3.0, kernel="rbf").fit(X, y)
    with pytest.raises(ValueError, match=r"require p = 2; got p=3 .* soft=1\. Set p=2, or kernel='linear'"):
        PUMMA(p=3.0, soft=1.0).fit(X, y)
    with pytest.raises(TypeError, match="dense data is required"):
        PUMMA(kernel="rbf").fit(csr_matrix(X), y)
    for model in (PUMMA(kernel="rbf"), PUMMA(soft=1.0)):
        with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
            model.partial_fit(X, y)
    for radius in (0.0, -1.0, np.inf, "large"):
        with pytest.raises(ValueError, match=re.escape("ROMMA: radius must be a number in (0, ∞)")):
            ROMMA(radius=radius).fit(X, y)


@pytest.mark.parametrize("method", [m for m in METHODS.values() if m.family == "online"], ids=lambda m: m.key)
def test_the_order_of_the_rows_counts(method):
    X, y = SEPARABLE["many features"]
    order = np.random.default_rng(2).permutation(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first, second = method.estimator().fit(X, y), method.estimator().fit(X[order], y[order])
    assert not np.allclose(first.decision_function(X), second.decision_function(X), rtol=1e-3)


def test_what_a_learner_promises_is_a_share_of_the_original_margin():
    assert PUMMA(delta=0.2).guaranteed_share == 0.8
    assert ROMMA(delta=0.2, fit_intercept=False).guaranteed_share == 0.8
    for model in (ROMMA(), ALMA(), ALMA(fit_intercept=False), MICRA()):
        assert model.guaranteed_share is None
