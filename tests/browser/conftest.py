"""One server and one Chromium for all browser tests; errors that a page logs fail its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.browser.desk import LAPTOP, PATIENCE_MS, Desk, profile
from tests.browser.server import FLAGS, Server, find_chromium, serve
from tests.browser.stage import Stage

FOR_TESTS = [
    # Pages live too short for V8's optimizing compilers: they cost a seventh of a visit and nothing gets faster.
    "--js-flags=--no-opt --no-maglev",
    # A request to the outside fails, so that it is logged.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]

Visit = Callable[..., Stage]
Look = Callable[..., Stage]
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with serve() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS + FOR_TESTS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(open_page: Open) -> Visit:
    """Return `visit(query, **context)`, which opens the stage like `open_page` and waits until it is drawn.

    `path` names a page with a stage other than the playground.
    """

    def visit_stage(query: str = "", *, path: str = "", **options: Any) -> Stage:
        stage = Stage(open_page(f"{path}?{query}", **options))
        stage.settle()
        return stage

    return visit_stage


@pytest.fixture(scope="module")
def look(server: Server, desk: Desk) -> Iterator[Look]:
    """Return `look(query, path=..., viewport=...)`, for tests that only look at a state and need no page of their own.

    They share one stage of each page, which goes to the state of the query instead of being loaded again.
    """
    with ExitStack() as opened:
        held: dict[str, Stage] = {}

        def look_at_stage(query: str = "", *, path: str = "", viewport: Any = None) -> Stage:
            if path not in held:
                held[path] = Stage(opened.enter_context(opener(server, desk))(f"{path}?{query}"))
                held[path].settle()
            stage = held[path]
            stage.wear("light")
            stage.resize(viewport or LAPTOP)
            stage.go(query)
            return stage

        yield look_at_stage


@pytest.fixture(scope="session")
def desk(browser: Browser, server: Server) -> Iterator[Desk]:
    desk = Desk(browser, server.address)
    yield desk
    desk.close()


@pytest.fixture
def open_page(server: Server, desk: Desk) -> Iterator[Open]:
    """Return `open_page(path, **context)`, which opens a path in a cleared page of a profile with the given options.

    `own=True` opens a new page, for a test that changes the page itself (its socket, its scripts); `context=...` uses a
    given profile.
    """
    with opener(server, desk) as open_path:
        yield open_path


@pytest.fixture
def new_profile(browser: Browser) -> Iterator[BrowserContext]:
    """Return a profile that has visited nothing and that no other test uses."""
    with profile(browser) as context:
        yield context


@contextmanager
def opener(server: Server, desk: Desk) -> Iterator[Open]:
    """Yield a function that opens pages; fail at the end if any page has logged an error."""
    complaints: list[str] = []
    taken: list[BrowserContext] = []
    with ExitStack() as opened:

        def open_path(path: str = "", *, context: BrowserContext | None = None, **options: Any) -> Page:
            if context is None:
                page = desk.take(**options)
                taken.append(page.context)
            else:
                page = context.new_page()
            opened.callback(_listen(page, complaints))
            page.goto(f"{server.address}/{path}")
            return page

        yield open_path
    for context in taken:
        (desk.drop if complaints else desk.clear)(context)
    assert not complaints, "\n".join(complaints)


def _listen(page: Page, complaints: list[str]) -> Callable[[], None]:
    """Watch the page for errors until the returned function is called.

    The browser logs an answer that is an error, and a request to the outside, which it cannot resolve, as errors of the
    console: to follow the 190 requests of a visit one by one would cost an eighth of the visit.
    """

    def said(message: ConsoleMessage) -> None:
        place = str(message.location.get("url", ""))
        if message.type == "error":
            complaints.append(f"console: {message.text} ({place})")

    def failed(error: object) -> None:
        complaints.append(f"uncaught: {error}")

    heard = {"pageerror": failed, "console": said}
    for event, hear in heard.items():
        page.on(event, hear)  # type: ignore[call-overload]

    def leave() -> None:
        for event, hear in heard.items():
            page.remove_listener(event, hear)

    return leave
