"""ODM's solver: coordinate sweeps if they converge, and the same optimum if they do not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from mdcore import ODM
from mdcore.solvers import odm


@pytest.fixture(scope="module")
def noisy():
    return make_moons(400, noise=0.3, random_state=0)


def _factors(monkeypatch):
    made = []
    factor = odm.cholesky
    monkeypatch.setattr(odm, "cholesky", lambda A: made.append(len(A)) or factor(A))
    return made


@pytest.mark.parametrize("lam", [2.0**-10, 1.0, 16.0])
def test_a_small_lambda_needs_no_factorisation(lam, noisy, monkeypatch):
    made = _factors(monkeypatch)
    model = ODM(lam=lam, gamma=1.0).fit(*noisy)
    assert model.converged_
    assert model.gap_ <= 1e-10
    assert made == []


def test_a_large_lambda_is_left_to_newton_before_sweeps_crawl(noisy, monkeypatch):
    made, sweeps = _factors(monkeypatch), []
    sweep = odm.coordinate_sweeps
    monkeypatch.setattr(odm, "coordinate_sweeps", lambda *parts: sweeps.append(parts[-2]) or sweep(*parts))
    model = ODM(lam=2.0**16, gamma=1.0).fit(*noisy)
    assert model.gap_ <= 1e-8
    assert 1 <= len(made) <= 15
    assert sum(sweeps) <= 40


@pytest.mark.parametrize("lam", [1.0, 32.0, 1024.0, 2.0**16])
@pytest.mark.parametrize(("tol", "apart"), [(0.0, 1e-5), (1e-12, 1e-5), (1e-3, 1e-2)])
def test_every_tolerance_leads_to_the_same_optimum(lam, tol, apart, noisy):
    best, model = ODM(lam=lam, gamma=1.0).fit(*noisy), ODM(lam=lam, gamma=1.0, tol=tol).fit(*noisy)
    assert model.objective_ == pytest.approx(best.objective_, rel=max(tol, 1e-9))
    np.testing.assert_allclose(model.decision_function(noisy[0]), best.decision_function(noisy[0]), atol=apart)
