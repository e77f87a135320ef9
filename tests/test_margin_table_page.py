"""Table 1 on the online page: choose a set, run the learners in the background, and watch the table grow."""

from __future__ import annotations

import threading

from streamlit.testing.v1 import AppTest

from mdcore.experiment import Experiment
from mdcore.papers.margin_table import TablePlan, whole_set
from mdcore.papers.margin_table import margin_table as tables_of
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.ui.pages.online import margin_table
from tests.apptest import button, captions, open_page, press, unexplained

QUERY = "data=moons&n=60&noise=0.4&test=0"


def choose(page: AppTest, source: str) -> AppTest:
    page.selectbox(key=margin_table.SOURCE).set_value(source).run()
    assert not page.exception
    return page


def finish(page: AppTest) -> AppTest:
    page.session_state[margin_table.JOB].wait()
    page.run()
    assert not page.exception
    return page


def offered(page: AppTest) -> set[str]:
    """Return the files that can be downloaded."""
    return {str(found.proto.label) for found in page.get("download_button")}


def test_it_opens_with_a_bundled_set_and_the_papers_settings_and_nothing_made() -> None:
    page = open_page("online")
    assert page.selectbox(key=margin_table.SOURCE).value == "breast-cancer"
    assert page.number_input(key="margin table soft").value == 1.0
    assert page.number_input(key="margin table delta").value == 0.01
    assert "No table has been computed yet" in captions(page)
    assert not page.dataframe
    assert "Cancel the table" not in [found.label for found in page.button]


def test_the_table_has_the_batch_solver_and_every_learner_with_units_and_how_it_ended() -> None:
    page = finish(press(choose(open_page("online"), "moons"), "Run the table"))
    (table,) = page.dataframe
    assert not unexplained(page)
    assert list(table.value["learner"]) == ["largest margin (batch)", "PUMMA", "ROMMA", "MICRA"]
    assert list(table.value["ended"]) == ["certified", "yes", "yes", "yes"]
    assert {"time (s)", "10²γ′", "updates"} <= set(table.value.columns)
    shares = [float(share.rstrip("%")) for share in table.value["of largest"]]
    assert shares[0] == 100.0
    assert 99.0 <= shares[1] <= 100.0
    assert all(0.0 < share <= 100.0 for share in shares)
    assert "Two moons: 300 examples, 2 features, scaling none; λ = 1, δ = 0.01" in captions(page).replace("\\", "")
    assert "Complete." in captions(page)
    assert {"Python script", "Notebook"} <= offered(page)


def test_more_classes_than_two_are_refused_with_what_to_do() -> None:
    page = finish(press(choose(open_page("online"), "iris"), "Run the table"))
    (error,) = page.error
    assert "Iris has 3 classes; the learners need two" in error.value.replace("\\", "")
    page.selectbox(key="margin table iris keep").set_value("setosa,versicolor").run()
    finish(press(page, "Run the table"))
    assert not page.error
    assert len(page.dataframe[0].value) == 4


def test_a_set_chosen_brings_its_own_scaling() -> None:
    page = open_page("online")
    scaling = "margin table scaling"
    assert page.selectbox(key=scaling).value == "standard"
    assert choose(page, "moons").selectbox(key=scaling).value == "none"


def test_while_it_runs_it_is_followed_and_can_be_cancelled_and_what_there_is_stays() -> None:
    page = open_page("online")
    asked = margin_table.Asked(TablePlan(epochs=100), "Two moons", "none", "")
    reached, gate = threading.Event(), threading.Event()

    def held():
        for table in tables_of(asked.plan, whole_set(Experiment.from_query(QUERY))):
            yield table
            if table.rows:
                reached.set()
                gate.wait()

    job = page.session_state[margin_table.JOB] = Job(asked, counted(4, held), needs=0.0)
    reached.wait()
    page.run()
    assert list(page.dataframe[0].value["ended"]) == ["certified", "running"]
    assert button(page, "Run the table").disabled
    press(page, "Cancel the table")
    gate.set()
    finish(page)
    assert job.cancelled
    assert "Python script" not in offered(page)
    assert [warning.value for warning in page.warning] == ["Cancelled when 0 of 3 learners had stopped."]
    assert list(page.dataframe[0].value["ended"]) == ["certified", "no, cancelled"]


def test_a_learner_out_of_epochs_says_so() -> None:
    page = choose(open_page("online"), "moons")
    page.number_input(key="margin table epochs").set_value(3).run()
    finish(press(page, "Run the table"))
    assert list(page.dataframe[0].value["ended"]) == ["certified", "no, stopped", "no, stopped", "no, stopped"]
