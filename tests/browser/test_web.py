"""Our own routes, which answer without a session."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import urlopen

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Open
from tests.browser.server import Server, serve

# Network bytes of our script, whose latest version is asked for, and sheets.
SIZES = """() => Object.fromEntries(
  performance.getEntriesByType('resource')
    .filter(({name}) => /modules./.test(name))
    .map(({name, transferSize}) => [name, transferSize]))"""


@dataclass(frozen=True)
class Site:
    address: str


class Framing(BaseHTTPRequestHandler):
    """A page with a frame of the URL after its question mark."""

    def do_GET(self) -> None:
        framed = self.path.partition("?")[2]
        body = f'<iframe src="{framed}" width="1200" height="700"></iframe>'.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def other_site() -> Iterator[Site]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Framing) as site:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        yield Site(f"http://127.0.0.1:{site.server_port}")
        site.shutdown()
        thread.join()


def test_the_server_says_that_it_is_well(server: Server) -> None:
    with urlopen(f"{server.address}/healthz") as answer:
        assert answer.status == 200
        assert json.load(answer) == {"status": "ok"}
        assert answer.headers["cache-control"] == "no-store"


def framed(browser: Browser, app: Server, site: Site) -> Page:
    page = browser.new_page()
    page.goto(f"{site.address}/?{app.address}/?embed=true")
    return page


def test_another_site_may_frame_the_app_only_where_it_is_named(browser: Browser, server: Server) -> None:
    with other_site() as site, serve(MARGIN_LAB_EMBED=site.address) as open_server:
        refused = framed(browser, server, site)
        with refused.expect_event("console", lambda message: "frame-ancestors" in message.text):
            refused.reload()
        allowed = framed(browser, open_server, site)
        expect(allowed.frame_locator("iframe").get_by_test_id("stage")).to_be_visible()


def test_the_stage_is_drawn_under_the_policy_and_breaks_none_of_it(open_page: Open) -> None:
    page = open_page("", bypass_csp=False)  # violations of the policy appear in the console
    expect(page.get_by_test_id("stage")).to_have_attribute("data-busy", "false")
    page.get_by_role("spinbutton", name="SVM C, value").fill("20")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-drawn", re.compile(r'"svm\.C":20'))


def test_a_second_visit_asks_for_neither_the_script_nor_the_sheet_again(
    open_page: Open, new_profile: BrowserContext
) -> None:
    page = open_page("", context=new_profile)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-busy", "false")
    page.reload()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-busy", "false")
    sizes: dict[str, int] = page.evaluate(SIZES)
    assert len(sizes) == 2
    assert all(size < 1000 for size in sizes.values()), "at most the head of a redirect"
