"""Open states of pages, and pages without Streamlit, under axe-core: in both themes, on a laptop and on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.desk import LAPTOP
from tests.browser.forms import rest
from tests.browser.server import Server
from tests.browser.test_access import PHONE
from tests.phones import open_room

ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PINNED = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]["axe-core"]
# Waits for the end of transitions, except spinners, which never end.
AT_REST = """() => document.getAnimations().every(({constructor, playState}) =>
  constructor !== CSSTransition || playState !== 'running')"""
GROUND = "() => getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor"
# A theme changes colours only, so that one theme is checked for all rules and the other for those on colours.
CHECKED = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}
FOUND = """async rules => {
  const {violations} = await axe.run(document, {resultTypes: ['violations'], ...rules});
  return violations.flatMap(({id, impact, nodes}) => nodes.map(({target, any, all, none}) =>
    `${impact} ${id} at ${target}: ${[...any, ...all, ...none][0]?.message}`));
}"""


def load_axe(page: Page) -> None:
    if not AXE.is_file():
        raise RuntimeError(f"no axe-core at {AXE.relative_to(ROOT)}; `make test` installs it")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate("axe.version") == PINNED


def rested(page: Page) -> None:
    """Wait until the page is idle, without runs, pending pictures or transitions."""
    if page.get_by_test_id("stApp").count():
        rest(page)
    if page.get_by_test_id("stage").count():
        expect(page.get_by_test_id("stage").first).to_have_attribute("data-busy", "false")
    page.wait_for_function(AT_REST)


def violations(page: Page) -> list[str]:
    """Return the violations in both themes, on a laptop and on a phone."""
    load_axe(page)
    found = []
    for name, viewport in (("laptop", LAPTOP), ("phone", PHONE)):
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        grounds = set()
        for scheme, rules in CHECKED.items():
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            if page.get_by_test_id("stage").count():
                dark = re.compile("ml-dark")
                stage = expect(page.get_by_test_id("stage").first)
                stage.to_have_class(dark) if scheme == "dark" else stage.not_to_have_class(dark)
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            rested(page)
            grounds.add(page.evaluate(GROUND))
            found += [f"{name}, {scheme}: {one}" for one in page.evaluate(FOUND, rules)]
        assert len(grounds) == 2
    return found


def press(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=name, exact=True).first.click()


def compare(page: Page) -> None:
    page.get_by_role("radio", name="Is it real?").click()
    page.get_by_role("button", name="Terms of this table").first.press("Enter")
    expect(page.get_by_text("Share of test rows predicted correctly.").first).to_be_visible()


def press_and_wait(page: Page) -> None:
    press("Pin")(page)
    expect(page.get_by_role("button", name="Remove pin 1")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "act"),
    [
        ("?methods=svm,ldm,odm,msvmav", press("Edit")),
        ("?methods=svm,ldm", press_and_wait),
        ("?methods=svm,ldm", press("Help for LDM · λ₁")),
        ("?data=breast-cancer&methods=svm,ldm", press("Export")),
        ("?data=nothing", lambda page: None),
        ("compare?data=moons&n=60&seed=1&methods=svm,ldm&view.parameters=defaults", compare),
        ("methods?method=nothing", lambda page: None),
    ],
    ids=["editing", "pinned", "help", "export", "refused", "compared", "unknown method"],
)
def test_what_a_page_opens_breaks_no_rule(open_page: Open, path: str, act: Callable[[Page], None]) -> None:
    page = open_page(path)
    if path.startswith("?"):
        expect(page.get_by_test_id("stage")).not_to_have_attribute("data-drawn", "{}")
    rested(page)
    act(page)
    rested(page)
    assert violations(page) == []


@pytest.mark.parametrize("view", ["", "/remote"])
def test_a_rooms_pages_break_no_rule(open_page: Open, server: Server, view: str) -> None:
    _, join, told = open_room(server.address)
    page = open_page(f"{join.removeprefix('/')}{view}#{told['key']}")
    expect(page.locator("#asked")).to_have_text(re.compile("."))
    assert violations(page) == []


def test_the_door_to_the_rooms_breaks_no_rule(open_page: Open) -> None:
    page = open_page("join")
    expect(page.locator("h1, h2").first).to_be_visible()
    assert violations(page) == []


def test_a_handout_breaks_no_rule(open_page: Open) -> None:
    page = open_page("lessons/margins/handout")
    expect(page.locator("h1").first).to_be_visible()
    assert violations(page) == []  # it is meant for printing


def test_a_lesson_without_a_server_breaks_no_rule(open_page: Open, server: Server) -> None:
    page = open_page("lessons/margins/handout")
    page.set_content(page.request.get(f"{server.address}/lessons/margins/offline").text())
    expect(page.locator("h1, h2").first).to_be_attached()
    assert violations(page) == []
