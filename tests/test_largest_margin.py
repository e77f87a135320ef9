"""The bounds on the largest margin, compared with a conic solver."""

from __future__ import annotations

import numpy as np
import pytest

from mdcore import PUMMA, load_dataset
from mdcore.solvers.largest_margin import largest_margin
from mdcore.solvers.pnorm import dual_exponent
from tests.oracles import NormMarginProblem
from tests.streams import NORMS, SEPARABLE, moons, over_norms, over_separable, settled, split


@over_separable
@over_norms
def test_it_is_that_of_the_conic_solver(optima, name, norm):
    X, y = SEPARABLE[name]
    p = NORMS[norm](X.shape[1])
    unit = {"tiny": 1e8}.get(name, 1.0)
    centre = X.mean(axis=0)  # large coordinates make the conic solver inaccurate, but do not change the margin
    found = largest_margin(X, y, p)
    assert found.gap <= 1e-8
    (best,) = optima(NormMarginProblem((X - centre) * unit, y, p))
    assert found.lower == pytest.approx(best / unit, rel=1e-6)


@pytest.mark.parametrize("p", [2.0, 2.5, 20.0, 100.0])
def test_other_norms_too(p):
    X, y = SEPARABLE["plain"]
    assert largest_margin(X, y, p).gap <= 1e-8
    assert largest_margin(1e-9 * X, y, p).lower == pytest.approx(1e-9 * largest_margin(X, y, p).lower, rel=1e-7)


@over_norms
def test_no_hyperplane_is_above_the_upper_bound(norm):
    rng = np.random.default_rng(0)
    X, y = SEPARABLE["plain"]
    p = NORMS[norm](X.shape[1])
    best, model = largest_margin(X, y, p), settled(PUMMA(p, 0.01), X, y)
    for _ in range(200):
        w = model.coef_[0] + 0.05 * rng.normal(size=X.shape[1]) * np.abs(model.coef_).max()
        f = y * (X @ w)
        margin = (f[y > 0].min() + f[y < 0].min()) / 2.0 / np.linalg.norm(w, dual_exponent(p))
        assert margin <= best.upper
    assert best.lower >= model.margin_ * (1.0 - 1e-9)


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_without_a_bias_the_hyperplane_goes_through_the_origin(optima, p):
    X, y = split(50, 4, seed=3)
    # every row and its mirror image in the other class
    (best,) = optima(NormMarginProblem(np.r_[X, -X], np.r_[y, -y], p))
    assert largest_margin(X, y, p, bias=False).lower == pytest.approx(best, rel=1e-6)


def test_the_soft_margin_is_a_feature_of_its_own_for_every_row():
    X, y = moons()
    wide = largest_margin(np.hstack([X, np.sqrt(0.7) * np.eye(len(y))]), y)
    assert largest_margin(X, y, soft=0.7).lower == pytest.approx(wide.lower, rel=1e-7)
    assert largest_margin(X, y, soft=0.7).gap <= 1e-8


@pytest.mark.parametrize("p", [2.0, 3.0, 9.21])
def test_hulls_that_meet_have_no_margin(p):
    X, y = moons()
    for rows, labels in ((X, y), (np.ones((4, 2)), np.array([1.0, -1.0, 1.0, -1.0]))):
        found = largest_margin(rows, labels, p)
        assert found.inseparable
        assert found.lower <= 0.0
        assert found.upper <= 1e-6 * np.abs(rows).max()
    X, y = SEPARABLE["plain"]
    assert not largest_margin(X, y, p).inseparable


@pytest.mark.parametrize("r", [1, 8])
def test_the_papers_data_are_certified(r):
    data = load_dataset("threshold", n=1000, features=100, k=16, r=r, seed=0)
    for p in (2.0, 2.0 * np.log(100)):
        assert largest_margin(data.X, data.y.astype(float), p).gap <= 1e-6
    if r == 8:  # rows with 8 and 7 of 16 entries equal to +1, which differ by 2 along (1, ..., 1)
        assert largest_margin(data.X, data.y.astype(float)).lower == pytest.approx(1.0 / np.sqrt(16), rel=1e-6)
