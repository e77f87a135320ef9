"""Adding, dragging, flipping and deleting examples, and the outlier probe."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from mdcore import Experiment
from mdcore.basics.text import percent
from mdcore.data.edits import Add, Drop, Flip, Move
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from tests.browser.conftest import Visit

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm"


def test_examples_are_added_moved_flipped_deleted_and_all_of_it_undone(visit: Visit) -> None:
    stage = visit(SMALL)
    panel = stage.panel("svm")
    free, other, goal = stage.at(panel, 0.5, 0.12), stage.at(panel, 0.4, 0.8), stage.at(panel, 0.55, 0.2)
    states = [stage.numbers()]

    def edited() -> tuple:
        edits = stage.check_numbers().data.edits
        states.append(stage.numbers())
        return edits

    stage.take_tool("Add example of class -1")
    stage.click(free)
    stage.settle()
    assert [(type(edit), edit.label) for edit in edited()] == [(Add, 0)]
    stage.take_tool("Add example of class 1")
    stage.click(other)
    assert [(type(edit), edit.label) for edit in edited()] == [(Add, 0), (Add, 1)]
    stage.take_tool("Move")
    stage.drag(free, goal)
    *added, moved = edited()
    assert isinstance(moved, Move)
    assert moved.row == 80
    assert (moved.x > added[0].x, moved.y < added[0].y) == (True, True)
    stage.take_tool("Flip label")
    stage.click(goal)
    assert edited()[-1] == Flip(80)
    stage.take_tool("Delete")
    stage.click(other)
    assert edited()[-1] == Drop(81)

    assert len({tuple(state.values()) for state in states}) == len(states), "an edit changed nothing"
    for state in states[-2::-1]:
        stage.button("Undo (Ctrl+Z)").click()
        stage.wait_for_numbers(state)
        stage.check_numbers()
        assert stage.numbers() == state
    assert "edits" not in stage.settings
    for state in states[1:]:
        stage.page.keyboard.press("Control+Shift+Z")
        stage.wait_for_numbers(state)
        assert stage.numbers() == state
    stage.check_numbers()
    stage.clear_edits()
    assert stage.numbers() == states[0]


def test_edit_opens_on_a_tool_whose_first_click_acts_and_leaves_methods_and_play_in_reach(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.button("Edit").click()
    stage.click(stage.at(stage.panel("svm"), 0.5, 0.12))
    stage.settle()
    assert stage.check_numbers().data.edits
    share = stage.button("Copy the URL of this state")
    for button in (
        stage.chip("SVM"),
        stage.button("Pin"),
        stage.root.get_by_role("button", name=re.compile("^Play")),
        share,
    ):
        expect(button).to_be_visible()
    expect(stage.root.get_by_role("radio", name="Functional margins")).to_be_visible()
    stage.edit(False)
    expect(stage.cover(stage.panel("svm"))).to_have_attribute("data-tool", "point")


def test_the_tools_are_named_after_the_classes(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.button("Edit").click()
    tools = stage.root.get_by_role("radiogroup", name="Tools")
    for tool, name in (("add0", "class -1"), ("add1", "class 1")):
        button = tools.get_by_role("radio", name=f"Add example of {name}", exact=True)
        expect(button.locator("canvas")).to_have_count(1)
        button.click()
        cover = stage.cover(stage.panel("ldm"))
        expect(cover).to_have_attribute("data-tool", tool)
        expect(cover).to_have_accessible_name(re.compile(f"Enter adds an example of {name}$"))


def test_escape_and_a_button_return_from_a_panel_that_fills_the_stage(visit: Visit) -> None:
    stage = visit(SMALL)
    other, back = stage.panel("ldm"), stage.button("All panels")
    expect(back).to_be_hidden()
    for leave in (lambda: stage.page.keyboard.press("Escape"), lambda: back.click()):
        stage.page.mouse.dblclick(*stage.at(stage.panel("svm"), 0.4, 0.7))
        expect(other).to_be_hidden()
        expect(back).to_be_visible()
        leave()
        expect(other).to_be_visible()
        expect(back).to_be_hidden()
        expect(stage.cover(stage.panel("svm"))).to_be_focused()


def test_dragging_an_example_draws_on_the_way(visit: Visit) -> None:
    stage = visit(SMALL)
    scale = stage.find_scale("ldm")
    X = Experiment.from_query(stage.query).prepare().dataset.X
    row = int(np.argmax(X[:, 1]))
    stage.take_tool("Move")
    before = stage.numbers()
    stage.page.mouse.move(*scale(*X[row]))
    stage.page.mouse.down()
    stage.page.mouse.move(*scale(X[row, 0], -0.2), steps=10)
    stage.wait_for_numbers(before, other=True)
    stage.page.mouse.move(*scale(X[row, 0] + 0.5, -0.4), steps=10)
    stage.page.mouse.up()
    (move,) = stage.check_numbers().data.edits
    assert move.row == row
    assert (move.x, move.y) == pytest.approx((X[row, 0] + 0.5, -0.4), abs=0.05)


def test_escape_puts_a_dragged_example_back(visit: Visit) -> None:
    stage = visit(SMALL)
    before = stage.numbers()
    scale = stage.find_scale("svm")
    X = Experiment.from_query(SMALL).prepare().dataset.X
    stage.take_tool("Move")
    cover = stage.cover(stage.panel("svm"))
    stage.page.mouse.move(*scale(*X[5]))
    stage.page.mouse.down()
    stage.page.mouse.move(*scale(X[5, 0] + 1, X[5, 1]), steps=5)
    cover.press("Escape")
    stage.page.mouse.up()
    stage.page.wait_for_function("!location.search.includes('edits')")
    stage.check_numbers()
    assert "edits" not in stage.settings
    assert stage.numbers() == before


def test_examples_are_edited_from_the_keyboard(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.take_tool("Add example of class 1")
    cover = stage.cover(stage.panel("svm"))
    cover.focus()
    for key in ("ArrowUp", "Shift+ArrowUp", "ArrowLeft", "Enter"):
        cover.press(key)
    stage.announced("Example of class 1 added.")
    (edit,) = stage.check_numbers().data.edits
    assert isinstance(edit, Add)


def test_the_probe_tells_how_far_each_boundary_turns(visit: Visit) -> None:
    stage = visit(SMALL)
    scale = stage.find_scale("svm")
    X = Experiment.from_query(SMALL).prepare().dataset.X
    row = int(np.argmax(X[:, 1]))
    stage.take_tool("Outlier probe")
    stage.drag(scale(*X[row]), scale(1.0, -1.0))
    experiment = stage.check_numbers()
    assert [edit.row for edit in experiment.data.edits] == [row]
    assert stage.settings["view.probe"] == str(row)
    message, _ = answer(Request(stage.query.removeprefix("?")), None)
    header, _ = decode(message)
    assert header["probe"]["row"] == row
    for key, share in header["probe"]["turned"].items():
        assert share > 0
        said = stage.picture(stage.panel(key)).get_attribute("aria-label") or ""
        assert f"{percent(share)} of the picture changed sides" in said


def test_more_than_two_features_are_not_edited(visit: Visit) -> None:
    stage = visit("data=breast-cancer&methods=svm,ldm")
    edit = stage.button("Edit")
    expect(edit).to_have_attribute("aria-disabled", "true")
    edit.press("Enter")
    expect(stage.root.locator(".ml-strip")).to_contain_text("Examples can be edited only with two features")
