"""The stage in Chromium against st.plotly_chart in the same run: key press to paint, and updates while dragging.

And what a change costs the server, against the bare answer."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Iterator

import numpy as np
import psutil
from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright
from threadpoolctl import threadpool_limits

from benchmarks.load.session import Scenario, Session, session
from benchmarks.timing import Row
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.last_picture import LastPicture
from mdcore.serving.stage.scene import Request, answer
from tests.browser.server import FLAGS, Server, find_chromium, serve

QUERY = "data=moons&n=300&noise=0.25&gamma=1&methods=svm,ldm,odm,msvmav"
PRESSES = 40
HAND = Scenario("", QUERY, "svm.C", -3, 8)
CHANGES, ROUNDS = 120, 6

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
            page = _open(browser, f"{server.address}/?{QUERY}&seed=0", "[data-testid=stage][data-drawn]")
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
    yield _costs()
    yield Row("stage, 4 methods, 300 points: key to paint", "st.plotly_chart", ours_ms, theirs_ms, quality, 4.0)


def _costs() -> Row:
    """Return the processor time of a change through the server and of its answer alone, in alternating rounds."""
    with serve("app.py") as server:
        through, alone = asyncio.run(_rounds(server))
    ours, bare = float(np.median(through)), float(np.median(alone))
    quality = f"processor time of a change, {ROUNDS} rounds: {min(through):.1f} to {max(through):.1f} ms"
    return Row("stage, a change on the server", "its answer alone", ours, bare, quality, 1.0 / 1.2)


async def _rounds(server: Server) -> tuple[list[float], list[float]]:
    process, through, alone = psutil.Process(server.pid), list[float](), list[float]()
    threadpool_limits(limits=1, user_api="blas")
    gc.freeze()
    async with session(server.address, 0, HAND) as visitor:
        await visitor.open()
        while await _spent(process, asyncio.sleep(1.0)) > 0.05:
            """The server is still loading machine code."""
        before = _alone(visitor, None)
        for _ in range(ROUNDS):
            through.append(1e3 / CHANGES * await _spent(process, _hand(visitor)))
            begun = time.process_time()
            before = _alone(visitor, before)
            alone.append(1e3 / CHANGES * (time.process_time() - begun))
    return through, alone


async def _hand(visitor: Session) -> None:
    for _ in range(CHANGES):
        await visitor.change()


def _alone(visitor: Session, before: LastPicture | None) -> LastPicture | None:
    """Answer as many changes of the same hand, whose values differ, so that no result is at hand."""
    have = catalog()[0]
    for number in range(CHANGES):
        request = Request(visitor.next_query(), number, have, gesture=number // 20, held=True)
        _, before = answer(request, before)
    return before


async def _spent(process: psutil.Process, work: Awaitable[object]) -> float:
    """Return the seconds of processor time that a process spends meanwhile."""
    before = sum(process.cpu_times()[:2])
    await work
    return float(sum(process.cpu_times()[:2]) - before)


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
