"""The Compare page without a browser: it loads, runs, shows results and explains errors."""

from __future__ import annotations

import gc
import math
import threading
from collections.abc import Iterator
from html import escape
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from mdcore import METHODS, Experiment
from mdcore.basics.text import fixed, gap_words, percent
from mdcore.figures.board import gap_text
from mdcore.serving.comparisons.address import EQUAL, GIVEN, PAPERS, read_query
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.comparisons.sample import sample_of_experiment
from mdcore.serving.sessions.visits import Stages
from mdcore.solvers.budget import raise_if_stopped
from mdcore.study import LEARNERS, REFERENCES, Candidate, Plan, board, compare, first_methods, headline, numbers
from mdcore.study.completed import forget_completed
from mdcore.study.decisions import costs
from mdcore.ui.own_table.address import PLACE
from mdcore.ui.pages.compare.costs import CostChoice
from mdcore.ui.pages.compare.duration import PLACE as PLACE_OF_ESTIMATE
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.questions import QUESTIONS
from mdcore.ui.pages.compare.state import MODE, OWN, SHOWN, SOURCE, WHERE, stage_query
from mdcore.ui.pages.compare.why import cell_text, distinct_texts
from mdcore.ui.shared.live_sliders import values_of
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.words import plain
from tests.apptest import button, shown, unexplained, widget
from tests.compare_page import (
    PAGE,
    PEOPLE,
    QUICK,
    asked,
    chosen,
    drawing,
    looked_at,
    opened,
    query,
    run,
    with_file,
)
from tests.waiting import PATIENCE


def test_it_opens_with_an_answer_under_way_and_a_picture_of_the_data() -> None:
    page = opened("")
    assert page.selectbox(key=SOURCE).value == "breast-cancer"
    assert page.session_state[SHOWN] == [*first_methods(569), *REFERENCES]
    assert page.segmented_control(key=MODE).value == EQUAL
    job = page.session_state[JOB]
    assert job.running
    assert job.plan.tuning == "equal"
    assert "Worst perimeter alone orders 97.5 % of all pairs correctly." in shown(page)
    assert "30 columns, by how well each separates the classes alone" in drawing(page, "picture of the data")
    job.cancel()


def test_data_of_the_catalogue_are_compared_at_once_and_again_whenever_a_choice_changes() -> None:
    page = opened(f"{QUICK}&view.repeats=2")
    first = page.session_state[JOB]
    first.wait()
    assert first.comparison.complete
    page.number_input(key="compare test").set_value(0.5).run()
    second = page.session_state[JOB]
    assert second is not first
    assert second.plan.test == 0.5
    second.wait()
    page.run()
    assert page.session_state[JOB] is second
    assert headline(board(second.comparison, "accuracy")) in shown(page)


def test_a_choice_that_changes_cancels_a_comparison_and_a_visitor_who_cancels_is_not_overruled() -> None:
    page = opened("data=moons&n=200&view.compared=svm,ldm&view.repeats=1000")
    first = page.session_state[JOB]
    page.selectbox(key=SOURCE).set_value("xor").run()
    assert first.cancelled
    second = page.session_state[JOB]
    assert second.running
    button(page, "Cancel").click().run()
    second.wait()
    page.run()
    assert page.session_state[JOB] is second
    assert second.cancelled


def test_after_a_switch_to_ones_own_data_nothing_is_said_of_the_comparison_that_this_cancels() -> None:
    page = opened("data=moons&n=200&view.compared=svm,ldm&view.repeats=1000")
    job = page.session_state[JOB]
    page.segmented_control(key=WHERE).set_value(OWN).run()
    assert job.cancelled
    job.wait()
    page.run()
    assert not any("Stopped" in warning.value for warning in page.warning)
    assert "Choose data: the answer appears here." in shown(page)


def test_the_second_visitor_finds_the_answer_of_the_first_and_a_table_of_ones_own_is_kept_for_nobody() -> None:
    forget_completed()
    first = run(opened())
    again = opened(f"{QUICK}&view.repeats=3")
    found, kept = (page.session_state[JOB].comparison.outcomes for page in (first, again))
    assert all(one is other for one, other in zip(found, kept, strict=True))
    assert headline(board(first.session_state[JOB].comparison, "accuracy")) in shown(again)
    own = [run(with_file(PEOPLE.encode()), repeats=2).session_state[JOB].comparison.outcomes for _ in range(2)]
    assert not any(one is other for one, other in zip(*own, strict=True))


def test_the_leaderboard_shows_the_numbers_of_the_study() -> None:
    page = run(opened())
    comparison = page.session_state[JOB].comparison
    html = drawing(page, "leaderboard")
    for line in board(comparison, "accuracy").lines:
        assert f'data-method="{line.key}"' in html
        assert escape(percent(line.mean)) in html
        if line.gap is not None:
            assert escape(gap_text(line.gap)) in html


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


def test_two_methods_run_and_every_section_shows_them() -> None:
    page = run(opened())
    job = page.session_state[JOB]
    asked(page, "Is it real?")
    table = page.dataframe[0].value
    assert list(table["name"]) == ["SVM", "ODM", "always ‘−1’"]
    assert table["accuracy"][0] == job.comparison.spread("svm", "accuracy").mean
    for section in QUESTIONS:
        page.segmented_control(key="compare question").set_value(section).run()
        assert not page.exception, section
        assert not unexplained(page), section
    looked_at(page, "Rows")
    assert len(page.dataframe[0].value) == len(set().union(*(test for _, test in job.plan.splits(job.sample.data.y))))


def test_both_gaps_of_a_method_that_sees_all_rows_through_landmarks_stand_under_the_scores() -> None:
    page = run(opened("data=moons&n=400&noise=0.3&gamma=1&methods=svm,fmm&view.kernel_rows=100&view.landmarks=30"), 1)
    (said,) = (caption.value for caption in page.caption if "used through landmarks" in caption.value)
    assert "All 280 training rows" in said
    (svm,) = page.session_state[JOB].comparison.of("svm")
    assert plain(f"SVM (30 landmarks): {gap_words(svm.gap, svm.exact_gap)}.") in said
    assert "FMM" not in said


def test_the_page_says_in_one_line_what_is_fitted_exactly_and_why() -> None:
    page = opened("data=moons&n=2000&noise=0.3&gamma=1&methods=svm,ldm,linearldm&view.parameters=defaults")
    lines = [line for line in shown(page).splitlines() if " a fit; " in line]
    assert [line.partition(":")[0] for line in lines] == ["SVM", "LDM"]
    assert all("exact, about " in line and "256 landmarks would take about " in line for line in lines)
    assert "view.within=svm-exact,ldm-exact&" in query(page)
    few = opened("data=moons&n=1400&noise=0.3&gamma=1&methods=svm,ldm,linearldm&view.parameters=defaults")
    assert " a fit; " not in shown(few)


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


def test_the_page_finds_what_the_library_finds() -> None:
    page = run(opened())
    job = page.session_state[JOB]
    data = sample_of_experiment(Experiment.from_query(QUICK)).data
    candidates = (Candidate.fixed("svm", C=3.0), Candidate.fixed("odm"))
    plan = Plan(candidates, repeats=3, test=0.4, seed=1, kernel=Experiment.from_query(QUICK).kernel)
    assert numbers(job.comparison) == numbers(compare(data.X, data.y, data.preparation, plan))


def test_parameters_are_chosen_by_cross_validation() -> None:
    page = opened()
    page.segmented_control(key=MODE).set_value(PAPERS).run()
    chosen(page, "svm")
    assert "10 splits × 1 method: 770 fits" in shown(page)  # three values of C, five of γ, in five folds; the model
    run(page, repeats=2)
    assert {result.params["C"] for result in page.session_state[JOB].comparison.of("svm")} <= {10.0, 50.0, 100.0}


def test_more_splits_go_on_from_what_is_there() -> None:
    page = run(opened(), repeats=2)
    before = page.session_state[JOB].comparison
    run(page, repeats=4)
    after = page.session_state[JOB].comparison
    assert after.complete
    assert all(one is other for one, other in zip(before.of("svm"), after.of("svm")[:2], strict=True))


def test_choices_changed_after_a_comparison_of_ones_own_are_told_from_its_results() -> None:
    page = run(with_file(PEOPLE.encode()), repeats=2)
    assert "have changed" not in shown(page)
    page.number_input(key="compare repeats").set_value(4).run()
    assert "have changed" in shown(page)


def test_choices_changed_during_a_comparison_of_ones_own_are_told_from_the_running_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over = threading.Event()

    def endless(*_: object, **__: object) -> Iterator[None]:
        over.wait(PATIENCE)
        yield from ()

    monkeypatch.setattr("mdcore.serving.comparisons.job.results", endless)
    page = with_file(PEOPLE.encode())
    button(page, "Compare").click().run()
    assert "have changed" not in shown(page)
    page.number_input(key="compare repeats").set_value(4).run()
    job = page.session_state[JOB]
    assert f"The earlier comparison, on {job.sample.title}, still runs" in shown(page)
    over.set()
    job.wait()


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


def test_price_and_threshold_move_the_sentence_and_the_confusions_together() -> None:
    page = run(opened(f"{QUICK}&view.held_out=1"))
    comparison = page.session_state[JOB].comparison
    page.segmented_control(key="compare question").set_value("What if errors cost differently?")
    seen = []
    for ratio, shift in ((1.0, None), (8.0, None), (8.0, 0.75)):
        choice = state_of(CostChoice, page.session_state)
        choice.ratio, choice.shift = ratio, shift
        page.run()
        assert not page.exception
        found = costs(comparison, "svm", ratio, shift)
        assert f"cost of a test row {fixed(found.cost.mean, 3)} ±" in shown(page)
        assert page.table[0].value.to_numpy().tolist() == found.counts.tolist()
        seen.append(found.counts.tolist())
    assert "f above 0.750 SD" in shown(page)
    assert seen[1] != seen[2]


@pytest.mark.parametrize("sent", [None, 3, "ratio", "ratio=much", "ratio=inf", "ratio=nan"])
def test_what_no_slider_sends_moves_nothing(sent: object) -> None:
    choice = CostChoice(4.0, 0.5)
    choice.update(values_of(sent))
    assert choice == CostChoice(4.0, 0.5)


def test_a_slider_sends_what_is_set_and_prices_stay_in_their_range() -> None:
    choice = CostChoice()
    choice.update(values_of("ratio=2&threshold=-0.5"))
    assert choice == CostChoice(2.0, -0.5)
    choice.update(values_of("ratio=1e9"))
    assert choice == CostChoice(32.0, None)


# Several classes


def test_several_classes_are_compared_by_methods_of_several_or_one_versus_rest_on_request() -> None:
    page = opened("data=iris&methods=svm,mcsvm&seed=1&view.parameters=defaults&view.repeats=1")

    def offered() -> set[str]:
        return {box.label for box in page.checkbox} | set(page.selectbox(key="compare more methods").options)

    assert len(offered()) == len(LEARNERS)
    page.selectbox(key="compare several").set_value("own").run()
    several = {method.name for method in LEARNERS.values() if method.multiclass}
    assert offered() == {plain(name) if name == "Gradient boosting" else name for name in several}
    assert "any other choice offers them too" in shown(page)
    page.selectbox(key="compare several").set_value("one-versus-rest").run()
    assert len(offered()) == len(LEARNERS)
    assert any("LDM, one" in name for name in offered())
    chosen(page, "ldm", "mcsvm", "ovo")
    run(page, repeats=2)
    asked(page, "Is it real?")
    table = page.dataframe[0].value
    assert list(table["name"])[:3] == ["LDM, one-versus-rest", "mcSVM", "ovoSVM"]
    assert (table["auc"][:3] > 0.9).all()
    for section in QUESTIONS:
        page.segmented_control(key="compare question").set_value(section).run()
        assert not page.exception, section
        assert not unexplained(page), section
    looked_at(page, "Views")
    assert "boundary of LDM between setosa and the rest" in shown(page)
    widget(page.selectbox, "Method").set_value("mcsvm").run()
    assert "boundary of mcSVM between setosa and versicolor" in shown(page)
    widget(page.selectbox, "Method").set_value("ovo").run()
    assert "ovoSVM has no distances to draw: with three or more classes, margins count votes." in shown(page)
    looked_at(page, "Margins")
    assert "count votes are not comparable with the others on either scale: ovoSVM." in shown(page)


# The URL


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


# Background jobs


def slow_plan() -> Plan:
    return Plan(tuple(Candidate.tuned(key) for key in METHODS), repeats=50)


def test_cancel_keeps_what_is_done() -> None:
    sample = sample_of_experiment(Experiment.from_query(QUICK))
    job = ComparisonJob(sample, slow_plan())
    while job.running and not job.comparison.outcomes:
        pass
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


def test_a_share_close_to_one_in_a_link_is_taken_as_it_is() -> None:
    page = opened(QUICK.replace("test=0.4", "test=0.95"))
    assert page.number_input(key="compare test").value == 0.95
    assert page.session_state["compare seed"] == 1


def test_memory_that_is_taken_lowers_the_limit_of_kernel_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened(f"{QUICK}&view.kernel_rows=2000")
    assert page.number_input(key="compare kernel_rows").value == 2000
    monkeypatch.setattr("mdcore.ui.pages.compare.large_data.largest_kernel_problem", lambda: 500)
    page.run()
    assert not page.exception
    assert page.number_input(key="compare kernel_rows").value == 500
    assert "at most 500 rows" in shown(page)


@pytest.mark.parametrize("place", ["Upload", "OpenML", "The papers' sets"])
def test_every_control_of_a_table_says_what_it_is_for(place: str) -> None:
    page = with_file(PEOPLE.encode())
    page.session_state[PLACE] = place
    page.run()
    assert not page.exception
    kinds = ("selectbox", "multiselect", "segmented_control", "toggle", "text_input", "number_input")
    controls = [control for kind in kinds for control in page.get(kind)]
    assert len(controls) >= 3
    silent = {control.label for control in controls if not control.proto.help}
    assert silent <= {"Methods"}, "its heading has the help"


def test_a_cell_that_would_have_to_change_stands_as_in_the_table() -> None:
    assert [cell_text(value, 3) for value in (2174.0, 3.25, "north", math.nan)] == ["2174", "3.25", "north", "nan"]
    assert distinct_texts(1.7494669715282791, 1.3279117651053707) == ("1.75", "1.33")
    assert distinct_texts(0.12345, 0.12344) == ("0.1235", "0.1234")
