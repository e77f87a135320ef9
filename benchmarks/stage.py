"""The stage in Chromium against st.plotly_chart in the same run: key press to paint, and updates while dragging."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright

from benchmarks.timing import Row
from tests.browser.server import FLAGS, find_chromium, serve

QUERY = "data=moons&n=300&noise=0.25&seed=0&gamma=1&methods=svm,ldm,odm,msvmav"
PRESSES = 40

# Time from a keydown until the first frame is painted after the page shows the new value.
WATCH = """
(selector) => {
  window.latencies = [];
  let pressed = null;
  addEventListener('keydown', (event) => { pressed = event.timeStamp; }, true);
  const note = () => {
    if (pressed === null) return;
    const from = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => window.latencies.push(performance.now() - from);
      painted.port2.postMessage(null);
    });
  };
  window.drawings = 0;
  let seen = null;
  new MutationObserver(() => {
    const shown = document.querySelector(selector);
    const text = shown && (shown.dataset.drawn ?? shown.textContent);
    if (text !== null && text !== seen) { seen = text; window.drawings += 1; note(); }
  }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true,
                             attributeFilter: ['data-drawn']});
}
"""


def rows() -> Iterator[Row]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        with serve("app.py") as server:
            page = _open(browser, f"{server.address}/?{QUERY}", "[data-testid=stage][data-drawn]")
            ours = _latencies(page, "[data-testid=stage]", 'input[type=range][data-param="svm.C"]')
            per_second = _drag(page, 'input[type=range][data-param="svm.C"]')
        with serve("benchmarks/stage_with_plotly.py") as server:
            page = _open(browser, server.address, ".gtitle")
            page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length === 4")
            theirs = _latencies(page, ".gtitle", "[data-testid=stSlider] input")
        browser.close()
    quality = (
        f"p95 {np.percentile(ours, 95):.0f} ms, peer's {np.percentile(theirs, 95):.0f} ms; "
        f"{per_second:.0f} updates/s while dragging (peer: none until release)"
    )
    ours_ms, theirs_ms = float(np.median(ours)), float(np.median(theirs))
    yield Row("stage, 4 methods, 300 points: key to paint", "st.plotly_chart", ours_ms, theirs_ms, quality, 4.0)


def _open(browser: Browser, address: str, ready: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.wait_for_selector(ready, timeout=60_000)
    page.wait_for_load_state("networkidle")
    return page


def _latencies(page: Page, shown: str, slider: str) -> list[float]:
    """Return the milliseconds of key presses, each made after the previous answer; a lost press is repeated."""
    page.evaluate(WATCH, shown)
    for press in range(PRESSES):
        key = "ArrowRight" if press % 10 < 5 else "ArrowLeft"
        try:
            _press(page, slider, key, press)
        except TimeoutError:  # Streamlit's slider loses about one press in some hundred
            _press(page, slider, key, press)
    return [float(value) for value in page.evaluate("window.latencies")][5:]


def _press(page: Page, slider: str, key: str, answered: int) -> None:
    """Press a key and wait until more than `answered` presses are answered."""
    page.locator(slider).first.press(key)
    page.wait_for_function("count => window.latencies.length > count", arg=answered, timeout=15_000)


def _drag(page: Page, slider: str, seconds: float = 4.0) -> float:
    """Return the pictures drawn per second while the pointer moves continuously."""
    box = page.locator(slider).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    before, begun = page.evaluate("window.drawings"), time.perf_counter()
    while (elapsed := time.perf_counter() - begun) < seconds:
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.4 * np.sin(3.0 * elapsed)), middle)
    drawn = page.evaluate("window.drawings") - before
    page.mouse.up()
    return float(drawn / seconds)
