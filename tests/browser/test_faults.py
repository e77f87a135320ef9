"""The server goes while a hand is on a slider, and comes back: so does the picture, with what was asked of it."""

from __future__ import annotations

import os
import signal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from tests.browser.server import serve
from tests.browser.stage import Stage


def test_a_server_that_was_killed_is_asked_again_when_it_is_back(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    with serve() as server:
        port = urlsplit(server.address).port or 0
        page.goto(f"{server.address}/?data=moons&methods=svm,ldm")
        stage = Stage(page)
        stage.settle()
        slider = page.locator('input[type=range][data-param="svm.C"]')
        slider.focus()
        os.kill(server.pid, signal.SIGKILL)
        slider.press("ArrowRight")
        expect(page.get_by_text("The server does not answer.")).to_be_visible()
        expect(page.get_by_text("Is Streamlit still running?")).to_be_hidden()
        wanted = page.locator('input[type=number][data-param="svm.C"]').input_value()
    with serve(port=port):
        root = page.get_by_test_id("stage")
        expect(root).not_to_have_attribute("data-lost", "true", timeout=60_000)
        stage.settle()
        expect(page.locator('input[type=number][data-param="svm.C"]')).to_have_value(wanted)
        drawn = stage.drawn["svm.C"]
        assert abs(drawn / float(wanted) - 1.0) < 1e-2
        assert drawn != 10
    page.close()
