"""Touch on a phone: a vertical swipe scrolls the page, a horizontal one moves the control."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.stage import Place, Stage

PHONE = {"width": 390, "height": 844}
FAR = 240.0  # pixels
# Scrolls to the middle of the screen, and waits until momentum scrolling has ended.
IN_THE_MIDDLE = """async (element) => {
  const frame = () => new Promise(requestAnimationFrame);
  for (let before = NaN, still = 0; still < 5; ) {
    element.scrollIntoView({block: 'center', behavior: 'instant'});
    await frame();
    const { top } = element.getBoundingClientRect();
    still = top === before ? still + 1 : 0;
    before = top;
  }
}"""
SCROLLED = "() => Math.max(...[...document.querySelectorAll('*')].map(element => element.scrollTop))"


def swipe(stage: Stage, start: Place, across: float, down: float, steps: int = 6) -> None:
    """Move a finger; Chromium decides whether this scrolls."""
    finger = stage.page.context.new_cdp_session(stage.page)

    def touch(kind: str, *places: Place) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", start)
    for step in range(1, steps + 1):
        share = step / steps
        touch("touchMove", (start[0] + across * share, start[1] + down * share))
    touch("touchEnd")


def middle_of(element: Locator, share: float = 0.5) -> Place:
    element.evaluate(IN_THE_MIDDLE)
    box = element.bounding_box()
    assert box is not None
    return box["x"] + share * box["width"], box["y"] + 0.5 * box["height"]


@pytest.mark.parametrize(
    ("path", "controls"),
    [
        ("", (lambda stage: stage.slider("ldm.lambda1"), lambda stage: stage.page.get_by_test_id("threshold"))),
        (
            "online",
            (lambda stage: stage.slider("step"), lambda stage: stage.cover(stage.page.get_by_test_id("race"))),
        ),
    ],
    ids=["playground", "online"],
)
def test_scrolling_past_a_control_leaves_it_alone(
    visit: Visit, path: str, controls: tuple[Callable[[Stage], Locator], ...]
) -> None:
    stage = visit(path=path, viewport=PHONE, has_touch=True, is_mobile=True)
    for find in controls:
        before, query = stage.settle(), stage.query
        start = middle_of(find(stage), 0.3)
        scrolled = stage.page.evaluate(SCROLLED)
        swipe(stage, start, 0.0, FAR if scrolled > FAR else -FAR)
        stage.page.wait_for_function(f"before => Math.abs(({SCROLLED})() - before) > 50", arg=scrolled)
        assert stage.settle() == before
        assert stage.query == query
        swipe(stage, middle_of(find(stage), 0.3), 80.0, 4.0)
        stage.page.wait_for_function("query => location.search !== query", arg=query)


def test_a_tap_moves_a_slider_there(visit: Visit) -> None:
    stage = visit(viewport=PHONE, has_touch=True, is_mobile=True)
    slider = stage.slider("ldm.lambda1")
    expect(slider).to_have_attribute("aria-valuetext", "λ₁ = 128")
    stage.page.touchscreen.tap(*middle_of(slider))
    expect(slider).not_to_have_attribute("aria-valuetext", "λ₁ = 128")
    assert stage.settle()["ldm.lambda1"] < 16
    stage.check_numbers()
