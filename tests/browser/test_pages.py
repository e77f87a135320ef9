"""What every page owes: a title in the window, one first heading, text that can be read where Streamlit draws."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.test_access import contrast

PAGES = {
    "": "Playground",
    "sensitivity": "Sensitivity",
    "compare": "Compare",
    "multiclass": "Multi-class",
    "online": "Online",
    "tables": "Tables",
    "lecture": "Lecture",
    "methods": "Methods",
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


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_told_by_its_title_and_its_first_heading(open_page: Open, path: str) -> None:
    page = open_page(path)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(PAGES[path])
    expect(heading).to_have_count(1)
    expect(page).to_have_title(f"{PAGES[path]} · Margin Lab" if path else "Margin Lab")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("sensitivity", ".xtick text, .g-xtitle text, .g-ytitle text, .annotation text"),
        ("compare", "[data-testid=stCaptionContainer] p, [data-testid=stBaseButton-primary], [data-tag] span"),
        ("methods", ".stCode .token, .xtick text, .g-ytitle text"),
    ],
)
def test_what_streamlit_draws_can_be_read(open_page: Open, path: str, texts: str, scheme: str) -> None:
    page = open_page(path, color_scheme=scheme)
    for kind in texts.split(", "):
        expect(page.locator(kind).first).to_be_visible()
    inks = page.locator(texts).evaluate_all(INKS)
    assert len(inks) >= 3
    poor = {text: round(contrast(ink[:3], ground[:3]), 2) for text, ink, ground in inks}
    assert not {text: found for text, found in poor.items() if found < 4.5}
