"""A first visit over a slow line: the playground's first picture against an empty page of Streamlit, in turn.

`python -m benchmarks.first_visit [--runs 5] [--list]`; with `--list`, also what the last visit loaded, in order.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from tests.browser.server import FLAGS, find_chromium, serve

LATENCY, BITS = 120.0, 8e6  # milliseconds for a round trip, bits a second
EMPTY = "import streamlit as st\nst.html('<p id=here>here</p>')\n"
PICTURE = "() => document.querySelector('[data-testid=stage]')?.dataset.busy === 'false'"
HERE = "() => document.querySelector('#here') !== null"
Loaded = list[tuple[float, float, int, str]]


def visit(browser: Browser, address: str, ready: str) -> tuple[float, Loaded]:
    """Return the seconds until the page is ready, and what it loaded: begin, end, bytes and address."""
    context = browser.new_context()
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    rate = BITS / 8
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": LATENCY, "downloadThroughput": rate, "uploadThroughput": rate},
    )
    begun: dict[str, tuple[float, str]] = {}
    loaded: Loaded = []
    start = time.perf_counter()

    def note(event: dict[str, Any]) -> None:
        begun[event["requestId"]] = (time.perf_counter() - start, event["request"]["url"])

    def finish(event: dict[str, Any]) -> None:
        since, url = begun.get(event["requestId"], (0.0, "?"))
        loaded.append((since, time.perf_counter() - start, int(event["encodedDataLength"]), url))

    line.on("Network.requestWillBeSent", note)
    line.on("Network.loadingFinished", finish)
    page.goto(address, wait_until="commit")
    page.wait_for_function(ready, polling=10)
    seconds = time.perf_counter() - start
    context.close()
    return seconds, loaded


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.first_visit", description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--list", action="store_true")
    chosen = parser.parse_args()
    ours, theirs, loaded = list[float](), list[float](), Loaded()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        with serve() as lab, serve(str(script)) as empty:
            for server, ready in ((lab, PICTURE), (empty, HERE)):
                visit(browser, server.address, ready)  # machine code, and the script
            for _ in range(chosen.runs):
                seconds, loaded = visit(browser, lab.address, PICTURE)
                ours.append(seconds)
                theirs.append(visit(browser, empty.address, HERE)[0])
        browser.close()
    if chosen.list:
        for since, until, size, url in sorted(loaded, key=lambda item: item[1]):
            print(f"{since:6.2f} to {until:5.2f} s  {size:8d}  {url.partition('//')[2].partition('/')[2][:90]}")
    ratio = np.median(ours) / np.median(theirs)
    total = sum(size for *_, size, _ in loaded)
    print(f"ours {np.round(ours, 2)} s, empty {np.round(theirs, 2)} s, ratio of medians {ratio:.2f}")
    print(f"{len(loaded)} requests, {total / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
