"""The online page: the stage, and the learning curves of the paper in the background."""

from __future__ import annotations

import json
import threading

import pytest
from streamlit.testing.v1 import AppTest

from mdcore.papers.learning_curves import CurvesPlan, learn
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.ui.pages.online import learning
from tests.apptest import button, captions, open_page, press, unexplained

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PAPER = {"examples": 1000, "variables n": 100, "relevant k": 16, "samples": 10, "epochs": 2000, "seed": 0}
SMALL = {"examples": 30, "variables n": 8, "relevant k": 5, "samples": 2, "epochs": 40}


def set_small(page: AppTest, **changes: int) -> AppTest:
    for field in page.number_input:
        if field.label in SMALL | changes:
            field.set_value((SMALL | changes)[field.label])
    return page.run()


def test_the_page_opens_with_the_papers_settings_and_nothing_run() -> None:
    page = open_page("online")
    shown = [(field.label, field.value) for field in page.number_input]
    assert shown[:6] == list(PAPER.items())
    assert "Nothing has been run yet" in captions(page)
    assert not page.get("plotly_chart")


def test_the_experiment_runs_and_shows_figures_numbers_and_its_settings() -> None:
    page = press(set_small(open_page("online")), "Run")
    page.session_state[learning.JOB].wait()
    page.run()
    plan = page.session_state[learning.JOB].subject
    assert plan == CurvesPlan(rs=(1, 4), ps=(2.0, plan.ps[1]), n=30, features=8, k=5, repeats=2, epochs=40)
    assert plan.ps[1] == pytest.approx(2.0 * 2.0794, rel=1e-4)
    assert f"All {plan.size} of {plan.size} runs" in captions(page)
    titles = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in page.get("plotly_chart")]
    assert titles == ["p = 2", "p = 4.16"]
    (table,) = page.dataframe
    assert list(table.value["learner"][:3]) == ["PUMMA", "ROMMA", "ALMA_p"]
    assert len(table.value) == len(plan.cells)
    assert "30 examples, 8 variables, k = 5, 2 samples from seed 0, at most 40 epochs" in captions(page)
    page.get("button_group")[0].set_value("seconds")
    page.run()
    axes = [json.loads(chart.proto.spec)["layout"]["xaxis"]["title"]["text"] for chart in page.get("plotly_chart")]
    assert axes == ["seconds of learning"] * 2
    assert not unexplained(page)


def test_what_does_not_go_together_is_said_and_cannot_be_run() -> None:
    page = set_small(open_page("online"), **{"relevant k": 9})
    assert [error.value for error in page.error] == ["relevant k must be at most the 8 variables; got 9. Lower k."]
    assert button(page, "Run").disabled


def test_cancelled_it_keeps_what_there_is() -> None:
    page = set_small(open_page("online"))
    plan = CurvesPlan(rs=(1,), ps=(2.0,), n=30, features=8, k=5, repeats=2, epochs=40)
    reached, gate = threading.Event(), threading.Event()

    def held():
        for number, run in enumerate(learn(plan)):
            if number == 4:
                reached.set()
                gate.wait()
            yield run

    job = page.session_state[learning.JOB] = Job(plan, counted(plan.size, held), needs=0.0)
    reached.wait()
    page.run()
    assert button(page, "Run").disabled
    press(page, "Cancel")
    gate.set()
    job.wait()
    page.run()
    assert [warning.value for warning in page.warning] == ["Cancelled after 5 of 6 runs: averages are over those runs."]
    assert len(page.dataframe[0].value) == 3
