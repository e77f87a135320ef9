"""Comparisons in the background: cancelled, estimated, gone with their session, failing."""

from __future__ import annotations

import gc
import threading

import pytest

from mdcore import METHODS, Experiment
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.comparisons.sample import sample_of_experiment
from mdcore.solvers.budget import raise_if_stopped
from mdcore.study import Candidate, Plan
from mdcore.ui.pages.compare.duration import PLACE as PLACE_OF_ESTIMATE
from mdcore.ui.pages.compare.page import JOB
from tests.apptest import button, shown
from tests.compare_page import (
    PEOPLE,
    QUICK,
    opened,
    run,
    with_file,
)
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("few_trees")


def slow_plan() -> Plan:
    return Plan(tuple(Candidate.tuned(key) for key in METHODS), repeats=50)


def test_cancel_keeps_what_is_done() -> None:
    sample = sample_of_experiment(Experiment.from_query(QUICK))
    job = ComparisonJob(sample, slow_plan())
    until(lambda: job.comparison.outcomes)
    job.cancel()
    job.wait()
    assert job.cancelled
    assert job.problem == ""
    assert 0 < len(job.comparison.outcomes) < 50 * len(METHODS)
    assert 0 < job.share < 1


def test_a_comparison_does_not_wait_for_its_own_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, over = threading.Event(), threading.Event()

    def endless(*_: object) -> None:
        under_way.set()
        while not over.is_set():
            raise_if_stopped()

    monkeypatch.setattr("mdcore.ui.pages.compare.duration.estimate", endless)
    page = with_file(PEOPLE.encode())
    estimating = page.session_state[PLACE_OF_ESTIMATE]
    assert under_way.wait(PATIENCE)
    button(page, "Compare").click().run()
    over.set()
    assert estimating.cancelled
    page.session_state[JOB].wait()
    assert page.session_state[JOB].comparison.complete


def test_the_work_stops_when_its_session_is_gone() -> None:
    sample = sample_of_experiment(Experiment.from_query(QUICK))
    job = ComparisonJob(sample, slow_plan())
    task = job._task
    del job
    gc.collect()
    assert task.finished.wait(PATIENCE)


def test_a_fault_of_the_work_is_told_from_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("mdcore.serving.comparisons.job.results", broken)
    job = ComparisonJob(sample_of_experiment(Experiment.from_query(QUICK)), Plan((Candidate.fixed("svm"),)))
    job.wait()
    assert "The computation failed" in job.problem


def test_two_sessions_know_nothing_of_each_other() -> None:
    first, second = with_file(PEOPLE.encode()), opened()
    run(first, repeats=2)
    assert second.run().session_state[JOB].sample.own is None
    assert "people" not in shown(second)


def test_memory_that_is_taken_lowers_the_limit_of_kernel_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened(f"{QUICK}&view.kernel_rows=2000")
    assert page.number_input(key="compare kernel_rows").value == 2000
    monkeypatch.setattr("mdcore.ui.pages.compare.large_data.largest_kernel_problem", lambda: 500)
    page.run()
    assert not page.exception
    assert page.number_input(key="compare kernel_rows").value == 500
    assert "at most 500 rows" in shown(page)
