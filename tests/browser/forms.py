"""Streamlit's own widgets, on the pages without a stage."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

TRIES = 20
# Resolves when the current layout has been painted and its events, such as the end of a scroll, have been sent.
NEXT_PICTURE = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
TRY = 1_500  # ms until a press is repeated


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
    for _ in range(TRIES):
        rest(page)
        box.scroll_into_view_if_needed()
        page.evaluate(NEXT_PICTURE)
        box.click()
        try:
            return taken.click(timeout=TRY)
        except TimeoutError:
            page.keyboard.press("Escape")
    raise AssertionError(f"{label}: no option {option!r} came")


def press_in_chart(page: Page, target: Locator, across: float = 0.5, down: float = 0.5) -> None:
    """Press in a chart once it shows a tooltip at that place; hover again if the chart has been redrawn meanwhile."""
    told = page.locator(".js-plotly-plot .hovertext").first
    for _ in range(TRIES):
        box = target.bounding_box()
        assert box is not None
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
        page.mouse.move(x - 5, y - 5)
        page.mouse.move(x, y, steps=5)
        try:
            expect(told).to_be_visible(timeout=TRY)
        except AssertionError:
            continue
        return page.mouse.click(x, y)
    raise AssertionError("the chart never told what lies there")
