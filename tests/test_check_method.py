"""The public check of methods: every method passes, and each fault is found."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from mdcore import METHODS, SVM, LinearLDM
from mdcore.testing import check_method


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_passes(method) -> None:
    check_method(method.estimator(), scikit_learn=False)


def test_scikit_learns_own_checks_are_included() -> None:
    check_method(SVM())


class Boastful(SVM):
    """A classifier that claims to have converged whatever its gap."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.gap_, self.converged_ = 0.5, True
        return self


class Backwards(SVM):
    def predict(self, X):
        return self.classes_[(self.decision_function(X) < 0).astype(int)]


class Lopsided(SVM):
    """A classifier biased towards the second class."""

    def decision_function(self, X):
        return super().decision_function(X) + 0.1


class Ordered(SVM):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, np.linspace(1.0, 2.0, len(np.asarray(y))))


class Unscaled(SVM):
    def margins(self, X, y, scale="functional"):
        return super().margins(X, y, "functional") + (scale == "geometric")


class Shrinking(LinearLDM):
    """A classifier whose distances are too short, because the bias counts in their norm."""

    def _norms_apart(self):
        return np.array([[0.0, self.norm_], [self.norm_, 0.0]])


class Lenient(SVM):
    def fit(self, X, y, sample_weight=None):
        return super().fit(np.nan_to_num(np.asarray(X, dtype=float)), y, sample_weight)


class Remembering(SVM):
    def fit(self, X, y, sample_weight=None):
        self._fits = getattr(self, "_fits", 0) + 1
        return super().fit(X, y, np.full(len(np.asarray(y)), float(self._fits)))


@pytest.mark.parametrize(
    ("faulty", "fact"),
    [
        (Boastful, "the certificate"),
        (Backwards, "the decision"),
        (Lopsided, "flipped labels"),
        (Ordered, "the order of rows"),
        (Unscaled, "margins"),
        (Shrinking, "without the bias"),
        (Lenient, "NaN must raise a ValueError"),
        (Remembering, "a second fit"),
        (LinearSVC, "fitted attributes"),
    ],
)
def test_a_fault_is_found_and_named(faulty: type, fact: str) -> None:
    with pytest.raises(AssertionError, match=fact):
        check_method(faulty(), scikit_learn=False)
