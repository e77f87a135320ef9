"""Saved pages are dark in a dark browser, light in a light one, and follow a change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from mdcore import Experiment
from mdcore.export.state import figures_page
from mdcore.figures import cumulative_figure
from mdcore.figures.style import dark_inks
from mdcore.serving.lecture.handout import handout
from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.stage.scrubber_export import scrubber_html
from mdcore.serving.stage.scrubber_scene import pack_path
from mdcore.sweep import Axis, Sweep, walk

SMALL = "data=moons&n=40&seed=1&kernel=linear&methods=ldm"
DARKEST = "data=sectors&each=8&seed=0&gamma=1&methods=mcsvm"  # has a colour that is lightened on a dark page

# The relative luminances of the page and of a text.
LUMINANCES = """element => [getComputedStyle(document.body).backgroundColor,
  getComputedStyle(element).color].map((color) => {
  const [red, green, blue] = color.match(/[\\d.]+/g).map((part) => Number(part) / 255);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
})"""


def scrubber_page() -> str:
    sweep = Sweep(Experiment.from_query(SMALL), (Axis("ldm.lambda1", (0.0, 1.0)),))
    return scrubber_html(pack_path(sweep, walk(sweep)), "LDM")


def chart_page() -> str:
    return figures_page(Experiment.from_query(DARKEST).run(), "A sentence.")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (chart_page, "h1"),
        (scrubber_page, "h1"),
        (partial(handout, find_lesson("lambda"), notes=True), ".question p"),
    ],
)
def test_a_saved_page_has_the_theme_of_the_browser(
    browser: Browser, tmp_path: Path, make: Callable[[], str], text: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(make(), encoding="utf-8")
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(path.as_uri())
    shown = page.locator(text).first
    ground, ink = shown.evaluate(LUMINANCES)
    assert ground < 0.15
    assert ink > 0.7
    page.emulate_media(color_scheme="light")
    ground, ink = shown.evaluate(LUMINANCES)
    assert ground > 0.95
    assert ink < 0.3
    page.context.close()


def test_the_charts_of_a_saved_page_change_their_colours_with_it(browser: Browser, tmp_path: Path) -> None:
    runs = list(Experiment.from_query(DARKEST).run().values())
    made = cumulative_figure(runs)
    at, inks = next((at, inks) for at, inks in enumerate(dark_inks(made)) if inks)
    own = {place: made.data[at][place] for place in inks}
    assert own != inks
    path = tmp_path / "page.html"
    path.write_text(chart_page(), encoding="utf-8")
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(path.as_uri())
    chart = page.locator(".js-plotly-plot").last
    title = chart.locator(".xtitle")
    for scheme, colors, bright in (("dark", inks, True), ("light", own, False), ("dark", inks, True)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        expect(chart.locator(".scatterlayer .trace path.js-line").nth(at)).to_have_css(
            "stroke", rgb(colors["line.color"])
        )
        _, ink = title.evaluate(LUMINANCES.replace(".color]", ".fill]"))
        assert (ink > 0.7) is bright
    page.context.close()


def rgb(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"
