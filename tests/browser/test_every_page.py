"""Requirements of every page, in one visit each: a title, one main heading, readable contrast, the rules of axe-core.

They hold in both themes, on a laptop and on a phone. Tab reaches each control, shows its focus, and moves on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import opener
from tests.browser.desk import LAPTOP, Desk
from tests.browser.forms import one_chart
from tests.browser.server import Server
from tests.browser.test_access import contrast
from tests.browser.test_axe import rested, violations

PAGES = {
    "": "Playground",
    "sensitivity": "Sensitivity",
    "compare": "Compare",
    "multiclass": "Multi-class",
    "online": "Online",
    "tables": "Tables",
    "lecture": "Lecture",
    "methods": "Methods",
    "lesson-maker": "Make a lesson",
}
# Compare opens with a comparison, by default one of a minute.
ADDRESSES = {"compare": "compare?data=moons&n=60&methods=svm,ldm&view.compared=svm,ldm&view.repeats=2&view.folds=2"}
DRAWN_BY_STREAMLIT = {
    "sensitivity": (".xtick text", ".g-xtitle text", ".g-ytitle text", ".annotation text"),
    "compare": (
        "[data-testid=stCaptionContainer] p",
        ".st-key-headline p",
        ".st-key-compare-method-rows p",
        ".board tbody th",
        ".board .small",
    ),
    "methods": (".stCode .token", ".xtick text", ".g-ytitle text"),
}
INKS = """elements => {
  const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const over = (ground, color, opacity) => {
    context.globalAlpha = 1;
    context.fillStyle = ground;
    context.fillRect(0, 0, 1, 1);
    context.globalAlpha = opacity;
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  };
  return elements.filter(element => element.checkVisibility() && element.textContent.trim()).map(element => {
    const style = getComputedStyle(element);
    let opacity = 1;
    let ground = null;
    for (let at = element; at; at = at.parentElement) {
      const { opacity: own, backgroundColor } = getComputedStyle(at);
      opacity *= Number(own);
      if (ground === null && !/, 0\\)$/.test(backgroundColor)) ground = backgroundColor;
    }
    const ink = element instanceof SVGElement ? style.fill : style.color;
    return [element.textContent, [...over(ground, ink, opacity)], [...over(ground, ground, 1)]];
  });
}"""
# Whether the page and its charts, which Plotly draws a moment later, have the ground of a colour scheme.
WORN = """scheme => {
  const { colorScheme, backgroundColor } = getComputedStyle(document.querySelector('.stApp'));
  const grounds = [...document.querySelectorAll('.main-svg')].map(svg => getComputedStyle(svg).backgroundColor);
  return colorScheme === scheme && grounds.every(ground => ground === backgroundColor || /, 0\\)$/.test(ground));
}"""
MOST = 400  # presses after which a walk that has not come full circle is trapped
# Numbers the elements that Tab should reach, and records how they and their surroundings look without focus. Tab
# reaches one of a group of Streamlit's radio buttons, and arrow keys move between them.
MARK = """() => {
  window.look = element => {
    const seen = [];
    for (let at = element, up = 0; at && up < 5; at = at.parentElement, up++) {
      for (const pseudo of [null, '::before', '::after']) {
        const {outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, color, opacity} =
          getComputedStyle(at, pseudo);
        seen.push([outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, color, opacity]);
      }
    }
    return JSON.stringify(seen);
  };
  window.plain = new Map();
  const wanted = 'button, input:not([type=file], [type=radio]), select, textarea, a[href], summary, [tabindex="0"]';
  const others = '[data-testid=stButtonGroup] [role=radio]:not([aria-checked=true])';
  const main = document.querySelector('[data-testid=stMain]') ?? document.body;
  document.activeElement?.blur();
  document.querySelectorAll('[data-walk]').forEach(element => delete element.dataset.walk);
  return [...main.querySelectorAll(wanted)]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && !e.closest('[inert]'))
    .filter(e => e.tabIndex >= 0 && !e.matches(others))
    .map((element, number) => {
      element.dataset.walk = String(number);
      window.plain.set(String(number), window.look(element));
      return `${number} ${element.tagName} ${(element.ariaLabel || element.textContent || '').trim().slice(0, 40)}`;
    });
}"""
STAYED = "count => document.querySelectorAll('[data-walk]').length === count"
AT = "() => document.activeElement === document.body ? 'out' : document.activeElement.dataset.walk ?? ''"
CHECKED = "[data-testid=stButtonGroup] [role=radio][aria-checked=true]"
SHOWN = """number => {
  const element = document.querySelector(`[data-walk="${number}"]`);
  return element !== document.activeElement || window.look(element) !== window.plain.get(number);
}"""


def walk(page: Page) -> tuple[list[str], set[str]]:
    """Return the elements that Tab should reach, and the numbers of those reached, each with a visible focus.

    Walk again if the page has replaced an element on the way, as it does after a late run.
    """
    while True:
        found = walk_once(page)
        if page.evaluate(STAYED, len(found[0])):
            return found


def walk_once(page: Page) -> tuple[list[str], set[str]]:
    wanted = page.evaluate(MARK)
    reached: set[str] = set()
    for _ in range(MOST):
        page.keyboard.press("Tab")
        at = page.evaluate(AT)
        if at == "out" and reached:
            return wanted, reached
        if at not in ("", "out") and at not in reached:
            reached.add(at)
            page.wait_for_function(SHOWN, arg=at)
    raise AssertionError(f"Tab never comes round; it reached {sorted(reached, key=int)}")


@pytest.fixture(scope="module", params=PAGES)
def arrived(request: pytest.FixtureRequest, server: Server, desk: Desk) -> Iterator[tuple[str, Page]]:
    """Return a loaded and idle page, shared by all tests of it."""
    path: str = request.param
    with opener(server, desk) as open_page:
        page = open_page(ADDRESSES.get(path, path))
        expect(page.get_by_role("heading", level=1)).to_be_attached()
        if path in {"", "multiclass", "online"}:
            expect(page.get_by_test_id("stage")).not_to_have_attribute("data-drawn", "{}")
        if path == "sensitivity":
            one_chart(page)
        if path == "compare":
            expect(page.get_by_role("radio", name="Take it away")).to_be_visible()
        if path == "lecture":
            expect(page.get_by_test_id("lecture")).to_have_attribute("data-steps", re.compile(r"\d"))
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
        rested(page)
        yield path, page


def test_it_is_told_by_its_title_and_its_first_heading(arrived: tuple[str, Page]) -> None:
    path, page = arrived
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(PAGES[path])
    expect(heading).to_have_count(1)
    expect(page).to_have_title(f"{PAGES[path]} · Margin Lab" if path else "Margin Lab")


def test_tab_reaches_every_control_shows_it_and_goes_on(arrived: tuple[str, Page]) -> None:
    page = arrived[1]
    wanted, reached = walk(page)
    assert wanted
    assert [one for one in wanted if one.partition(" ")[0] not in reached] == []
    for checked in page.locator(CHECKED).all():
        checked.focus()
        page.keyboard.press("ArrowRight")
        assert not checked.evaluate("element => element === document.activeElement")
        assert page.evaluate("() => document.activeElement.role") == "radio"


def test_it_breaks_no_rule_of_axe(arrived: tuple[str, Page]) -> None:
    assert violations(arrived[1]) == []


def test_what_streamlit_draws_can_be_read(arrived: tuple[str, Page]) -> None:
    path, page = arrived
    page.set_viewport_size(LAPTOP)  # type: ignore[arg-type]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        kinds = DRAWN_BY_STREAMLIT.get(path, ())
        if kinds:
            page.wait_for_function(WORN, arg=scheme)
        rested(page)
        for kind in kinds:
            texts = page.locator(kind)
            expect(texts.first).to_be_visible()
            poor = {text: round(contrast(ink[:3], ground[:3]), 2) for text, ink, ground in texts.evaluate_all(INKS)}
            assert not {text: found for text, found in poor.items() if found < 4.5}, scheme
