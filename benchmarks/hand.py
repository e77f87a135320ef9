"""What a hand sees that moves a slider 32 times a second: how many inputs get a picture, and what takes how long.

`python -m benchmarks.hand [--seconds 10]`. A picture that comes after the next input counts for the newest input it
shows: an input without a picture of its own was overtaken.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks.stage import QUERY
from tests.browser.server import FLAGS, find_chromium, serve

RATE = 32.0  # inputs a second
SLIDER = 'input[type=range][data-param="svm.C"]'
# Notes the times of inputs, of pictures, and of the frames that show them.
WATCH = """slider => {
  const times = window.times = { inputs: [], pictures: [], frames: [] };
  performance.setResourceTimingBufferSize(5000);
  performance.clearResourceTimings();
  document.querySelector(slider).addEventListener("input", (event) => times.inputs.push(event.timeStamp), true);
  const stage = document.querySelector("[data-testid=stage]");
  new MutationObserver(() => {
    const drawn = performance.now();
    times.pictures.push(drawn);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => times.frames.push(performance.now() - drawn);
      port2.postMessage(null);
    });
  }).observe(stage, { attributes: true, attributeFilter: ["data-drawn"] });
}"""
READ = """() => ({
  ...window.times,
  answers: performance.getEntriesByType("resource").filter(({ name }) => name.includes("/stage/picture"))
    .map(({ requestStart, responseEnd }) => [requestStart, responseEnd]),
})"""


def drag(page: Page, seconds: float) -> None:
    """Move the hand to and fro, each move on time, as far as the machine can."""
    box = page.locator(SLIDER).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    begun = time.perf_counter()
    for move in range(int(seconds * RATE)):
        time.sleep(max(0.0, begun + move / RATE - time.perf_counter()))
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.4 * np.sin(3.0 * move / RATE)), middle)
    page.mouse.up()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.hand", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    chosen = parser.parse_args()
    with sync_playwright() as playwright, serve() as server:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{server.address}/?{QUERY}&seed=0")
        page.wait_for_selector("[data-testid=stage][data-busy=false]")
        page.wait_for_load_state("networkidle")
        drag(page, 3.0)
        page.wait_for_selector("[data-testid=stage][data-busy=false]")
        page.evaluate(WATCH, SLIDER)
        drag(page, chosen.seconds)
        page.wait_for_selector("[data-testid=stage][data-busy=false]")
        found = page.evaluate(READ)
        browser.close()
    inputs, pictures = np.array(found["inputs"]), np.array(found["pictures"])
    starts, ends = np.array(found["answers"]).T
    drawn = pictures[np.searchsorted(pictures, ends).clip(max=len(pictures) - 1)] - ends
    print(f"{len(inputs)} inputs, {len(pictures)} pictures: {len(pictures) / len(inputs):.0%}")
    for name, values in (
        ("hand, between two inputs", np.diff(inputs)),
        ("server, from request to answer", ends - starts),
        ("renderer, from answer to picture", drawn[drawn >= 0.0]),
        ("renderer, from picture to frame", np.array(found["frames"])),
    ):
        print(f"{name:>34}: median {np.median(values):5.1f} ms, p95 {np.percentile(values, 95):5.1f} ms")


if __name__ == "__main__":
    main()
