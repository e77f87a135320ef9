"""One page shared by successive tests, which halves the cost of loading modules again."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

LAPTOP = {"width": 1280, "height": 800}
PATIENCE = 30_000  # ms after which a condition counts as never met; no test measures time
# A path of the server that returns a word and runs no code.
QUIET = "_stcore/health"
NOWHERE = (-10, -10)


def profile(browser: Browser, **options: Any) -> BrowserContext:
    # Playwright's waits evaluate text, which the content security policy forbids; test_web tests a page under it.
    context = browser.new_context(**{"viewport": LAPTOP, "bypass_csp": True, **options})
    context.set_default_timeout(PATIENCE)
    return context


class Desk:
    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address
        self._page: Page | None = None

    def take(self, viewport: Any = None, color_scheme: Any = None) -> Page:
        """Return the page in the state of a new one."""
        page = self._page or profile(self._browser).new_page()
        self._page = None  # unavailable until it is cleared
        page.set_viewport_size(viewport or LAPTOP)
        page.emulate_media(color_scheme=color_scheme or "light")
        return page

    def clear(self, page: Page) -> None:
        """Remove all traces of a test from the page: tabs, storage, cookies, the pointer."""
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
