"""The stage as a user sees it, through test ids, accessible names and pixels."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from mdcore import Experiment
from mdcore.experiment.run import Run
from mdcore.margins.distribution import STATISTICS
from tests.browser.forms import rest

Place = tuple[float, float]

# Whether the URL has the parameters of the picture on screen, behind which it may lag while a slider moves.
ADDRESS_IS_DRAWN = """() => {
  const drawn = JSON.parse(document.querySelector('[data-testid=stage]').dataset.drawn);
  const query = new URLSearchParams(location.search);
  return Object.entries(drawn).every(([key, value]) =>
    query.has(key) && (query.get(key) === String(value) || Number(query.get(key)) === value));
}"""
SETTLED = """() => {
  const stage = document.querySelector('[data-testid=stage]');
  return stage?.checkVisibility() && stage.dataset.drawn !== '{}' && stage.dataset.busy === 'false';
}"""
LOOK = 20  # ms between two looks; those of `expect` come up to a second apart
GO = """query => {
  const entry = {...history.state, stage: {index: 1, top: 1, query}};
  history.pushState(entry, '', `${location.pathname}?${query}`);
  dispatchEvent(new PopStateEvent('popstate', {state: entry}));
}"""
SHOWN = """cells => cells.map(({dataset: {method, split, stat, value}}) => [method, split, stat, value])"""
FIRST_NUMBER = "Number(document.querySelector('[data-testid=stat]').dataset.value)"
# Records the parameters of every picture drawn from now on.
RECORD = """() => {
  window.pictures = [];
  const stage = document.querySelector('[data-testid=stage]');
  new MutationObserver(() => window.pictures.push(JSON.parse(stage.dataset.drawn)))
    .observe(stage, {attributes: true, attributeFilter: ['data-drawn']});
}"""


class Stage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.get_by_test_id("stage")

    # The state of the screen

    def settle(self) -> dict[str, Any]:
        """Wait until the last requested picture is drawn, and return its parameters."""
        self.page.wait_for_function(SETTLED, polling=LOOK)
        return self.drawn

    def resize(self, viewport: ViewportSize) -> None:
        """Resize the window, and wait until the stage is laid out and drawn."""
        self.page.set_viewport_size(viewport)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.settle()

    def wear(self, scheme: Literal["light", "dark"]) -> None:
        """Switch the theme of the system, and wait until the stage is drawn in it."""
        self.page.emulate_media(color_scheme=scheme)
        dark = re.compile("ml-dark")
        (expect(self.root).to_have_class if scheme == "dark" else expect(self.root).not_to_have_class)(dark)
        self.settle()

    def go(self, query: str) -> None:
        """Go to another state of this page in the way of Back, which runs the page without reloading it."""
        self.page.evaluate(GO, query)
        self.settle()
        rest(self.page)

    @property
    def drawn(self) -> dict[str, Any]:
        return json.loads(self.root.get_attribute("data-drawn") or "{}")

    @property
    def query(self) -> str:
        return str(self.page.evaluate("location.search"))

    @property
    def settings(self) -> dict[str, str]:
        """The settings in the URL."""
        return dict(self.page.evaluate("[...new URLSearchParams(location.search)]"))

    def numbers(self) -> dict[tuple[str, str, str], float]:
        """Return (method, part, statistic) -> number at full precision, or nan if none is shown."""
        cells = self.page.get_by_test_id("stat").evaluate_all(SHOWN)
        return {(method, part, stat): float(value) if value else math.nan for method, part, stat, value in cells}

    def check_numbers(self) -> Experiment:
        """Assert that the statistics on screen are those of the experiment in the URL, and return it."""
        self.settle()
        self.page.wait_for_function(ADDRESS_IS_DRAWN)
        experiment = Experiment.from_query(self.query)
        assert self.numbers() == pytest.approx(statistics(experiment.run()), rel=1e-9, abs=1e-9, nan_ok=True)
        return experiment

    def wait_for_numbers(self, numbers: dict[tuple[str, str, str], float], *, other: bool = False) -> None:
        """Wait until the first statistic equals, or with `other` differs from, the first of these numbers."""
        compare = "!==" if other else "==="
        self.page.wait_for_function(f"first => {FIRST_NUMBER} {compare} first", arg=next(iter(numbers.values())))

    def announced(self, text: str) -> None:
        """Assert that a text is announced to screen readers."""
        expect(self.root.get_by_role("status")).to_have_text(text)

    def record_pictures(self) -> Callable[[], list[dict[str, Any]]]:
        self.page.evaluate(RECORD)
        return lambda: self.page.evaluate("window.pictures")

    # Controls

    def slider(self, param: str) -> Locator:
        return self._unfolded(f'input[type=range][data-param="{param}"]')

    def field(self, param: str) -> Locator:
        return self._unfolded(f'input[type=number][data-param="{param}"]')

    def choice(self, param: str) -> Locator:
        return self._unfolded(f'select[data-param="{param}"]')

    def _unfolded(self, selector: str) -> Locator:
        """Return an element, after opening its section, which may be folded."""
        found = self.page.locator(selector)
        found.evaluate_all("found => found.forEach((one) => one.closest('.ml-section')?.setAttribute('open', ''))")
        return found

    def button(self, name: str, *, exact: bool = True) -> Locator:
        return self.root.get_by_role("button", name=name, exact=exact)

    def chip(self, name: str) -> Locator:
        return self.root.get_by_role("group", name="Methods").get_by_role("button", name=name, exact=True)

    def edit(self, on: bool = True) -> None:
        button = self.button("Edit")
        if (button.get_attribute("aria-expanded") == "true") != on:
            button.click()

    def take_tool(self, name: str) -> None:
        self.edit()
        self.root.get_by_role("radiogroup", name="Tools").get_by_role("radio", name=name, exact=True).click()

    def panel(self, method: str) -> Locator:
        return self.page.locator(f'[data-testid=boundary][data-method="{method}"]')

    def type_number(self, param: str, text: str) -> None:
        self.field(param).fill(text)
        self.field(param).press("Enter")

    def clear_edits(self) -> None:
        self.edit()
        self.button("Reset edits: restore the original sample").click()
        self.settle()

    # Places on a canvas

    def picture(self, view: Locator) -> Locator:
        """Return the canvas that is drawn once for each scene and has the text alternative of the view."""
        return view.get_by_role("img")

    def cover(self, view: Locator) -> Locator:
        """Return the canvas on top, which takes the pointer and shows marks."""
        return view.locator("canvas").last

    def pixels(self, canvas: Locator) -> str:
        return str(canvas.evaluate("canvas => canvas.toDataURL()"))

    def at(self, view: Locator, across: float, down: float) -> Place:
        """Return a place in the window from shares of a view's width and height."""
        box = view.bounding_box()
        assert box is not None
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    def click(self, place: Place) -> None:
        self.page.mouse.click(*place)

    def drag(self, start: Place, end: Place, steps: int = 10) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()

    def find_scale(self, method: str) -> Scale:
        """Return the scale of the data in the window, from two points that are added and removed again."""
        shares = (0.4, 0.3), (0.6, 0.6)
        self.take_tool("Add example of class 1")
        for share in shares:
            self.click(self.at(self.panel(method), *share))
            self.settle()
        added = [list(map(float, edit.split("_")[1:3])) for edit in self.settings["edits"].split("~")[-2:]]
        self.clear_edits()
        self.edit(False)
        return Scale(
            lambda: [self.at(self.panel(method), *share) for share in shares],
            (added[0][0], added[0][1]),
            (added[1][0], added[1][1]),
        )


@dataclass(frozen=True)
class Scale:
    """The mapping from unscaled features to the window, given by two places.

    They are looked up at every call, because the tools of Edit move the panels.
    """

    places: Callable[[], list[Place]]
    near_data: Place
    far_data: Place

    def __call__(self, x: float, y: float) -> Place:
        shares = [(v - a) / (b - a) for v, a, b in zip((x, y), self.near_data, self.far_data, strict=True)]
        near, far = self.places()
        across, down = (a + s * (b - a) for s, a, b in zip(shares, near, far, strict=True))
        return across, down


def statistics(runs: dict[str, Run]) -> dict[tuple[str, str, str], float]:
    return {
        (key, part, stat): getattr(getattr(run, part), stat)
        for key, run in runs.items()
        for part in ("train", "test")
        for stat in STATISTICS
    }
