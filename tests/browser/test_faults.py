"""The server or its socket fails while a slider is dragged, and returns: so does the requested picture."""

from __future__ import annotations

import os
import re
import signal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.browser.server import Server, serve
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
        other = browser.new_page()
        other.goto(f"{server.address}/methods")
        expect(other.get_by_role("heading", name="Parameters")).to_be_visible()
        lecture = browser.new_page()
        lecture.goto(f"{server.address}/lecture")
        room = lecture.get_by_test_id("room")
        expect(room).to_have_attribute("data-join", re.compile("/join/"))
        joined = room.get_attribute("data-join") or ""
        os.kill(server.pid, signal.SIGKILL)
        slider.press("ArrowRight")
        expect(page.get_by_text("The server does not answer.")).to_be_visible()
        expect(page.get_by_text("Is Streamlit still running?")).to_be_hidden()
        told = other.get_by_role("dialog", name="Connection error")
        expect(told).to_be_visible()
        expect(other.get_by_text("Is Streamlit still running?")).to_be_hidden()
        assert "The server does not answer" in told.locator("> div").evaluate(
            "e => getComputedStyle(e, '::before').content"
        )
        other.close()
        wanted = page.locator('input[type=number][data-param="svm.C"]').input_value()
        page.evaluate("window.stayed = true")
    with serve(port=port):
        root = page.get_by_test_id("stage")
        expect(root).not_to_have_attribute("data-lost", "true")
        stage.settle()
        expect(page.locator('input[type=number][data-param="svm.C"]')).to_have_value(wanted)
        drawn = stage.drawn["svm.C"]
        assert abs(drawn / float(wanted) - 1.0) < 1e-2
        assert drawn != 10
        assert page.evaluate("window.stayed")  # and was not reloaded
        expect(lecture.get_by_text("Please join this one.")).to_be_visible()
        expect(room).to_have_attribute("data-join", re.compile("/join/"))
        assert room.get_attribute("data-join") != joined
    lecture.close()
    page.close()


def test_pictures_go_on_while_the_socket_is_cut_and_compare_knows_them(browser: Browser, server: Server) -> None:
    page = browser.new_page()
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        if not cut:
            socket.connect_to_server()
        sockets.append(socket)

    cut = False
    page.route_web_socket(re.compile("/_stcore/stream"), connect)
    page.goto(f"{server.address}/?data=moons&n=60&seed=1&gamma=1&methods=svm&svm.C=1")
    stage = Stage(page)
    stage.settle()
    cut = True
    sockets[0].close(code=1012)
    stage.type_number("n", "90")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"n":90,'))
    stage.check_numbers()
    cut = False
    sockets[-1].close(code=1012)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-connection-state", "CONNECTED")
    page.get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile("/compare.*[?&]n=90&"))
    page.close()
