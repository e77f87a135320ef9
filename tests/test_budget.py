"""A time budget ends a solver early, says so, and changes nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mdcore import METHODS, Experiment
from mdcore.solvers.budget import over_budget, time_budget
from mdcore.ui.message import decode
from mdcore.ui.scene import Request, answer

HARD = "data=moons&n=120&noise=0.4&seed=3&gamma=4&scaling=unit"


def test_alone_a_solver_has_no_budget() -> None:
    assert not over_budget()
    with time_budget(0.0):
        assert over_budget()
    assert not over_budget()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", METHODS)
def test_a_fit_without_time_is_whole_or_says_that_it_was_cut(method: str) -> None:
    experiment = Experiment.from_query(f"{HARD}&methods={method}")
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
    """Otherwise the test above would say nothing."""
    experiment = Experiment.from_query(f"{HARD}&methods=pumma")
    assert {key for key in METHODS if experiment.run_method(key, 0.0).fit.cut} >= {"fmm", "pumma", "msvmav"}


def test_plenty_of_time_changes_nothing() -> None:
    experiment = Experiment.from_query(f"{HARD}&methods=ldm")
    timed, alone = experiment.run_method("ldm", 1e6), experiment.run_method("ldm", math.inf)
    assert timed.fit is not alone.fit
    assert (timed.model.dual_coef_ == alone.model.dual_coef_).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_stage_shows_a_cut_fit_as_over_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdcore.ui.scene.LIVE", 0.0)
    query = f"{HARD}&methods=fmm"
    (panel,) = decode(answer(Request(query), None)[0])[0]["panels"]
    assert panel["status"] == "overbudget"
    assert panel["message"]
    (panel,) = decode(answer(Request(f"{query}&view.finish=1"), None)[0])[0]["panels"]
    assert panel["status"] == "unconverged"
