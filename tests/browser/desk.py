"""Pages shared by successive tests, because the first visit of a new profile takes six times as long as a later one."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.waiting import PATIENCE

LAPTOP = {"width": 1280, "height": 800}
PATIENCE_MS = 1000 * PATIENCE
# A path of the server that returns a word and runs no code.
QUIET = "_stcore/health"
NOWHERE = (-10, -10)
CLIPBOARD = ["clipboard-read", "clipboard-write"]


def profile(browser: Browser, **options: Any) -> BrowserContext:
    # Playwright's waits evaluate text, which the content security policy forbids; test_web tests a page under it.
    context = browser.new_context(**{"viewport": LAPTOP, "bypass_csp": True, "permissions": CLIPBOARD, **options})
    context.set_default_timeout(PATIENCE_MS)
    return context


class Desk:
    """Cleared pages of a browser, each the first of its profile, in lists by the options of the profile."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address
        self._free: defaultdict[str, list[Page]] = defaultdict(list)
        self._lists: dict[BrowserContext, list[Page]] = {}

    def take(self, *, own: bool = False, viewport: Any = None, color_scheme: Any = None, **options: Any) -> Page:
        """Return a page in the state of a new one, or else, for a test that changes the page itself, a new one.

        A profile serves one test at a time.
        """
        free = self._free[repr(sorted(options.items()))]
        first = free.pop() if free else profile(self._browser, **options).new_page()
        self._lists[first.context] = free
        page = first.context.new_page() if own else first
        page.set_viewport_size(viewport or LAPTOP)
        page.emulate_media(color_scheme=color_scheme or "light", forced_colors="none")
        return page

    def clear(self, context: BrowserContext) -> None:
        """Remove all traces of a test from a profile: tabs, storage, cookies, the pointer."""
        page, *others = context.pages
        for other in others:
            other.close()
        page.goto(f"{self._address}/{QUIET}")
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        context.clear_cookies()
        page.mouse.move(*NOWHERE)
        page.set_default_timeout(PATIENCE_MS)
        self._lists.pop(context).append(page)

    def drop(self, context: BrowserContext) -> None:
        """Close a profile in which something went wrong."""
        del self._lists[context]
        context.close()

    def close(self) -> None:
        for page in chain.from_iterable(self._free.values()):
            page.context.close()
