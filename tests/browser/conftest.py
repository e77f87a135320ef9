"""One server and one Chromium for all browser tests; every page is watched, and what it complains of fails its test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from tests.browser.server import FLAGS, Server, find_chromium, serve
from tests.browser.stage import Stage

LAPTOP = {"width": 1280, "height": 800}
# Streamlit looks for its server below the address of every page but the first, before it looks where it is.
PROBE = re.compile(r"/\w+/_stcore/")
PATIENCE = 30_000  # ms: how long a condition may take before it counts as never; no test measures time

Visit = Callable[..., Stage]
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with serve() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(open_page: Open) -> Visit:
    """`visit(query, **context)` opens the stage as `open_page` does, and waits until it is drawn.

    `path` is that of a page on the stage other than the playground.
    """

    def visit_stage(query: str = "", *, path: str = "", **options: Any) -> Stage:
        stage = Stage(open_page(f"{path}?{query}", **options))
        stage.settle()
        return stage

    return visit_stage


@pytest.fixture
def open_page(browser: Browser, server: Server) -> Iterator[Open]:
    """`open_page(path, **context)` opens it in a profile of its own, `open_page(path, context=...)` in a given one."""
    with opener(browser, server) as open_path:
        yield open_path


@contextmanager
def opener(browser: Browser, server: Server) -> Iterator[Open]:
    """What opens pages, until the end; what they have complained of by then fails."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_path(path: str = "", *, context: BrowserContext | None = None, **options: Any) -> Page:
        if context is None:
            # Playwright's waits evaluate text, which the policy forbids; test_web opens a page under the policy.
            context = browser.new_context(**{"viewport": LAPTOP, "bypass_csp": True, **options})
            context.set_default_timeout(PATIENCE)
            contexts.append(context)
        page = context.new_page()
        _listen(page, server.address, complaints)
        page.goto(f"{server.address}/{path}")
        return page

    yield open_path
    for context in contexts:
        context.close()
    assert not complaints, "\n".join(complaints)


def _listen(page: Page, address: str, complaints: list[str]) -> None:
    def asked(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(f"request to the outside: {request.url}")

    def answered(response: Response) -> None:
        if response.status >= 400 and not PROBE.search(response.url):
            complaints.append(f"{response.status}: {response.url}")

    def said(message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBE.search(str(message.location.get("url", ""))):
            complaints.append(f"console: {message.text}")

    page.on("request", asked)
    page.on("response", answered)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("console", said)
