"""One-versus-all, one-versus-one and error-correcting codes, compared with scikit-learn's wrappers around our SVM."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from mdcore import ECOC, OVA, OVO, SVM
from mdcore.margins.distribution import margins_of
from tests.class_oracles import multiclass_sample
from tests.oracles import sample
from tests.walk import close

over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])


@over_kernels
def test_ova_is_scikit_learns_wrapper_around_our_svm(kernel):
    X, y = multiclass_sample("five overlapping")
    peer = OneVsRestClassifier(SVM(16.0, kernel=kernel, gamma=1.0)).fit(X, y)
    model = OVA(16.0, kernel=kernel, gamma=1.0).fit(X, y)
    close(2.0 * model.decision_function(X), peer.decision_function(X), 1e-9)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert model.objective_ == pytest.approx(sum(svm.objective_ for svm in peer.estimators_), rel=1e-9)


@over_kernels
def test_ovo_is_scikit_learns_wrapper_around_our_svm(kernel):
    X, y = multiclass_sample("five overlapping")
    peer = OneVsOneClassifier(SVM(16.0, kernel=kernel, gamma=1.0)).fit(X, y)
    model = OVO(16.0, kernel=kernel, gamma=1.0).fit(X, y)
    theirs = np.stack([svm.decision_function(X) for svm in peer.estimators_], axis=1)
    close(model.binary_decisions(X), theirs, 1e-9)
    close(4.0 * model.decision_function(X), peer.decision_function(X), 1e-9)  # votes, and what breaks their ties
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


@pytest.mark.parametrize("estimator", [OVA, OVO, ECOC])
@pytest.mark.parametrize("offset", [0, 100, 30_000])
def test_the_gap_of_coded_svms_counts_what_rounding_leaves_of_the_margins(estimator, offset):
    """Compute the objectives of the solutions in exact arithmetic."""
    y = np.arange(14) % 2
    x = np.random.default_rng(2).normal(size=14) + y + offset
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = estimator(1000.0, kernel="linear").fit(x[:, None], y)
    exact, points = Fraction(0), [Fraction(value) for value in x]
    for (w, b), sides in zip(model.binary_weights_.T, model.code_[y].T, strict=True):
        f = [Fraction(w) * x_i + Fraction(b) for x_i in points]
        exact += (Fraction(w) ** 2 + Fraction(b) ** 2) / 2
        exact += 1000 * sum(max(0, 1 - int(side) * f_i) for side, f_i in zip(sides, f, strict=True))
    assert abs(float(exact) - model.objective_) <= 2e-6 * float(exact) or not model.converged_


@pytest.mark.parametrize("k", range(2, 10))
def test_exhaustive_codes_part_the_classes_in_every_way_once(k):
    code = ECOC.code(k)
    assert code.shape == (k, 2 ** (k - 1) - 1)
    assert set(np.unique(code)) == {-1.0, 1.0}
    partings = {frozenset((frozenset(np.flatnonzero(c > 0)), frozenset(np.flatnonzero(c < 0)))) for c in code.T}
    assert len(partings) == code.shape[1]
    assert frozenset() not in {side for parting in partings for side in parting}
    for first, second in combinations(code, 2):
        assert np.sum(first != second) == 2 ** (k - 2)


def test_ecoc_takes_the_nearest_code_word():
    X, y = multiclass_sample("five overlapping")
    model = ECOC(gamma=0.1).fit(X, y)
    hamming = (np.sign(model.binary_decisions(X))[:, None, :] != model.code_[None]).sum(axis=2)
    np.testing.assert_array_equal(model.votes(X), model.code_.shape[1] - hamming)
    np.testing.assert_array_equal(hamming[np.arange(len(y)), model.predict(X)], hamming.min(axis=1))
    shares = -hamming / 2 ** (5 - 2)
    np.testing.assert_allclose(model.margins(X, y), margins_of(shares, y), atol=2.0 / 3.0 / 2 ** (5 - 2))


def test_too_many_classes_for_an_exhaustive_code_are_refused_with_its_size():
    X, y = np.arange(32.0)[:, None], np.repeat(np.arange(16), 2)
    with pytest.raises(ValueError, match=r"16 classes has 2\^15 - 1 = 32,767 columns.* at most 15 .*Use OVA"):
        ECOC().fit(X, y)
    assert ECOC.code(15).shape == (15, 16383)


@pytest.mark.parametrize("estimator", [OVA, OVO, ECOC])
@over_kernels
def test_two_classes_are_the_svm(estimator, kernel):
    X, y = sample("moons")
    svm, model = SVM(16.0, kernel=kernel, gamma=1.0).fit(X, y), estimator(16.0, kernel=kernel, gamma=1.0).fit(X, y)
    close(model.decision_function(X), svm.decision_function(X), 1e-7)
    assert model.norm_ == pytest.approx(svm.norm_ / np.sqrt(2.0), rel=1e-7)
