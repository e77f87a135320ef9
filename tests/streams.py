"""Separable streams, and the learners that the tests of online methods run on them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mdcore import ALMA, MICRA, PUMMA, ROMMA
from tests.oracles import sample

LEARNERS = [PUMMA(), PUMMA(p=3.0), PUMMA(p=9.21), ROMMA(), ALMA(), ALMA(p=4.0), MICRA()]
KERNELS = [PUMMA(kernel="rbf", gamma=1.0), PUMMA(soft=0.5), PUMMA(kernel="rbf", gamma=1.0, soft=0.5)]
over_learners = pytest.mark.parametrize("model", LEARNERS, ids=str)
over_all = pytest.mark.parametrize("model", LEARNERS + KERNELS, ids=str)


def split(n, d, *, seed=0, gap=0.5, shift=0.0, scale=1.0):
    """Return normal rows on both sides of a hyperplane, at least `gap` away from it, shifted and then scaled."""
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
    """Return the fitted model; fail if the fit raises a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        return clone(model).set_params(max_iter=200_000).fit(X, y)
