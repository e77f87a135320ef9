"""One server and one Chromium for all browser tests; every page is watched, and what it complains of fails its test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
PATIENCE = 30_000  # ms: how long a condition may take before it counts as never; no test measures time

Visit = Callable[..., Stage]


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
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    """`visit(query, **context)` opens a page in a profile of its own, `visit(query, context=...)` in a given one.

    `path` is the page's own address, the playground's is empty.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(query: str = "", *, path: str = "", context: BrowserContext | None = None, **options: Any) -> Stage:
        if context is None:
            context = browser.new_context(**{"viewport": LAPTOP, **options})
            context.set_default_timeout(PATIENCE)
            contexts.append(context)
        page = context.new_page()
        _listen(page, server.address, complaints)
        page.goto(f"{server.address}/{path}?{query}")
        stage = Stage(page)
        stage.settle()
        return stage

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints, "\n".join(complaints)


def _listen(page: Page, address: str, complaints: list[str]) -> None:
    def asked(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(f"request to the outside: {request.url}")

    def sought(url: str) -> bool:
        """Opened at the address of a page, Streamlit looks for its server there first."""
        return re.match(rf"{re.escape(address)}/\w+/_stcore/(health|host-config)", url) is not None

    def answered(response: Response) -> None:
        if response.status >= 400 and not sought(response.url):
            complaints.append(f"{response.status}: {response.url}")

    def said(message: ConsoleMessage) -> None:
        if message.type == "error" and not sought(message.location["url"]):
            complaints.append(f"console: {message.text}")

    page.on("request", asked)
    page.on("response", answered)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("console", said)
