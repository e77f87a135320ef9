"""Samples, kernels and machines of the tests in landmark features."""

from __future__ import annotations

import numpy as np
import pytest

from mdcore import LDM, LSSVM, ODM, SVM, SVRClassifier

MACHINES = [SVM, LDM, ODM, LSSVM, SVRClassifier]
over_machines = pytest.mark.parametrize("machine", MACHINES)
KERNELS = [{"kernel": "rbf", "gamma": 0.3}, {"kernel": "laplacian", "gamma": 0.5}, {"kernel": "poly", "gamma": 0.5}]


def noisy(m, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    return X, np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, -1] + 0.5 * rng.normal(size=m) > 0.0, 1, -1)


def several(m, k=3, seed=0):
    X, _ = noisy(m, 3, seed)
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * np.random.default_rng(seed).normal(size=m)
    return X, np.digitize(f, np.quantile(f, np.arange(1, k) / k))


def distance(model, exact):
    return (model.objective_ - exact.objective_) / abs(exact.objective_)
