"""The bound on the distance of a model in landmark features from the optimum of the exact kernel problem holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mdcore import (
    EMAMC,
    KOMD,
    LDM,
    LSSVM,
    MAMC,
    MCODM,
    MCSVM,
    ODM,
    SVM,
    MSVMAv,
    SVRClassifier,
)
from mdcore.methods.ecoc import ECOC
from mdcore.methods.one_versus_rest import OneVersusRest
from mdcore.methods.ova import OVA
from mdcore.methods.ovo import OVO
from mdcore.solvers import ascent
from mdcore.spaces import exact_gap
from mdcore.spaces.exact_gap import relative_distance, residual_bounds
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.landmarks import LandmarkSpace
from tests.landmark_samples import KERNELS, MACHINES, distance, noisy, over_machines, several
from tests.oracles import LDMProblem, square_root


@over_machines
@pytest.mark.parametrize("seed", range(5))
def test_the_bound_is_never_below_the_real_distance(machine, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(ascent, "BLOCK", (2**8, 2**11, 2**21)[seed % 3])
    X, y = noisy(int(rng.integers(60, 160)), int(rng.integers(2, 6)), seed)
    scale = {"C": 10.0 ** rng.uniform(-2, 2)} if "C" in machine().get_params() else {"lam": 10.0 ** rng.uniform(0, 4)}
    weight = rng.uniform(0.1, 2.0, len(y)) if seed % 2 else None
    for kernel in KERNELS:
        exact = machine(**scale, **kernel).fit(X, y, sample_weight=weight)
        for count in (3, 15, 50):
            model = machine(**scale, **kernel, landmarks=count).fit(X, y, sample_weight=weight)
            assert model.gap_ <= 1e-6
            assert distance(model, exact) <= model.exact_gap_ + 1e-6
            assert distance(model, exact) >= -1e-6


@pytest.mark.parametrize("machine", [MAMC, KOMD, EMAMC])
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_as_large_as_the_distance_of_values(machine, seed):
    rng = np.random.default_rng(seed)
    X, y = noisy(int(rng.integers(60, 160)), int(rng.integers(2, 6)), seed)
    chosen = {KOMD: {"lam": rng.uniform(0.01, 1.0)}, EMAMC: {"C": 10.0 ** rng.uniform(-2, 2)}, MAMC: {"slope": 2.0}}
    for kernel in KERNELS:
        exact = machine(**chosen[machine], **kernel).fit(X, y)
        for count in (3, 15, 50):
            model = machine(**chosen[machine], **kernel, landmarks=count).fit(X, y)
            assert model.converged_
            assert abs(distance(model, exact)) <= model.exact_gap_ + 1e-6


@pytest.mark.parametrize("machine", [MCSVM, OVA, OVO, ECOC])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_bound_of_several_classes(machine, classes, monkeypatch):
    monkeypatch.setattr(ascent, "BLOCK", 2**11)
    X, y = several(120, classes)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    for kernel in KERNELS:
        exact = machine(2.0, **kernel).fit(X, y, sample_weight=weight)
        for count in (4, 40):
            model = machine(2.0, **kernel, landmarks=count).fit(X, y, sample_weight=weight)
            assert model.gap_ <= 1e-6
            assert -1e-6 <= distance(model, exact) <= model.exact_gap_ + 1e-6


def test_a_problem_that_is_not_convex_has_no_bound():
    X, y = several(90)
    for count in (None, 20):
        assert np.isnan(MCODM(4.0, gamma=0.3, landmarks=count).fit(X, y).exact_gap_)
    two = MCODM(4.0, gamma=0.3, landmarks=20).fit(X, y > 0)
    exact = ODM(8.0, gamma=0.3).fit(X, y > 0)
    assert -1e-6 <= two.objective_ / (0.5 * exact.objective_) - 1.0 <= two.exact_gap_
    assert np.isnan(MSVMAv(gamma=0.3, landmarks=20).fit(X, y > 0).exact_gap_)


def test_one_model_for_each_class_has_the_distance_of_their_sum():
    X, y = several(150)
    for machine in (SVM, LDM, ODM, KOMD, EMAMC):
        exact, model = (OneVersusRest(machine(gamma=0.3, landmarks=count)).fit(X, y) for count in (None, 30))
        assert abs(distance(model, exact)) <= model.exact_gap_ + 1e-6
        assert model.exact_gap_ <= max(part.exact_gap_ for part in model.estimators_)
        assert model.exact_gap_confidence_ == 1.0
        W = [part.decision_function(X) for part in model.estimators_]
        assert model.distance_norms_.shape == (3, 3)
        assert (model.distance_norms_[np.triu_indices(3, 1)] > 0.0).all()
        assert np.argmax(W, axis=0).tolist() == model.predict(X).tolist()


def test_a_rare_class_without_a_bound_leaves_one_to_the_sum():
    X, _ = noisy(600, 3)
    f = np.sin(2.0 * X[:, 0]) + X[:, 1]
    y = np.digitize(f, np.quantile(f, [0.5, 0.9, 0.99]))
    exact, model = (OneVersusRest(LDM(gamma=1.0, landmarks=count)).fit(X, y) for count in (None, 20))
    assert np.isinf(max(part.exact_gap_ for part in model.estimators_))
    assert distance(model, exact) <= model.exact_gap_ < np.inf
    quick, sure = model.quick_exact_gap(2**12)
    assert (quick, sure) == (model.exact_gap_, 1.0)  # what is known is not asked again


@pytest.mark.parametrize("machine", [*MACHINES, MCSVM])
def test_better_dual_variables_halve_a_loose_bound_and_loosen_none(machine, monkeypatch):
    monkeypatch.setattr(ascent, "BLOCK", 2**15)
    X, y = noisy(400)
    scale = {"lam": 1000.0} if machine is ODM else {"C": 10.0}
    for gamma, share in ((0.3, 0.55), (0.003, 1.0 + 1e-3)):
        model = machine(**scale, gamma=gamma, landmarks=60).fit(X, y)
        own = replace(model._exact_, forces=None).distance()
        assert model.exact_gap_ <= share * own.high


@pytest.mark.parametrize("machine", [LSSVM, SVRClassifier])
def test_a_free_bias_is_no_obstacle_to_better_dual_variables(machine, monkeypatch):
    monkeypatch.setattr(ascent, "BLOCK", 2**14)
    X, _ = noisy(400)
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, -1]
    model = machine(C=0.3, gamma=0.3, landmarks=30).fit(X, f > np.quantile(f, 0.1))
    assert model.offset_ > 0.5
    assert model.exact_gap_ <= 0.77 * replace(model._exact_, forces=None).distance().high


def test_values_that_are_only_drawn_need_no_dual_variables(monkeypatch):
    monkeypatch.setattr(exact_gap, "ENTRIES", 2**12)
    X, y = noisy(400)
    model = LDM(gamma=0.3, landmarks=30, kernel="laplacian").fit(X, y)
    assert model._exact_.forces is None
    monkeypatch.setattr(exact_gap, "ENTRIES", 2**28)
    assert len(LDM(gamma=0.3, landmarks=30, kernel="laplacian").fit(X, y)._exact_.forces.a) == 400


def test_a_mean_that_draws_leaves_a_bound():
    X, y = noisy(400, 6)
    exact, model = (LDM(1.0, 1.0, 10.0, gamma=2.0, landmarks=count).fit(X, y) for count in (None, 20))
    assert distance(model, exact) <= model.exact_gap_ < np.inf


def test_the_bound_holds_beside_a_conic_solver(optima):
    X, y = noisy(500)
    F = square_root(Kernel("rbf", 0.3)(X, X))
    _, best = optima(LDMProblem(F, y, C=2.0))
    for count in (30, 120):
        model = SVM(2.0, gamma=0.3, landmarks=count).fit(X, y)
        assert 0.0 <= (model.objective_ - best) / best <= model.exact_gap_


@pytest.mark.parametrize("seed", range(10))
def test_an_estimated_distance_lies_in_its_interval(seed):
    rng = np.random.default_rng(seed)
    X, _ = noisy(400, seed=seed)
    space = LandmarkSpace(X, Kernel("laplacian", 0.5), 40)
    v = rng.normal(size=400) * rng.integers(0, 2, 400)
    whole = residual_bounds(space, v)
    assert whole.confidence == 1.0
    part = residual_bounds(space, v, entries=10_000, seed=seed)
    assert part.confidence < 1.0
    assert part.low <= whole.low <= part.high
    spanned = np.sum((space.features(False).Z.T @ v) ** 2)
    assert whole.low == pytest.approx(v @ (space.raw(X, X) @ v) - spanned, rel=1e-6)


def test_an_optimum_that_may_be_zero_has_no_relative_distance():
    assert relative_distance(1.0, -1.0) == np.inf
    assert relative_distance(1.0, 0.5) == 1.0
    assert relative_distance(-1.0, -2.0) == 1.0
    assert exact_gap.relative_distance(1.0, 1.0) == 0.0


@pytest.mark.parametrize("machine", [SVM, LDM, ODM])
def test_a_bound_from_few_kernel_values_is_no_tighter_than_that_of_all(machine):
    X, y = noisy(1500)
    model = machine(gamma=0.3, landmarks=30).fit(X, y)
    quick, sure = model.quick_exact_gap(2**12)
    assert 0.98 < sure < 1.0
    assert quick >= model.exact_gap_
    assert model.exact_gap_confidence_ == 1.0
    assert model.quick_exact_gap(2**12) == (model.exact_gap_, 1.0)  # what is known is not asked again
