"""Kernel machines in the features of landmarks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

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
)
from mdcore.methods.ecoc import ECOC
from mdcore.methods.landmarks import TARGET
from mdcore.methods.ova import OVA
from mdcore.methods.ovo import OVO
from mdcore.solvers.features import Features
from mdcore.spaces import landmarks
from mdcore.spaces.exact_gap import residual_bounds
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.landmarks import LandmarkSpace
from tests.batch import close
from tests.landmark_samples import MACHINES, distance, noisy, over_machines, several


@pytest.mark.parametrize("machine", [MCODM, MCSVM, OVA, OVO, ECOC])
def test_several_classes_end_at_the_exact_machine(machine):
    X, y = several(100, 4)
    exact, model = (machine(gamma=0.3, landmarks=count).fit(X, y) for count in (None, 100))
    close(model.decision_function(X), exact.decision_function(X), 1e-3)
    close(model.distance_norms_, exact.distance_norms_, 1e-3)
    kept = model.margins_of_fit(X, y)
    close(kept.functional, model.margins(X, y), 1e-9)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(copy.exact_gap_, model.exact_gap_)


@pytest.mark.parametrize("machine", [ODM, LSSVM, MAMC, EMAMC, KOMD])
def test_three_thousand_rows_end_near_the_exact_machine(machine):
    X, y = noisy(3000)
    exact, model = (machine(gamma=0.3, landmarks=count).fit(X, y) for count in (None, 400))
    far = distance(model, exact)
    assert -1e-6 <= (-far if machine is KOMD else far) <= model.exact_gap_ <= 0.05  # landmarks bring hulls closer
    assert np.mean(model.predict(X) == exact.predict(X)) >= 0.98


@pytest.mark.parametrize("machine", [*MACHINES, MAMC, KOMD, EMAMC])
def test_all_rows_as_landmarks_are_the_exact_machine(machine):
    X, y = noisy(60)
    X[::3] = X[1]  # near duplicates add nothing
    X[::6] += 1e-9
    exact, model = (machine(gamma=0.3, landmarks=count).fit(X, y) for count in (None, 60))
    assert len(model.landmarks_) < 60
    assert model.exact_gap_ <= 1e-5
    close(model.decision_function(X), exact.decision_function(X), 1e-3)
    assert model.norm_ == pytest.approx(exact.norm_, rel=1e-3)


def test_landmarks_are_rows_and_more_of_them_begin_with_the_same():
    X, _ = noisy(300)
    few, many = (LandmarkSpace(X, Kernel("rbf", 0.3), count) for count in (20, 60))
    wider = few.wider(60)
    np.testing.assert_array_equal(wider.landmarks[:20], few.landmarks)
    assert len(set(many.landmarks)) == 60
    close(wider.features(False).Z[:, :20], few.features(False).Z, 1e-9)
    left = Kernel("rbf", 0.3, bias=False)(X, X) - many.features(False).Z @ many.features(False).Z.T
    assert np.linalg.eigvalsh(left).min() >= -1e-9
    np.testing.assert_allclose(many.residuals(np.arange(300)), np.maximum(np.diagonal(left), 0.0), atol=1e-9)


@pytest.mark.parametrize("repeated", [0.5, 0.9])
def test_rows_that_are_nearly_repeated_are_not_drawn_again(repeated):
    X, _ = noisy(2000)
    rows = np.arange(2000) < 2000 * repeated
    X[rows] = 1.0 + 1e-3 * X[rows]
    drawn = LandmarkSpace(X, Kernel("rbf", 0.3), 50).landmarks
    assert len(drawn) == 50
    assert rows[drawn].sum() <= 5


def test_outlying_rows_are_drawn_no_more_often_than_others():
    X, _ = noisy(4000)
    far = np.arange(4000) % 20 == 0
    X[far] *= 30.0
    drawn = [LandmarkSpace(X, Kernel("rbf", 0.3), count).landmarks for count in (40, 100)]
    assert all(far[some].mean() <= 0.3 for some in drawn)


def test_single_precision_says_how_far_it_is_off():
    X, _ = noisy(400)
    space, v = LandmarkSpace(X + 3.0, Kernel("rbf", 0.3), 40), np.random.default_rng(0).normal(size=400)
    whole, quick = residual_bounds(space, v), residual_bounds(space, v, entries=60_000)
    assert quick.low != whole.low
    assert quick.low <= whole.low <= quick.high <= 1.001 * whole.low


@over_machines
@pytest.mark.parametrize("gamma", [0.3, 0.003])  # tiny kernel values are distinguished, too
@pytest.mark.parametrize("kept", [True, False])
def test_single_precision_certifies_the_model_that_predicts(machine, gamma, kept, monkeypatch):
    X, y = noisy(400)
    double = machine(gamma=gamma, landmarks=50).fit(X, y)
    monkeypatch.setattr(landmarks, "SINGLE", 0)
    monkeypatch.setattr(landmarks, "KEPT", 2**25 if kept else 0)
    single = machine(gamma=gamma, landmarks=50).fit(X, y)
    assert single.converged_
    assert single.objective_ == pytest.approx(double.objective_, rel=1e-5)
    assert single.exact_gap_ == pytest.approx(double.exact_gap_, rel=1e-3, abs=2e-6)  # in addition to the gaps
    np.testing.assert_allclose(single.margins(X, y).mean(), double.margins(X, y).mean(), rtol=1e-3)


@over_machines
def test_what_single_precision_does_not_reach_is_reached_in_double(machine, monkeypatch):
    X, y = noisy(400)
    monkeypatch.setattr(landmarks, "SINGLE", 0)
    monkeypatch.setattr(landmarks, "SHARP", np.inf)  # products lose significant digits
    model = machine(gamma=0.003, landmarks=50, warm_start=True).fit(X, y)
    assert model.gap_ <= 1e-6
    assert not model._space_.features(True).single
    monkeypatch.setattr(landmarks, "KEPT", 0)
    assert machine(gamma=0.003, landmarks=50).fit(X, y).gap_ > 1e-6


@over_machines
def test_a_moved_parameter_ends_where_a_cold_fit_does(machine, monkeypatch):
    """This holds whatever is reused from the previous fit: forces, margins, sums over the rows."""
    X, y = noisy(12_000)
    monkeypatch.setattr(landmarks, "SINGLE", 0)
    held = machine(gamma=0.3, landmarks=40, warm_start=True).fit(X, y)
    moves = [{name: 2.0 * held.get_params()[name]} for name in held.settings()]
    for move in [*moves, {"class_weight": {-1: 1.0, 1: 3.0}}, {"class_weight": None}]:
        held.set_params(**move).fit(X, y)
        assert held.gap_ <= 1e-6
        cold = clone(held).set_params(warm_start=False).fit(X, y)
        assert held.objective_ == pytest.approx(cold.objective_, rel=3e-6)
    turned = clone(held).set_params(warm_start=False).fit(X, -y)
    assert held.fit(X, -y).objective_ == pytest.approx(turned.objective_, rel=3e-6)


def test_a_gap_of_single_precision_is_that_of_its_weights_in_double(monkeypatch):
    """Compute it from the primal value of the weights and the dual value of the forces, without the solver's state."""
    X, y = noisy(12_000)
    monkeypatch.setattr(landmarks, "SINGLE", 0)
    model = LDM(2.0, 3.0, 1.0, gamma=0.3, landmarks=40, warm_start=True).fit(X, y)
    for C in (2.0, 2.5, 0.1):
        model.set_params(C=C).fit(X, y)
        monkeypatch.setattr(landmarks, "SINGLE", 2**40)
        Z = LandmarkSpace(X, model._space_.kernel, 40).features(True).Z
        monkeypatch.setattr(landmarks, "SINGLE", 0)
        assert Z.dtype == np.float64
        g = model.margins(X, y)
        S, p = y[:, None] * Z, np.full(len(y), 1.0 / len(y))
        u = model.beta_ + 3.0 * p - 8.0 * p * (g - g.mean())
        dual = model.beta_.sum() - 4.0 * g.var() - 0.5 * np.square(S.T @ u).sum()
        primal = 0.5 * model.norm_**2 + 4.0 * g.var() - 3.0 * g.mean() + C * np.maximum(1.0 - g, 0.0).sum()
        assert model.objective_ == pytest.approx(primal, rel=1e-9)
        assert 0.0 <= primal - dual <= 1.01e-6 * primal


def test_a_moved_weight_of_the_mean_takes_no_pass_over_the_features(monkeypatch):
    X, y = noisy(12_000)
    monkeypatch.setattr(landmarks, "SINGLE", 0)
    model = LDM(1.0, 1.0, 1.0, gamma=0.3, landmarks=40, warm_start=True).fit(X, y)
    passes = []
    for name in ("scores", "pull"):
        whole = getattr(Features, name)
        monkeypatch.setattr(Features, name, lambda Z, a, whole=whole: passes.append(len(Z)) or whole(Z, a))
    model.set_params(lambda2=1.0 + 1e-3).fit(X, y)
    assert 12_000 not in passes
    assert model.gap_ <= 1e-6
    model.set_params(C=2.0).fit(X, y)
    assert 0 < passes.count(12_000) <= 8


@pytest.mark.parametrize("machine", [*MACHINES, MAMC, KOMD, EMAMC])
def test_auto_says_what_ended_it(machine, monkeypatch):
    X, y = noisy(400)
    smooth = machine(gamma=0.05, landmarks="auto").fit(X, y)
    assert smooth.landmarks_end_ == "target"
    assert smooth.exact_gap_ <= TARGET
    rough = machine(gamma=50.0, landmarks="auto")
    monkeypatch.setattr("mdcore.methods.landmarks.MOST_WORK", 1e7)
    assert rough.fit(X, y).landmarks_end_ == "budget"
    assert rough.exact_gap_ > TARGET
    assert len(rough.landmarks_) <= 160
    X[:] = X[np.arange(400) % 5]
    assert machine(gamma=1.0, landmarks="auto").fit(X, y).landmarks_end_ == "rank"


@over_machines
def test_a_warm_start_and_a_copy_are_the_same_model(machine):
    X, y = noisy(300)
    model = machine(gamma=0.3, landmarks=40, warm_start=True).fit(X, y)
    name = "C" if "C" in model.get_params() else "lam"
    model.set_params(**{name: 3.0}).fit(X, y)
    cold = clone(model).set_params(warm_start=False).fit(X, y)
    close(model.decision_function(X), cold.decision_function(X), 1e-4)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert copy.exact_gap_ == model.exact_gap_
    model.set_params(landmarks=None).fit(X, y)
    assert not hasattr(model, "landmarks_")
    assert model.exact_gap_ == model.gap_


def test_rows_of_no_weight_are_no_landmarks():
    X, y = noisy(200)
    weight = np.where(np.arange(200) % 2, 1.0, 0.0)
    model = SVM(gamma=0.3, landmarks=30).fit(X, y, sample_weight=weight)
    assert (model.landmarks_ % 2 == 1).all()
    assert (model.support_ % 2 == 1).all()
    np.testing.assert_array_equal(X[model.landmarks_], model.X_fit_)


@pytest.mark.parametrize("wrong", [0, -3, 2.5, "many", True])
def test_what_landmarks_may_be_is_said(wrong):
    with pytest.raises(ValueError, match="landmarks must be None, 'auto' or an integer of at least 1"):
        SVM(landmarks=wrong).fit(*noisy(30))


def test_a_given_matrix_needs_no_landmarks():
    X, y = noisy(30)
    with pytest.raises(ValueError, match="Set landmarks=None"):
        SVM(kernel="precomputed", landmarks=5).fit(X @ X.T, y)
