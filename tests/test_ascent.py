"""Coordinate ascent on the dual while kernel values are streamed: what it says of v'Kv, and that it only gains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mdcore import LDM, MCSVM, ODM, SVM
from mdcore.solvers import ascent
from mdcore.solvers.ascent import ClassForces, MarginForces, ascend, balanced
from mdcore.solvers.class_block import ClassLoss
from mdcore.solvers.losses import band, hinge, squares, tube
from mdcore.spaces.kernels import Kernel

KERNEL = Kernel("rbf", 0.4, bias=False)
M = 60


def rows(m=M, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=m) > 0.0, 1.0, -1.0)


def margin_forces(loss, y, bias=None):
    a = loss.clip(np.random.default_rng(1).uniform(-0.3, 1.0, len(y)))
    return MarginForces(loss, y, a, bias)


def class_forces(y, weight):
    codes = (y > 0.0) + np.arange(len(y)) % 2
    a = -np.random.default_rng(1).uniform(0.0, 0.3, (len(y), 3))
    a[np.arange(len(y)), codes] = 0.0
    a[np.arange(len(y)), codes] = -a.sum(axis=1)
    return ClassForces(ClassLoss(1.0, 0.0, 1.0, 1.0, 1.0), weight, codes, a)


def every_kind(y):
    weight = np.random.default_rng(2).uniform(0.7, 2.0, len(y))
    yield margin_forces(hinge(weight), y)
    yield margin_forces(band(weight, 0.4 * weight, 0.3), y)
    for bias in (None, 0.2):
        yield margin_forces(tube(weight, 0.1), y, bias)
        yield margin_forces(squares(weight), y, bias)
    yield class_forces(y, weight)


def dual_value(forces, v, K):
    return forces.value - 0.5 * float(np.vdot(v, K @ v))


@pytest.mark.parametrize("block", [3 * M, 7 * M, 2**21])
@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_the_value_rises_and_both_quadratic_forms_are_those_of_the_whole_matrix(block, constant, monkeypatch):
    monkeypatch.setattr(ascent, "BLOCK", block)
    X, y = rows()
    K, others = KERNEL(X, X), 0.1 * y
    for forces in every_kind(y):
        v = forces.coefficients + (others if forces.a.ndim == 1 else others[:, None])
        found, before, after = ascend(KERNEL, X, v, forces, constant)
        moved = v + found.coefficients - forces.coefficients
        assert before == pytest.approx(np.vdot(v, K @ v), rel=1e-12)
        assert after == pytest.approx(np.vdot(moved, K @ moved), rel=1e-12)
        assert dual_value(found, moved, K + constant) > dual_value(forces, v, K + constant)


def test_the_dual_variables_stay_feasible(monkeypatch):
    monkeypatch.setattr(ascent, "BLOCK", 7 * M)
    X, y = rows()
    for forces in every_kind(y):
        found, *_ = ascend(KERNEL, X, forces.coefficients, forces, 0.0)
        if isinstance(forces, ClassForces):
            own = found.codes[:, None] == np.arange(3)
            np.testing.assert_allclose(found.a.sum(axis=1), 0.0, atol=1e-12)
            assert (found.a[~own] <= 0.0).all()
            assert (found.a[own] <= forces.weight * (1.0 + 1e-12)).all()
        else:
            np.testing.assert_allclose(found.a, forces.loss.clip(found.a), atol=1e-12)
        if getattr(forces, "bias", None) is not None:
            assert found.coefficients.sum() == pytest.approx(forces.coefficients.sum(), abs=1e-12)


@pytest.mark.parametrize("block", [7 * M, 2**21])
def test_repeated_ascent_ends_at_the_exact_machine(block, monkeypatch):
    monkeypatch.setattr(ascent, "BLOCK", block)
    X, y = rows()
    nothing = MarginForces(hinge(np.full(M, 2.0)), y, np.zeros(M), None)
    lam = 10.0 / M
    cases = [
        (SVM(2.0, gamma=0.4), y, nothing),
        (
            ODM(10.0, 0.5, 0.2, gamma=0.4),
            y,
            replace(nothing, loss=band(*[np.full(M, c * lam / 0.64) for c in (1, 0.5)], 0.2)),
        ),
    ]
    several = class_forces(y, np.ones(M))
    cases.append((MCSVM(1.0, gamma=0.4), several.codes, several))
    for machine, labels, forces in cases:
        K = KERNEL(X, X) + 1.0
        for _ in range(150):
            forces, *_ = ascend(KERNEL, X, forces.coefficients, forces, 1.0)
        best = machine.fit(X, labels).objective_
        assert dual_value(forces, forces.coefficients, K) == pytest.approx(best, rel=1e-4)


def test_the_part_of_the_coefficients_that_stays_is_not_forgotten():
    """The exact LDM's dual variables are optimal for its margins, so that nothing is gained."""
    X, y = rows()
    machine = LDM(2.0, 3.0, 1.0, gamma=0.4, tol=1e-10).fit(X, y)
    forces = MarginForces(hinge(np.full(M, 1.0)), y, machine.beta_, None)
    found, *_ = ascend(KERNEL, X, machine.dual_coef_, forces, 1.0)
    np.testing.assert_allclose(found.a, machine.beta_, atol=1e-3)
    alone, *_ = ascend(KERNEL, X, forces.coefficients, forces, 1.0)
    assert np.abs(alone.a - machine.beta_).max() > 0.1


def test_balanced_changes_sum_to_zero_and_none_is_larger():
    rng = np.random.default_rng(0)
    for change in (rng.normal(1.0, 1.0, 30), rng.normal(-1.0, 1.0, 30), np.ones(3), -np.ones(3), np.zeros(2)):
        kept = balanced(change)
        assert kept.sum() == pytest.approx(0.0, abs=1e-12)
        assert (kept * change >= 0.0).all()
        assert (np.abs(kept) <= np.abs(change) * (1.0 + 1e-12)).all()
    np.testing.assert_allclose(balanced(np.array([2.0, -1.0])), [1.0, -1.0])


def test_a_row_without_length_is_no_obstacle():
    X, y = rows()
    X[0] = 0.0
    kernel = Kernel("poly", 0.5, 2, 0.0, bias=False)
    for forces in every_kind(y):
        found, _, after = ascend(kernel, X, forces.coefficients, forces, 0.0)
        assert np.isfinite(found.a).all()
        assert np.isfinite(after)
