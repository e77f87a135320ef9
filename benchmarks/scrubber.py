"""The path scrubber's offline page in Chromium: pictures per second while the slider moves with every frame."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import CDPSession, sync_playwright

from benchmarks.timing import Row
from mdcore import Experiment
from mdcore.serving.stage.scrubber_export import scrubber_html
from mdcore.serving.stage.scrubber_scene import pack_path
from mdcore.sweep import Axis, Sweep, axis_params, spaced, walk
from tests.browser.server import FLAGS, find_chromium

QUERY = "data=moons&n=300&noise=0.25&outliers=6&seed=0&gamma=1&methods=svm,ldm&ldm.lambda1=16&ldm.lambda2=16"
FRAMES = 41
SECONDS = 4.0
SCREEN_MS = 1000.0 / 60.0

# Frames of the screen per second; with `scrub`, each frame moves the slider to the next place on the path.
COUNT = """async ([scrub, seconds]) => {
  const slider = document.querySelector("[data-testid=scrub]");
  const root = document.querySelector("[data-testid=scrubber]");
  let drawn = 0;
  const watcher = new MutationObserver(() => { drawn += 1; });
  watcher.observe(root, {attributes: true, attributeFilter: ["data-drawn"]});
  const begun = performance.now();
  let frames = 0;
  while (performance.now() - begun < 1000 * seconds) {
    await new Promise(requestAnimationFrame);
    frames += 1;
    if (!scrub) continue;
    slider.value = frames % (Number(slider.max) + 1);
    slider.dispatchEvent(new Event("input"));
  }
  watcher.disconnect();
  return [1000 * frames / (performance.now() - begun), 1000 * drawn / (performance.now() - begun)];
}"""


def rows() -> Iterator[Row]:
    experiment = Experiment.from_query(QUERY)
    for key in ("ldm.lambda1", "C"):
        sweep = Sweep(experiment, (Axis(key, spaced(axis_params(experiment)[key], FRAMES)),))
        page = scrubber_html(pack_path(sweep, walk(sweep)), "path")
        idle, drawn, cpu_ms = _rates(page)
        size = len(page) / 2**20
        quality = (
            f"{drawn:.0f} pictures/s where the screen alone gives {idle:.0f}; {cpu_ms:.1f} ms of processor time each; "
            f"file of {size:.1f} MB"
        )
        what = f"scrubbing {key}, 2 methods × {FRAMES} frames"
        yield Row(what, "a frame at 60/s", 1000.0 / drawn, SCREEN_MS, quality, 0.97)


def _rates(html: str) -> tuple[float, float, float]:
    """Return frames per second at rest, pictures per second while scrubbing, and milliseconds of work per picture.

    The last is the main thread's processor time, so that the load of the machine does not count.
    """
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "path.html"
        file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(file.as_uri())
        page.wait_for_selector("[data-testid=scrubber][data-drawn]")
        idle, _ = page.evaluate(COUNT, [False, SECONDS])
        page.evaluate(COUNT, [True, SECONDS])  # warm-up of pictures and fonts
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = _busy(devtools)
        _, drawn = page.evaluate(COUNT, [True, SECONDS])
        busy = _busy(devtools) - before
        browser.close()
    return float(idle), float(drawn), 1000.0 * busy / (SECONDS * drawn)


def _busy(devtools: CDPSession) -> float:
    """Return the seconds that the main thread has worked."""
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")
