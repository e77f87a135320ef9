"""One page that serves a test after the other: what has been loaded in it before runs at half the price."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

LAPTOP = {"width": 1280, "height": 800}
PATIENCE = 30_000  # ms: how long a condition may take before it counts as never; no test measures time
# An address of the server that shows a word and runs no code.
QUIET = "_stcore/health"
NOWHERE = (-10, -10)


def profile(browser: Browser, **options: Any) -> BrowserContext:
    # Playwright's waits evaluate text, which the policy forbids; test_web opens a page under the policy.
    context = browser.new_context(**{"viewport": LAPTOP, "bypass_csp": True, **options})
    context.set_default_timeout(PATIENCE)
    return context


class Desk:
    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address
        self._page: Page | None = None

    def take(self, viewport: Any = None, color_scheme: Any = None) -> Page:
        """The page, as one that was never used."""
        page = self._page or profile(self._browser).new_page()
        self._page = None  # until it is cleared
        page.set_viewport_size(viewport or LAPTOP)
        page.emulate_media(color_scheme=color_scheme or "light")
        return page

    def clear(self, page: Page) -> None:
        """Take from a page all that the next test could find of this one: tabs, storage, cookies, the pointer."""
        for other in page.context.pages:
            if other is not page:
                other.close()
        page.goto(f"{self._address}/{QUIET}")
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.context.clear_cookies()
        page.mouse.move(*NOWHERE)
        page.set_default_timeout(PATIENCE)
        self._page = page

    def close(self) -> None:
        if self._page:
            self._page.context.close()
