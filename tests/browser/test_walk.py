"""Every page beyond the playground is walked from the keyboard: Tab reaches each control, shows it, and goes on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.forms import one_chart
from tests.browser.test_axe import rested
from tests.browser.test_pages import PAGES

MOST = 400  # presses after which a walk that has not come round is caught somewhere
# Numbers what Tab should reach, and keeps how it and what is around it look without the focus. Of Streamlit's radio
# buttons one is reached, and arrows move on to the others.
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
  const main = document.querySelector('[data-testid=stMain]');
  document.activeElement?.blur();
  return [...main.querySelectorAll(wanted)]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && !e.closest('[inert]'))
    .filter(e => e.tabIndex >= 0 && !e.matches(others))
    .map((element, number) => {
      element.dataset.walk = String(number);
      window.plain.set(String(number), window.look(element));
      return `${number} ${element.tagName} ${(element.ariaLabel || element.textContent || '').trim().slice(0, 40)}`;
    });
}"""
AT = "() => document.activeElement === document.body ? 'out' : document.activeElement.dataset.walk ?? ''"
CHECKED = "[data-testid=stButtonGroup] [role=radio][aria-checked=true]"
SHOWN = """number => {
  const element = document.querySelector(`[data-walk="${number}"]`);
  return element !== document.activeElement || window.look(element) !== window.plain.get(number);
}"""


def walk(page: Page) -> tuple[list[str], set[str]]:
    """What Tab should reach, and the numbers of what it reached on its way round, each seen to have the focus."""
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


@pytest.mark.parametrize("path", [path for path in PAGES if path])
def test_tab_reaches_every_control_shows_it_and_goes_on(open_page: Open, path: str) -> None:
    page = open_page(path)
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    if path in {"multiclass", "online"}:
        expect(page.get_by_test_id("stage")).not_to_have_attribute("data-drawn", "{}")
    if path == "sensitivity":
        one_chart(page)
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    if path == "lecture":
        expect(page.get_by_test_id("lecture")).to_have_attribute("data-steps", re.compile(r"\d"))
    rested(page)
    wanted, reached = walk(page)
    assert wanted
    assert [one for one in wanted if one.partition(" ")[0] not in reached] == []
    for checked in page.locator(CHECKED).all():
        checked.focus()
        page.keyboard.press("ArrowRight")
        assert not checked.evaluate("element => element === document.activeElement")
        assert page.evaluate("() => document.activeElement.role") == "radio"
