"""Sliders by keyboard and mouse, their number fields, and the pictures in between."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.forms import arrived
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.3&seed=1&gamma=1&methods=svm,ldm&svm.C=1&ldm.lambda1=16"


def test_an_arrow_key_moves_one_step_and_the_picture_follows(visit: Visit) -> None:
    stage = visit(SMALL)
    for key, exponent in (("ArrowRight", 0.25), ("ArrowRight", 0.5), ("ArrowLeft", 0.25), ("End", 10), ("Home", -10)):
        stage.slider("svm.C").press(key)
        assert stage.settle()["svm.C"] == pytest.approx(2**exponent, rel=1e-9)
        assert float(stage.slider("svm.C").input_value()) == exponent
    expect(stage.slider("svm.C")).to_have_attribute("aria-valuetext", "C = 9.77e-4")
    stage.check_numbers()


def test_a_slider_is_read_out_as_its_field_shows_it(visit: Visit) -> None:
    stage = visit(SMALL)
    for param, symbol, text in (("svm.C", "C", "1024"), ("seed", "seed", "99999"), ("n", "n", "1234")):
        stage.type_number(param, text)
        stage.settle()
        expect(stage.slider(param)).to_have_attribute("aria-valuetext", f"{symbol} = {text}")


def test_a_field_shows_its_whole_number(visit: Visit) -> None:
    stage = visit(SMALL)
    for param, texts in {
        "svm.C": ("0.0009765625", "0.015625", "1048576", "123456789"),
        "seed": ("4294967295",),
    }.items():
        for text in texts:
            stage.type_number(param, text)
            stage.settle()
            field = stage.field(param)
            assert float(field.input_value()) == pytest.approx(float(text), rel=5e-3)
            assert field.evaluate("field => field.scrollWidth - field.clientWidth") <= 0


def test_zero_has_its_place_left_of_a_log_slider(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.slider("ldm.lambda1").press("Home")
    assert stage.settle()["ldm.lambda1"] == 0
    stage.check_numbers()
    stage.slider("ldm.lambda1").press("ArrowRight")
    assert stage.settle()["ldm.lambda1"] == 2**-8


def test_every_legal_number_is_drawn(visit: Visit) -> None:
    stage = visit(SMALL)
    tiny, huge = str(2.0**-10), "1024"
    for param, texts in {
        "svm.C": ("0.3", "5000", tiny),
        "ldm.lambda1": ("0", huge),
        "ldm.lambda2": (huge, "0"),
        "gamma": (tiny, huge),
        "n": ("123",),
    }.items():
        for text in texts:
            stage.type_number(param, text)
            assert stage.settle()[param] == float(text)
            stage.check_numbers()
            assert not stage.root.get_attribute("data-error")


def test_an_illegal_number_is_refused_with_the_legal_range(visit: Visit) -> None:
    stage = visit(SMALL)
    before = stage.settle(), stage.numbers(), stage.query
    for param, text, range_shown in (
        ("svm.C", "-1", "(0, ∞]"),
        ("ldm.lambda1", "-0.5", "[0, ∞)"),
        ("n", "3", "[4, 20000]"),
        ("n", "7.5", "[4, 20000]"),
    ):
        stage.type_number(param, text)
        field = stage.field(param)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description(re.compile(re.escape(range_shown)))
        expect(field).to_have_value(text)  # the input can be corrected
        assert (stage.settle(), stage.numbers(), stage.query) == before
        field.press("Escape")
        expect(field).to_have_attribute("aria-invalid", "false")
        assert float(field.input_value()) == before[0][param]


def test_a_comma_is_a_decimal_sign(visit: Visit) -> None:
    stage = visit("data=moons&n=60&methods=svm,odm")
    field = stage.field("svm.C")
    field.press("Control+a")
    field.press_sequentially("1,5")
    field.press("Enter")
    assert stage.settle()["svm.C"] == 1.5
    stage.page.evaluate("navigator.clipboard.writeText('0,25')")
    field.press("Control+a")
    field.press("Control+v")
    field.press("Enter")
    assert stage.settle()["svm.C"] == 0.25
    field = stage.field("odm.theta")
    field.press("Control+a")
    field.press_sequentially("0,3")
    field.press("Enter")
    assert stage.settle()["odm.theta"] == 0.3
    stage.check_numbers()


def test_a_reset_button_brings_the_default_back(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.button("SVM C: back to 10").click()
    assert stage.settle()["svm.C"] == 10
    stage.check_numbers()


def grip(stage: Stage, share: float) -> tuple[float, float]:
    return stage.at(stage.slider("svm.C"), share, 0.5)


def test_dragging_draws_pictures_on_the_way_and_ends_on_the_last_value(visit: Visit) -> None:
    stage = visit("methods=svm,ldm,odm,msvmav")
    pictures = stage.record_pictures()
    mouse = stage.page.mouse
    mouse.move(*grip(stage, 0.5))
    mouse.down()
    for stop in range(1, 6):  # the button stays down: each picture is drawn before the slider is released
        mouse.move(*grip(stage, 0.5 + 0.08 * stop), steps=5)
        value = 2 ** float(stage.slider("svm.C").input_value())
        drawn = "value => window.pictures.some((one) => Math.abs(one['svm.C'] / value - 1) < 1e-9)"
        stage.page.wait_for_function(drawn, arg=value)
    mouse.move(*grip(stage, 0.2), steps=40)  # faster than pictures can be computed
    mouse.up()
    final = 2 ** float(stage.slider("svm.C").input_value())
    assert stage.settle()["svm.C"] == pytest.approx(final, rel=1e-9)
    seen = [picture["svm.C"] for picture in pictures()]
    assert len(set(seen)) > 5
    assert seen[-1] == stage.drawn["svm.C"]
    stage.check_numbers()


def test_the_latest_wins_and_one_request_is_under_way(visit: Visit) -> None:
    """With delayed answers, only the first and last of ten steps are requested, and no older picture is drawn later."""
    stage = visit(SMALL, own=True)
    asked: list[Route] = []
    holding = True

    def ask(route: Route) -> None:
        asked.append(route)
        if not holding:
            route.continue_()

    stage.page.route("**/stage/picture", ask)
    pictures = stage.record_pictures()
    for _ in range(10):
        stage.slider("svm.C").press("ArrowRight")
    arrived(stage.page, asked)
    expect(stage.root).to_have_attribute("data-busy", "true")
    assert len(asked) == 1
    assert stage.drawn["svm.C"] == 1, "the old picture stays while the new one is computed"
    stage.page.wait_for_function("document.querySelector('[data-testid=stage]').classList.contains('ml-stale')")
    holding = False
    asked[0].continue_()
    assert stage.settle()["svm.C"] == pytest.approx(2**2.5, rel=1e-9)
    assert len(asked) == 2
    assert [picture["svm.C"] for picture in pictures()][-1] == stage.drawn["svm.C"]
    stage.check_numbers()


def test_play_sweeps_a_parameter_until_a_key_is_pressed(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.slider("ldm.lambda1").focus()
    pictures = stage.record_pictures()
    stage.button("Play").click()
    stage.page.wait_for_function("new Set(window.pictures.map(drawn => drawn['ldm.lambda1'])).size >= 8")
    stage.page.keyboard.press("Escape")
    expect(stage.button("Play")).to_have_attribute("aria-pressed", "false")
    last = stage.settle()["ldm.lambda1"]
    stage.check_numbers()
    count = len(pictures())
    stage.slider("svm.C").press("ArrowRight")  # one picture later, play has not continued
    assert stage.settle()["ldm.lambda1"] == last
    assert {picture["ldm.lambda1"] for picture in pictures()[count:]} == {last}
