"""The Compare page without a browser: it opens with an answer, runs, and shows results."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from html import escape

import pytest

from mdcore import Experiment
from mdcore.basics.text import gap_words, percent
from mdcore.experiment.result_caches import clear_caches
from mdcore.serving.comparisons.address import EQUAL, PAPERS
from mdcore.serving.comparisons.sample import sample_of_experiment
from mdcore.study import LEARNERS, REFERENCES, Candidate, Plan, board, compare, first_methods, headline, numbers
from mdcore.study.shown_tables import gap_text
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.questions import QUESTIONS
from mdcore.ui.pages.compare.state import MODE, OWN, SHOWN, SOURCE, WHERE
from mdcore.ui.pages.compare.why import cell_text, distinct_texts
from mdcore.ui.shared.words import plain
from tests.apptest import button, shown, unexplained, widget
from tests.compare_page import (
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

pytestmark = pytest.mark.usefixtures("few_trees")


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
    clear_caches()
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


def test_a_cell_that_would_have_to_change_stands_as_in_the_table() -> None:
    assert [cell_text(value, 3) for value in (2174.0, 3.25, "north", math.nan)] == ["2174", "3.25", "north", "nan"]
    assert distinct_texts(1.7494669715282791, 1.3279117651053707) == ("1.75", "1.33")
    assert distinct_texts(0.12345, 0.12344) == ("0.1235", "0.1234")
