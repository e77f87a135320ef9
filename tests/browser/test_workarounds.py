"""Workarounds for Streamlit's frontend, and whether they are still needed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from mdcore.ui.workarounds.own_address import HEAD, TOLD, with_address
from mdcore.ui.workarounds.server import streamlit_page
from tests.browser.conftest import Open, Visit
from tests.browser.forms import rest
from tests.browser.server import Server

# Keeps every text that reaches a canvas.
LISTEN = """() => {
  window.texts = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    window.texts.push(text);
    fillText.call(this, text, ...place);
  };
}"""


def test_a_page_that_has_fallen_to_nothing_is_loaded_again(visit: Visit) -> None:
    stage = visit("data=moons&n=40&methods=svm")
    address = stage.page.url
    stage.page.evaluate("document.getElementById('root').replaceChildren()")
    expect(stage.page.locator("[data-testid=stage][data-busy=false]")).to_be_visible()
    assert stage.page.url == address


def refused(page: Page, path: str) -> list[str]:
    """Open a page, and return the addresses below `_stcore` that were not found meanwhile."""
    found: list[str] = []
    page.on(
        "response", lambda reply: found.append(reply.url) if reply.status == 404 and "_stcore" in reply.url else None
    )
    page.goto(page.url.replace("_stcore/health", path))
    rest(page)
    return found


@pytest.mark.parametrize("path", ["", "methods", "lecture?read=1"])
def test_no_page_looks_for_its_server_where_there_is_none(open_page: Open, path: str) -> None:
    assert refused(open_page("_stcore/health", own=True), path) == []


def test_streamlit_looks_for_its_server_below_the_page(server: Server, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{server.address}/_stcore/health")
    untold = with_address(streamlit_page()).replace(TOLD, "")
    page.route("**/methods", lambda route: route.fulfill(body=untold, content_type="text/html"))
    with page.expect_response(f"{server.address}/methods/_stcore/health") as reply:
        page.goto(f"{server.address}/methods")
    assert reply.value.status == 404
    page.close()


def test_behind_a_proxy_the_address_of_the_server_has_its_prefix(server: Server, open_page: Open) -> None:
    page = open_page("_stcore/health", own=True)
    html = with_address(f"<html>{HEAD}</head></html>")
    for path, base in (("lab/lecture", "lab/"), ("lab/", "lab/"), ("methods", "")):
        page.route(f"**/{path}", lambda route: route.fulfill(body=html, content_type="text/html"))
        page.goto(f"{server.address}/{path}")
        assert page.evaluate("window.__streamlit.BACKEND_BASE_URL") == f"{server.address}/{base}"


def cells_of_rows(page: Page, sign: str) -> str:
    """Return the texts of a table of numbers, the first of which, the margin of the hardest row, is negative."""
    expect(page.get_by_role("button", name="Open on the stage")).to_be_visible()
    rest(page)
    page.get_by_text("Where does it fail?").click()
    page.get_by_text("Rows", exact=True).first.click()
    rest(page)
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    page.wait_for_function("sign => window.texts.some((text) => text.startsWith(sign) && /\\d/.test(text))", arg=sign)
    return "\n".join(page.evaluate("window.texts"))


ROWS = "compare?data=moons&n=60&noise=0.5&seed=1&methods=svm&view.compared=svm&view.parameters=defaults&view.repeats=2"


def test_a_table_writes_a_true_minus_sign(open_page: Open) -> None:
    page = open_page("_stcore/health", own=True)
    page.add_init_script(f"({LISTEN})()")
    page.goto(page.url.replace("_stcore/health", ROWS))
    assert not re.search(r"^-\d", cells_of_rows(page, "\N{MINUS SIGN}"), re.M)


def without(found: str, other: str) -> Callable[[Route], None]:
    """Load the script with other code at one place."""

    def load(route: Route) -> None:
        script = route.fetch()
        assert script.text().count(found) == 1
        route.fulfill(response=script, body=script.text().replace(found, other))

    return load


def test_streamlit_writes_a_hyphen_for_minus(open_page: Open) -> None:
    page = open_page("_stcore/health", own=True)
    page.add_init_script(f"({LISTEN})()")
    page.route("**/modules/margin-lab.js", without("NUMBER.test(text) ?", "false ?"))
    page.goto(page.url.replace("_stcore/health", ROWS))
    assert re.search(r"^-\d", cells_of_rows(page, "-"), re.M), "minus.js can go"


PARAMETERS = "[role=radiogroup][aria-label=Parameters] [role=radio]"


def entered_by_tab(page: Page, key: str) -> str:
    """Return the parameters on which the focus stands when Tab, or Shift and Tab, enters their group from outside."""
    expect(page.get_by_role("button", name="Open on the stage")).to_be_visible()
    rest(page)
    page.get_by_role("combobox", name="Add a method").focus()
    outside = "selector => !document.activeElement.matches(selector)"
    if key == "Shift+Tab":
        page.get_by_role("spinbutton", name="Splits").focus()
    for _ in range(4):
        page.keyboard.press(key)
        if not page.evaluate(outside, PARAMETERS):
            break
    return str(page.evaluate("() => document.activeElement.textContent"))


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_tab_enters_a_group_of_radios_at_the_checked_one(open_page: Open, key: str) -> None:
    page = open_page(ROWS)
    assert entered_by_tab(page, key) == "default"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.textContent") == "papers' grids"


def test_streamlit_enters_a_group_of_radios_at_the_first(open_page: Open) -> None:
    page = open_page("_stcore/health", own=True)
    page.route("**/modules/margin-lab.js", without("group.contains(", "true || group.contains("))
    page.goto(page.url.replace("_stcore/health", ROWS))
    assert entered_by_tab(page, "Tab") == "tuned", "checked_radio.js can go"
