"""The URL of the Compare page, and the ways between it and the stage."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from mdcore import Experiment
from mdcore.serving.comparisons.address import GIVEN, PAPERS, read_query
from mdcore.serving.visits import Stages
from mdcore.study import REFERENCES
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.state import MODE, SHOWN, SOURCE, stage_query
from mdcore.ui.shared.session import state_of
from tests.apptest import button, shown
from tests.compare_page import (
    PAGE,
    QUICK,
    chosen,
    opened,
    query,
    run,
)
from tests.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("few_trees")


def test_a_link_sets_data_methods_and_parameters() -> None:
    page = opened()
    assert page.number_input(key="compare moons n").value == 60
    assert page.number_input(key="compare test").value == 0.4
    assert page.number_input(key="compare gamma").value == 1.0
    assert page.segmented_control(key=MODE).value == GIVEN
    assert "SVM: C = 3." in shown(page)


def test_a_link_that_cannot_be_read_says_so_and_the_page_opens() -> None:
    page = opened("data=nowhere")
    assert "unknown dataset" in shown(page)
    assert page.selectbox(key=SOURCE).value == "breast-cancer"


def test_a_link_keeps_what_was_decided_elsewhere_until_the_kernel_changes() -> None:
    link = "data=moons&n=2000&noise=0.3&gamma=1&methods=svm,ldm&view.parameters=defaults"
    page = opened(f"{link}&view.within=svm-landmarks-30,ldm-exact")
    assert "As the link says: SVM 30 landmarks, LDM exact." in shown(page)
    assert "view.within=svm-landmarks-30,ldm-exact&" in query(page)
    page.number_input(key="compare gamma").set_value(2.0).run()
    assert "As the link says" not in shown(page)
    assert "view.within=svm-exact,ldm-exact&" in query(page)
    page.number_input(key="compare gamma").set_value(1.0).run()
    run(page, repeats=1)
    (svm,), (ldm,) = (page.session_state[JOB].comparison.of(key) for key in ("svm", "ldm"))
    assert (svm.landmarks, ldm.landmarks) == (30, 0)


def test_a_link_that_names_landmarks_keeps_them() -> None:
    page = opened("data=moons&n=2000&noise=0.3&gamma=300&methods=svm&view.kernel_rows=500&view.landmarks=256")
    assert page.number_input(key="compare landmarks").value == 256


def test_other_data_bring_their_own_scaling_and_width_and_the_moons_are_found_as_they_were() -> None:
    page = opened("data=moons&n=60&gamma=4&view.compared=svm&view.parameters=defaults&view.repeats=1")
    gamma = page.number_input(key="compare gamma").value
    page.selectbox(key=SOURCE).set_value("wine").run()
    assert page.selectbox(key="compare scaling").value == "standard"
    assert page.selectbox(key="compare width").value == "scale"
    assert "Set by the data: scaling none → standard, γ" in shown(page)
    page.selectbox(key=SOURCE).set_value("moons").run()
    assert page.selectbox(key="compare scaling").value == "none"
    assert page.number_input(key="compare gamma").value == gamma


def test_what_the_stage_shows_can_be_taken_over() -> None:
    page = opened()
    drawn = Experiment.from_query("data=circles&n=50&methods=ldm&kernel=linear&ldm.lambda1=4&seed=7")
    state_of(Stages, page.session_state).drawn["playground"] = drawn
    page.run()
    button(page, "Copy from the stage").click().run()
    assert not page.exception
    assert page.selectbox(key=SOURCE).value == "circles"
    assert page.selectbox(key="compare kernel").value == "linear"
    assert page.number_input(key="compare seed").value == 7
    assert "λ₁ = 4" in shown(page)


def test_the_way_to_the_stage_leads_to_the_first_split_with_its_parameters() -> None:
    page = run(opened())
    job = page.session_state[JOB]
    first = {key: job.comparison.of(key)[0] for key in job.comparison.keys}
    params = {"svm": {"C": first["svm"].params["C"]}, "odm": dict(job.plan.candidate("odm").params)}
    query = stage_query(job.sample, job.plan, params)
    assert query is not None
    for key, run_there in Experiment.from_query(query).run().items():
        assert run_there.test.accuracy == first[key].scores["accuracy"]
    assert "every row the same weight" not in button(page, "Open on the stage").help


def test_the_way_to_the_stage_says_that_the_stage_weighs_no_classes() -> None:
    page = run(opened(f"{QUICK}&view.balanced=1"), 1)
    assert "It gives every row the same weight." in button(page, "Open on the stage").help


def test_the_way_to_the_stage_says_that_the_stage_sets_each_class_against_the_rest() -> None:
    page = run(opened("data=iris&methods=svm,mcsvm&seed=1&view.parameters=defaults&view.several=one-versus-one"), 1)
    words = "It sets each class against the rest, where SVM has a model for each pair of classes here."
    assert words in button(page, "Open on the stage").help
    page.selectbox(key="compare several").set_value("one-versus-rest").run()
    run(page, 1)
    assert "a model for each pair" not in button(page, "Open on the stage").help


def test_the_address_opens_the_same_comparison_again() -> None:
    page = opened(QUICK)
    chosen(page, "svm", "odm", "lssvm", "komd", "mdo")
    page.segmented_control(key=MODE).set_value(PAPERS).run()
    page.toggle(key="compare widths").set_value(True).run()
    page.number_input(key="compare repeats").set_value(7).run()
    page.number_input(key="compare folds").set_value(3).run()
    page.selectbox(key="compare kernel_fits").set_value("rows").run()
    page.number_input(key="compare kernel_rows").set_value(100).run()
    again = opened(query(page))
    assert [line for line in shown(again).splitlines() if "The free memory suffices" not in line] == [
        line for line in shown(page).splitlines() if "The free memory suffices" not in line
    ]
    assert query(again) == query(page)
    assert again.session_state[SHOWN] == ["svm", "odm", "lssvm", "komd", "mdo"]
    assert again.number_input(key="compare folds").value == 3
    again.segmented_control(key=MODE).set_value(GIVEN).run()
    assert "SVM: C = 3." in shown(again)


def test_the_address_opens_the_stage_too() -> None:
    experiment = Experiment.from_query(query(opened(QUICK)))
    assert experiment == Experiment.from_query(QUICK)


def test_the_address_of_several_classes_says_how_they_are_compared() -> None:
    page = opened("data=iris&methods=svm,mcsvm&several=one-versus-rest&view.parameters=defaults")
    assert page.session_state[SHOWN] == ["svm", "mcsvm", *REFERENCES]
    assert page.segmented_control(key=MODE).value == "defaults"
    assert read_query(query(page)).experiment.several == "one-versus-rest"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("view.compared=svm,tree", "view.compared must be different methods of svm, "),
        ("view.compared=svm,svm", "names one twice"),
        ("view.compared=", "got ''"),
        ("view.repeats=many", "repeats must be an integer in [1, 1000]; got 'many'"),
        ("view.parameters=best", "parameters must be one of tuned, defaults, papers, given"),
        ("view.within=svm-some", "view.within: what a method is fitted on must be exact, landmarks-256 or rows-2000"),
        ("view.within=fmm-landmarks-9", "view.within: FMM has no landmarks"),
        ("view.widths=2", "widths must be one of 0, 1"),
        ("banana=1", "Unknown key 'banana'"),
    ],
)
def test_an_address_that_cannot_be_read_says_why_and_the_page_opens(more: str, words: str) -> None:
    page = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for name, value in parse_qsl(f"{QUICK}&{more}", keep_blank_values=True):
        page.query_params[name] = value
    page.run()
    assert not page.exception
    assert words in shown(page)
    assert page.session_state[SHOWN][:2] == ["svm", "ldm"]
    page.session_state[JOB].cancel()


def test_a_share_close_to_one_in_a_link_is_taken_as_it_is() -> None:
    page = opened(QUICK.replace("test=0.4", "test=0.95"))
    assert page.number_input(key="compare test").value == 0.95
    assert page.session_state["compare seed"] == 1
