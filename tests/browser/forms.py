"""Streamlit's own widgets, on the pages without a stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.desk import PATIENCE_MS
from tests.waiting import until

# Resolves when the current layout has been painted and its events, such as the end of a scroll, have been sent.
NEXT_PICTURE = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
FIRST_TRY = 1_500  # ms until a press is repeated for the first time


def tries() -> Iterator[float]:
    """Yield how many ms to wait for the effect of a press before it is repeated: longer each time."""
    wait = FIRST_TRY
    while wait < PATIENCE_MS:
        yield wait
        wait *= 2


def arrived(page: Page, seen: Sequence[object], count: int = 1) -> None:
    """Wait until the test has seen so many requests, of which Playwright tells it only while it asks for something."""
    until(lambda: page.evaluate(NEXT_PICTURE) or len(seen) >= count)


def rest(page: Page) -> None:
    """Wait until the page is not running, because a run would redraw the widgets."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def one_chart(page: Page) -> None:
    """Wait until the page has one chart, without its predecessor."""
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of the list with a label, and open the list again if a late run of the page has closed it.

    A list closes when its surroundings scroll, and the browser sends the scroll event a frame later. So the list is
    first scrolled into view, as by a visitor, and opened after that event.
    """
    taken = page.get_by_role("option", name=option, exact=True)
    box = page.get_by_role("combobox", name=re.compile(label))
    for wait in tries():
        rest(page)
        box.scroll_into_view_if_needed()
        page.evaluate(NEXT_PICTURE)
        box.click()
        try:
            return taken.click(timeout=wait)
        except TimeoutError:
            page.keyboard.press("Escape")
    raise AssertionError(f"{label}: no option {option!r} came")


def press_in_chart(page: Page, target: Locator, across: float = 0.5, down: float = 0.5) -> None:
    """Press in a chart once it shows a tooltip at that place; hover again if the chart has been redrawn meanwhile."""
    told = page.locator(".js-plotly-plot .hovertext").first
    for wait in tries():
        box = target.bounding_box()
        assert box is not None
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
        page.mouse.move(x - 5, y - 5)
        page.mouse.move(x, y, steps=5)
        try:
            expect(told).to_be_visible(timeout=wait)
        except AssertionError:
            continue
        return page.mouse.click(x, y)
    raise AssertionError("the chart never told what lies there")
