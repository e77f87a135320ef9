"""Keyboard use, the dark theme, phones and projectors."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Locator, TimeoutError, expect

from tests.browser.conftest import Look, Visit
from tests.browser.desk import LAPTOP
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm"
PHONE = {"width": 390, "height": 844}
PROJECTOR = {"width": 1280, "height": 720}
READABLE = 4.5  # WCAG AA, text of normal size

# The colour and the first opaque background of every visible text, each as [r, g, b].
TEXT_ON_GROUND = """() => {
  const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d');
  const rgba = (color) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgba(getComputedStyle(e).backgroundColor);
      if (color[3] === 255) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const disabled = '[aria-disabled=true], .ml-idle, .ml-hidden';
  const found = [];
  const walker = document.createTreeWalker(document.querySelector('[data-testid=stage]'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest(disabled)) continue;
    found.push([walker.currentNode.data.trim(), rgba(getComputedStyle(element).color).slice(0, 3), ground(element)]);
  }
  return found;
}"""

# Names of the controls whose centre is covered.
COVERED = """() => [...document.querySelectorAll('[data-testid=stage] :is(button, input, select, summary)')]
  .filter((element) => element.checkVisibility({visibilityProperty: true}) && !element.matches('[type=file]'))
  .filter((element) => {
    element.scrollIntoView({block: 'center'});
    const {left, top, width, height} = element.getBoundingClientRect();
    return !element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })
  .map((element) => element.getAttribute('aria-label') || element.textContent)"""

# Name and shorter side of every touch target except sliders, which are as long as their track.
TARGETS = """() => [...document.querySelectorAll(
    '[data-testid=stage] :is(button, select, summary, input:not([type=range], [type=file]))')]
  .filter((element) => element.checkVisibility({visibilityProperty: true}))
  .map((element) => {
    const {width, height} = element.getBoundingClientRect();
    return [element.getAttribute('aria-label') || element.textContent, Math.min(width, height)];
  })"""

# Counts the texts on canvases, and keeps those that extend beyond the canvas by more than a pixel.
WATCH_WORDS = """() => {
  window.drawnWords = 0;
  window.cutWords = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const {a, b, d, e, f} = this.getTransform();
    const {width, height, isConnected} = this.canvas;
    if (isConnected && b === 0) { // those turned have a height to run along
      const box = this.measureText(text);
      const above = -(f + d * (y - box.actualBoundingBoxAscent));
      const below = f + d * (y + box.actualBoundingBoxDescent) - height;
      const before = -(e + a * (x - box.actualBoundingBoxLeft));
      const behind = e + a * (x + box.actualBoundingBoxRight) - width;
      window.drawnWords += 1;
      if (Math.max(above, below, before, behind) > 1) window.cutWords.push(text);
    }
    return draw.call(this, text, x, y, ...rest);
  };
}"""


def luminance(color: list[int]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list[int], other: list[int]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def faint(texts: list[Any]) -> list[str]:
    """Return the texts with too little contrast."""
    return sorted({f"{text}: {found:.2f}" for text, *pair in texts if (found := contrast(*pair)) < READABLE - 0.01})


def covered(stage: Stage) -> list[str]:
    """Return controls that are covered, and remain so after pending changes."""
    with suppress(TimeoutError):
        stage.page.wait_for_function(f"() => !({COVERED})().length")
    return list(stage.page.evaluate(COVERED))


def tab_to(stage: Stage, target: Locator, most: int = 20) -> None:
    for _ in range(most):
        stage.page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{target} is not reached in {most} steps")


def has_visible_focus(element: Locator) -> bool:
    """Return whether the focus changes the outline, the shadow or the border of an element."""
    look = """element => {
      const style = getComputedStyle(element);
      return [style.outlineStyle, style.outlineWidth, style.outlineColor, style.boxShadow, style.borderColor].join();
    }"""
    focused = element.evaluate(look)
    element.evaluate("element => element.blur()")
    return bool(focused != element.evaluate(look))


def test_everything_important_is_done_from_the_keyboard(visit: Visit) -> None:
    """Tab reaches every control: see test_every_page."""
    stage = visit(SMALL)
    keyboard = stage.page.keyboard
    stage.chip("ODM").focus()
    keyboard.press("Enter")
    stage.settle()
    stage.button("Pin").focus()
    keyboard.press("Space")
    stage.announced("Pinned.")
    stage.settle()
    stage.slider("ldm.lambda1").focus()
    for _ in range(4):
        keyboard.press("ArrowRight")
    assert stage.settle()["ldm.lambda1"] == 32
    experiment = stage.check_numbers()
    assert experiment.methods == ("svm", "ldm", "odm")
    assert stage.settings["view.pin1"]
    keyboard.press("Control+z")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"ldm.lambda1":16,'))
    stage.check_numbers()


def test_tools_and_scale_are_chosen_with_arrow_keys(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.button("Edit").focus()
    stage.page.keyboard.press("Enter")
    tab_to(stage, stage.root.get_by_role("radio", name="Add example of class -1"))
    stage.page.keyboard.press("ArrowRight")
    expect(stage.root.get_by_role("radio", name="Add example of class 1")).to_have_attribute("aria-checked", "true")
    stage.root.get_by_role("radio", name="Geometric margins").focus()
    stage.page.keyboard.press("ArrowLeft")
    stage.settle()
    assert stage.check_numbers().scale == "functional"


def test_the_focus_is_seen(look: Look) -> None:
    stage = look(SMALL)
    histogram = stage.cover(stage.page.get_by_test_id("histogram"))
    for element in (
        stage.chip("SVM"),
        stage.slider("svm.C"),
        stage.field("svm.C"),
        stage.choice("kernel"),
        stage.button("Pin"),
        stage.button("Edit"),
        stage.cover(stage.panel("svm")),
        histogram,
        stage.page.get_by_test_id("threshold"),
    ):
        element.focus()
        stage.page.keyboard.press("Shift")  # press a key, because the browser shows the focus only to keyboard users
        assert has_visible_focus(element), element


def test_help_opens_and_closes_from_the_keyboard(look: Look) -> None:
    stage = look(SMALL)
    button = stage.button("Help for LDM · λ₁")
    button.focus()
    stage.page.keyboard.press("Enter")
    dialog = stage.root.get_by_role("dialog", name="LDM · λ₁")
    expect(dialog).to_contain_text("Weight of the margin variance")
    expect(dialog).to_contain_text("[0, ∞)")
    expect(dialog).to_contain_text("2⁻⁸")
    stage.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_text_can_be_read_in_light_and_in_dark(look: Look) -> None:
    stage = look("methods=svm,ldm,odm,msvmav")
    for scheme in ("light", "dark"):
        stage.wear(scheme)
        texts = stage.page.evaluate(TEXT_ON_GROUND)
        assert len(texts) > 100
        for _, _, ground in texts[:3]:
            assert (luminance(ground) < 0.05) == (scheme == "dark")
        assert not faint(texts), scheme


def test_the_pictures_follow_the_scheme(visit: Visit) -> None:
    stage = visit(SMALL, color_scheme="light")
    corner = """canvas => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let bright = 0;
      for (let i = 0; i < data.length; i += 4) bright += data[i] + data[i + 1] + data[i + 2];
      return bright / (0.75 * data.length) / 255;
    }"""
    canvas = stage.picture(stage.panel("ldm"))
    light = canvas.evaluate(corner)
    stage.page.emulate_media(color_scheme="dark")
    expect(stage.root).to_have_class(re.compile("ml-dark"))
    stage.page.wait_for_function(f"canvas => ({corner})(canvas) < 0.6 * {light}", arg=canvas.element_handle())
    stage.check_numbers()


def test_what_is_chosen_is_seen_in_the_systems_own_colours(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.page.emulate_media(forced_colors="active")
    ground = "element => getComputedStyle(element).backgroundColor"
    assert stage.chip("LDM").evaluate(ground) != stage.chip("ODM").evaluate(ground)
    scales = (stage.root.get_by_role("radio", name=f"{name} margins") for name in ("Functional", "Geometric"))
    functional, geometric = (scale.evaluate(ground) for scale in scales)
    assert functional != geometric
    own = "element => getComputedStyle(element).forcedColorAdjust"
    assert stage.slider("svm.C").evaluate(own) == "none", "the track is a background, which would be taken away"


def in_window(stage: Stage, element: Locator) -> bool:
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    assert box is not None
    width = stage.page.viewport_size["width"]  # type: ignore[index]
    return bool(box["x"] >= 0 and box["x"] + box["width"] <= width + 0.5)


def test_a_phone_scrolls_down_only_and_reaches_everything(visit: Visit) -> None:
    stage = visit(SMALL, viewport=PHONE, has_touch=True)
    sideways = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
    assert stage.page.evaluate(sideways) <= PHONE["width"]
    for param in ("svm.C", "ldm.lambda1"):
        assert in_window(stage, stage.slider(param))
        assert in_window(stage, stage.field(param))
    for view in (stage.panel("svm"), stage.panel("ldm"), *map(stage.page.get_by_test_id, ("histogram", "cumulative"))):
        assert in_window(stage, view)
        box = view.bounding_box()
        assert box is not None
        assert box["width"] > 160
        assert box["height"] > 100
    stage.chip("ODM").tap()
    stage.settle()
    stage.slider("odm.theta").press("ArrowRight")
    stage.settle()
    stage.check_numbers()
    stage.root.locator("summary").filter(has_text=re.compile("^Data$")).tap()
    expect(stage.choice("kernel")).to_be_visible()
    assert in_window(stage, stage.choice("kernel"))
    stage.choice("kernel").select_option("linear")
    stage.settle()
    assert stage.check_numbers().kernel.name == "linear"
    assert stage.page.evaluate(sideways) <= PHONE["width"]


def test_fingers_find_targets_of_some_size(visit: Visit) -> None:
    stage = visit(SMALL, viewport=PHONE, has_touch=True)
    stage.root.locator("summary").filter(has_text=re.compile("^Data$")).tap()
    stage.button("Pin").tap()
    expect(stage.button("Remove pin 1")).to_be_visible()
    sizes = stage.page.evaluate(TARGETS)
    assert len(sizes) > 60
    assert not {name: size for name, size in sizes if size < 24}  # WCAG 2.5.8


def test_a_phone_shows_a_whole_sentence(visit: Visit) -> None:
    stage = visit(path="online", viewport=PHONE)
    sentence = stage.root.locator(".ml-sentence")
    expect(sentence).to_contain_text("ROMMA")
    assert sentence.evaluate("sentence => sentence.scrollHeight - sentence.clientHeight") <= 1


@pytest.mark.parametrize("path", ["", "multiclass", "online"])
def test_no_word_on_a_canvas_is_cut_off(visit: Visit, path: str) -> None:
    stage = visit(path=path, viewport=PROJECTOR)
    stage.page.evaluate(f"({WATCH_WORDS})()")
    queries = ("", "data=breast-cancer&methods=svm,ldm,odm,msvmav") if path == "" else ("",)
    for query in queries:
        for view in ("view.projector=1", ""):
            stage.page.evaluate("window.drawnWords = 0")
            stage.go(f"{query}&{view}".strip("&"))
            stage.page.wait_for_function("window.drawnWords > 40")
            assert stage.page.evaluate("window.cutWords") == [], (query, view)


def test_a_projector_shows_everything_in_large_type(look: Look) -> None:
    stage = look(SMALL, viewport=PROJECTOR)
    small = stage.chip("SVM").evaluate("chip => parseFloat(getComputedStyle(chip).fontSize)")
    stage.button("Projector: large type").click()
    stage.settle()
    size = stage.chip("SVM").evaluate("chip => parseFloat(getComputedStyle(chip).fontSize)")
    assert size >= max(18, 1.2 * small)
    assert stage.settings["view.projector"] == "1"
    for view in (stage.panel("svm"), stage.panel("ldm"), *map(stage.page.get_by_test_id, ("histogram", "cumulative"))):
        expect(view).to_be_in_viewport(ratio=1)
    for slider in ("svm.C", "ldm.lambda1"):
        expect(stage.slider(slider)).to_be_in_viewport(ratio=1)
    assert stage.page.evaluate("document.documentElement.scrollWidth") <= PROJECTOR["width"]
    stage.check_numbers()


def test_nothing_lies_on_a_control(look: Look) -> None:
    stage = look()
    for methods in ("svm,ldm", "svm,ldm,odm,msvmav"):
        stage.go(f"methods={methods}")
        for value in ("2", "20"):
            stage.button("Pin").click()
            stage.settle()
            stage.type_number("svm.C", value)
            stage.settle()
        for viewport in (PHONE, LAPTOP):
            stage.resize(viewport)
            assert covered(stage) == [], (methods, viewport)
