"""A sample of the adversary's fits, none of which may make a false claim, and fits whose gap was once too small."""

from __future__ import annotations

from itertools import islice

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mdcore import LDM, METHODS, SVRClassifier
from tests.adversary import cases, judge
from tests.optimum import distance

THINNED = 9  # fits for each method
OPEN = ("", "refused", "not converged")


@pytest.mark.parametrize("key", METHODS)
def test_no_fit_claims_more_than_it_holds(key):
    own = [case for case in cases() if case.method == key]
    step = max(1, len(own) // THINNED) | 1
    verdicts = {case: judge(case) for case in islice(own, step // 2, None, step)}
    assert {case: verdict for case, verdict in verdicts.items() if verdict not in OPEN} == {}


@pytest.mark.parametrize(
    ("machine", "chosen", "kernel"),
    [
        (LDM, {"C": 0.0, "lambda1": 16.0, "lambda2": 16.0}, {"kernel": "poly", "gamma": 2.0}),
        (LDM, {"C": 1024.0, "lambda1": 1024.0, "lambda2": 1024.0}, {"kernel": "poly", "degree": 2, "gamma": 16.0}),
        (LDM, {"C": 10.0, "lambda1": 1024.0, "lambda2": 0.0}, {"kernel": "rbf", "gamma": 4.0}),
        (SVRClassifier, {"C": 2.0**-7, "epsilon": 0.95}, {"kernel": "rbf", "gamma": 1.0}),
        (SVRClassifier, {"C": 2.0**-7, "epsilon": 0.95}, {"kernel": "linear"}),
    ],
    ids=["no hinge", "large prices", "no mean", "a wide tube", "a wide tube in the features"],
)
def test_no_gap_is_less_than_the_distance_to_the_optimum_in_forty_digits(machine, chosen, kernel):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:20], y[:20]
    model = machine(**chosen, **kernel).fit(X, y)
    key = next(key for key, method in METHODS.items() if method.estimator is machine)
    far = distance(model, key, chosen, X, y)
    assert model.converged_
    assert 0.0 <= far <= model.gap_ <= 1e-6


def test_a_model_short_of_its_optimum_is_seen_to_be():
    """The check can fail: for another cost the same model is far from the optimum."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:20], y[:20]
    model = LDM(C=1.0).fit(X, y)
    right = {"C": 1.0, "lambda1": 16.0, "lambda2": 16.0}
    assert distance(model, "ldm", right, X, y) <= model.gap_ < 1e-3 < distance(model, "ldm", right | {"C": 0.1}, X, y)
