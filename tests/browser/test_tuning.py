"""The button that makes the methods of a picture comparable: what it sets, what is said, and how it ends."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from mdcore.experiment import Experiment
from mdcore.study.picture_tuning import tune
from tests.browser.conftest import Visit
from tests.browser.forms import arrived
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.3&seed=11&gamma=1&methods=svm,ldm&svm.C=300&ldm.lambda1=16&ldm.lambda2=5&ldm.C=3"
TUNE, STOP = "Tune: make the methods comparable", "Stop tuning"


def sentence(stage: Stage) -> str:
    return stage.page.get_by_test_id("sentence").inner_text()


def press(stage: Stage) -> None:
    stage.button(TUNE).press("Enter")
    expect(stage.page.get_by_test_id("sentence")).to_contain_text("Tuned on the 56 training rows")
    stage.settle()


def test_the_sliders_move_to_what_the_training_rows_choose_until_they_are_moved_again(visit: Visit) -> None:
    stage = visit(SMALL)
    before = stage.settle()
    assert "not tuned" in sentence(stage)
    press(stage)
    chosen = {
        f"{key}.{name}": value
        for key, one in tune(Experiment.from_query(SMALL))
        for name, value in one.settings.items()
    }
    assert {key: stage.drawn[key] for key in chosen} == pytest.approx(chosen)
    assert stage.drawn["gamma"] == before["gamma"]
    assert float(stage.field("svm.C").input_value()) == pytest.approx(chosen["svm.C"], rel=5e-3)
    assert "by 3-fold cross-validation, at most 12 candidates each: accuracy" in sentence(stage)
    assert "not tuned" not in sentence(stage)
    stage.check_numbers()

    stage.slider("ldm.C").press("ArrowRight")
    stage.settle()
    assert "LDM is no longer tuned." in sentence(stage)
    stage.button("Undo (Ctrl+Z)").click()
    stage.settle()
    assert "Tuned on the 56 training rows" in sentence(stage)
    stage.button("Undo (Ctrl+Z)").click()
    expect(stage.button("Undo (Ctrl+Z)")).to_have_attribute("aria-disabled", "true")
    assert stage.settle() == before


def test_other_data_end_the_statement(visit: Visit) -> None:
    stage = visit(SMALL)
    press(stage)
    stage.type_number("seed", "12")
    stage.settle()
    assert "SVM and LDM are no longer tuned." in sentence(stage)


def test_a_second_press_stops_and_nothing_changes(visit: Visit) -> None:
    stage = visit(SMALL, own=True)
    before = stage.settle()
    held: list[Route] = []
    stage.page.route("**/stage/tuning", lambda route: held.append(route))
    stage.button(TUNE).click()
    expect(stage.button(STOP)).to_have_attribute("aria-busy", "true")
    expect(stage.button(STOP)).to_have_attribute("title", re.compile("Press to stop"))
    arrived(stage.page, held)
    stage.slider("svm.C").press("ArrowRight")  # the stage is at work meanwhile
    assert stage.settle() != before
    stage.slider("svm.C").press("ArrowLeft")
    stage.settle()
    stage.button(STOP).click()
    stage.announced("Tuning stopped: nothing has changed.")
    expect(stage.button(TUNE)).to_have_attribute("aria-busy", "false")
    assert len(held) == 1
    stage.button(TUNE).click()
    stage.type_number("seed", "12")
    stage.announced("Tuning stopped, as the data, the kernel or the methods have changed.")
    expect(stage.button(TUNE)).to_be_visible()


def test_a_reason_for_no_choice_is_said(visit: Visit) -> None:
    stage = visit("data=moons&n=20&balance=0.1&methods=svm")
    before = stage.settle()
    stage.button(TUNE).click()
    expect(stage.page.get_by_role("alert").filter(has_text="A class has fewer than 3")).to_be_visible()
    assert stage.settle() == before
