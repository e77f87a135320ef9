"""A time budget ends a solver early, is reported, and changes nothing else; cancelled work has no result."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mdcore import METHODS, Experiment
from mdcore.experiment import picture_fits
from mdcore.experiment.result_caches import clear_caches
from mdcore.serving.stage.live import run_all
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.solvers.budget import Stopped, over_budget, raise_if_stopped, stoppable, time_budget
from mdcore.spaces.costs import Pace

CLOSED_FORM = {"mamc", "emamc"}  # they have no iterations at which to stop
HARD = "data=moons&n=120&noise=0.4&seed=3&gamma=4&scaling=unit"


def hard_rows() -> tuple[NDArray[np.float64], NDArray[Any]]:
    prepared = Experiment.from_query(HARD).prepare()
    return prepared.X_train, prepared.y_train


def test_alone_a_solver_has_no_budget() -> None:
    assert not over_budget()
    with time_budget(0.0):
        assert over_budget()
    assert not over_budget()


def test_a_method_is_refused_for_its_classes_before_it_is_for_its_size() -> None:
    failures = run_all(Experiment.from_query("data=blobs-k&each=800&classes=8&methods=pumma"))[1]
    assert "the data have 8" in failures["pumma"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", METHODS)
def test_a_fit_without_time_is_whole_or_says_that_it_was_cut(method: str) -> None:
    experiment = Experiment.from_query(f"{HARD}&methods={method}")
    clear_caches()
    cut, whole = experiment.run_method(method, 0.0), experiment.run_method(method)
    assert np.isfinite(cut.train.values).all()
    if cut.fit.cut:
        assert not cut.model.converged_
        assert cut.model.status_
        assert cut.model.n_iter_ <= whole.model.n_iter_
    else:
        assert cut.model.converged_ == whole.model.converged_
    assert not whole.fit.cut


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_some_fits_are_cut() -> None:
    """Otherwise the previous test would be vacuous."""
    clear_caches()
    experiment = Experiment.from_query(f"{HARD}&methods=pumma")
    assert {key for key in METHODS if experiment.run_method(key, 0.0).fit.cut} >= {"fmm", "pumma", "msvmav"}


def test_plenty_of_time_changes_nothing() -> None:
    experiment = Experiment.from_query(f"{HARD}&methods=ldm")
    timed = experiment.run_method("ldm", 1e6)
    clear_caches()
    alone = experiment.run_method("ldm", math.inf)
    assert timed.fit is not alone.fit
    assert (timed.model.dual_coef_ == alone.model.dual_coef_).all()


class Patience:
    """A budget that runs out after a number of queries."""

    def __init__(self, allowed: float) -> None:
        self.allowed = allowed
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked > self.allowed


def test_alone_nothing_is_called_off() -> None:
    raise_if_stopped()
    with stoppable(lambda: True), pytest.raises(Stopped):
        raise_if_stopped()
    with stoppable(lambda: True), pytest.raises(Stopped):
        over_budget()
    raise_if_stopped()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", sorted(set(METHODS) - CLOSED_FORM))
def test_a_fit_that_is_called_off_does_not_take_another_step(method: str) -> None:
    model, (X, y) = METHODS[method].estimator(), hard_rows()
    whole = Patience(math.inf)
    with stoppable(whole):
        model.fit(X, y)
    assert whole.asked
    for allowed in (0, whole.asked // 2, whole.asked - 1):
        patience = Patience(allowed)
        with stoppable(patience), pytest.raises(Stopped):
            model.fit(X, y)
        assert patience.asked == allowed + 1


def test_the_methods_of_a_picture_share_its_time() -> None:
    clear_caches()
    runs, _ = run_all(Experiment.from_query("data=moons&n=40&methods=svm,ldm,odm"), 3.0)
    assert [run.fit.budget for run in runs.values()] == [1.0, 1.0, 1.0]


def test_a_picture_does_not_wait_for_a_kernel_matrix_that_outlasts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_fits, "pace_of", lambda kernel: Pace(2e-9, 1e-10, 1e-10, 2.5e-11))
    runs, failures = run_all(Experiment.from_query("data=moons&n=20000&methods=svm,fmm,linearldm"), 60.0)
    assert list(runs) == ["svm", "linearldm"]
    assert "14,000 training examples are too many for FMM in a picture: the exact kernel needs" in failures["fmm"]
    named = failures["fmm"].rstrip(".").partition("such as ")[2].split(", ")
    assert len(named) == 3
    assert set(named) <= {method.name for method in METHODS.values() if method.landmarks}
    svm = runs["svm"]
    assert len(svm.train.values) == 14_000
    assert len(svm.model.landmarks_) <= 256
    assert svm.model.gap_ <= 1e-6
    assert svm.model.exact_gap_ <= 0.01


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_method_is_fitted_again_where_more_time_may_help() -> None:
    clear_caches()
    quick = Experiment.from_query("data=moons&n=40&methods=svm")
    assert quick.run_method("svm", 60.0).fit is quick.run_method("svm", 1.0).fit is quick.run_method("svm").fit
    hard = Experiment.from_query(f"{HARD}&methods=fmm")
    cut = hard.run_method("fmm", 0.0).fit
    assert cut.cut
    assert hard.run_method("fmm", 0.0).fit is cut
    whole = hard.run_method("fmm").fit
    assert not whole.cut
    assert hard.run_method("fmm", 0.0).fit is whole


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_stage_shows_a_cut_fit_as_over_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_caches()
    monkeypatch.setattr("mdcore.serving.stage.scene.LIVE", 0.0)
    query = f"{HARD}&methods=fmm"
    (panel,) = decode(answer(Request(query), None)[0])[0]["panels"]
    assert panel["status"] == "overbudget"
    assert panel["message"]
    (panel,) = decode(answer(Request(f"{query}&view.finish=1"), None)[0])[0]["panels"]
    assert panel["status"] == "unconverged"
