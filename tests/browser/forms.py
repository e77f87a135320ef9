"""Streamlit's own widgets, as the pages beside the stage use them."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

TRIES = 20
# What is laid out now has been painted, and all that follows from it, as the end of a scroll, been told.
NEXT_PICTURE = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
TRY = 1_500  # ms until what was pressed is pressed again


def rest(page: Page) -> None:
    """Until no run of the page is under way, by which what is clicked would be drawn anew."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def one_chart(page: Page) -> None:
    """Until the chart is there, and the one before it has gone."""
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def choose(page: Page, label: str, option: str) -> None:
    """Take an option of the list with this label; one that a late run of the page has closed is opened again.

    A list closes when what is around it scrolls, and the browser tells of that a frame later: it is scrolled to first,
    as a visitor does, and opened when that has been told.
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
    """Press there once the chart has told what lies there; one that was drawn anew meanwhile is pointed at again."""
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
