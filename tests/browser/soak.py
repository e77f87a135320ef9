"""Drag for minutes and print the memory of browser and server: `python -m tests.browser.soak --minutes 5`."""

from __future__ import annotations

import argparse
import time

from playwright.sync_api import sync_playwright

from tests.browser.memory import Drag
from tests.browser.server import FLAGS, find_chromium, serve
from tests.browser.stage import Stage

EVERY = 15.0  # seconds between two lines
QUERY = "data=moons&n=300&noise=0.25&seed=0&gamma=1&methods=svm,ldm,odm,msvmav"


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.browser.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--query", default=QUERY)
    parser.add_argument("--param", default="ldm.lambda1", help="the slider that is dragged")
    chosen = parser.parse_args()
    with sync_playwright() as playwright, serve() as server:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, bypass_csp=True)
        page.goto(f"{server.address}/?{chosen.query}")
        stage = Stage(page)
        stage.settle()
        print("seconds  pictures  JavaScript heap, MB  server, MB")
        begun = time.monotonic()
        printed = -EVERY
        for memory in Drag(stage, chosen.param, server.pid).run():
            seconds = time.monotonic() - begun
            if seconds - printed >= EVERY:
                printed = seconds
                print(f"{seconds:7.0f}  {memory.pictures:8d}  {memory.heap:19.2f}  {memory.server:10.1f}", flush=True)
            if seconds >= 60 * chosen.minutes:
                break
        browser.close()


if __name__ == "__main__":
    main()
