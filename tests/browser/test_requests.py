"""Requests of the stage that are refused, lost or too late: the final picture arrives nevertheless."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Open, Visit
from tests.browser.forms import rest
from tests.browser.server import Server
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm&svm.C=1"
SILENCE = 20_000  # ms until the stage reports a missing answer
PICTURES = "**/stage/picture"
FOUR = re.compile('"svm.C":4,')

# Records the queries that are parsed from now on.
COUNT_PARSES = """() => {
  const Real = URLSearchParams;
  window.parsed = [];
  window.URLSearchParams = class extends Real {
    constructor(text) {
      super(text);
      if (String(text).includes("data=")) window.parsed.push(String(text));
    }
  };
}"""


def times(count: int, instead: Callable[[Route], None], page: Page) -> list[Route]:
    """Treat the next `count` requests in another way, and return them as they come."""
    seen: list[Route] = []

    def answer(route: Route) -> None:
        seen.append(route)
        if len(seen) <= count:
            instead(route)
        else:
            route.continue_()

    page.route(PICTURES, answer)
    return seen


def refuse(status: int) -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=status, json={"error": "not now"})


def stage_of(server: Server, context: BrowserContext, query: str = SMALL) -> Stage:
    """Open a stage whose page may log refusals."""
    page = context.new_page()
    page.goto(f"{server.address}/?{query}")
    stage = Stage(page)
    stage.settle()
    return stage


def test_a_busy_server_is_asked_again_without_a_word(server: Server, new_profile: BrowserContext) -> None:
    stage = stage_of(server, new_profile)
    seen = times(3, refuse(503), stage.page)
    stage.type_number("svm.C", "4")
    expect(stage.root).to_have_attribute("data-drawn", FOUR)
    assert len(seen) == 4
    expect(stage.root.get_by_role("alert")).to_be_hidden()
    stage.check_numbers()


def test_a_token_that_is_not_good_any_more_is_replaced(server: Server, new_profile: BrowserContext) -> None:
    stage = stage_of(server, new_profile)
    page = stage.page
    old = page.evaluate("performance.timeOrigin")
    with page.expect_request(PICTURES) as asked:
        stage.type_number("svm.C", "2")
    before = asked.value.headers["x-margin-lab-token"]
    stage.settle()
    seen = times(1, refuse(403), page)
    stage.type_number("svm.C", "4")
    expect(stage.root).to_have_attribute("data-drawn", FOUR)
    assert [route.request.headers["x-margin-lab-token"] != before for route in seen[1:]] == [True]
    assert page.evaluate("performance.timeOrigin") == old, "the page was not loaded again"
    expect(stage.root.get_by_role("alert")).to_be_hidden()
    stage.check_numbers()


def test_a_page_that_is_refused_again_says_so(server: Server, new_profile: BrowserContext) -> None:
    stage = stage_of(server, new_profile)
    seen = times(2, refuse(403), stage.page)
    stage.type_number("svm.C", "4")
    expect(stage.root.get_by_role("alert")).to_contain_text("This page has lost its session: load it again.")
    assert len(seen) == 2
    stage.type_number("svm.C", "8")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":8,'))


def test_a_refusal_is_said_and_the_picture_stays(server: Server, new_profile: BrowserContext) -> None:
    stage = stage_of(server, new_profile)
    times(1, refuse(422), stage.page)
    stage.type_number("svm.C", "4")
    expect(stage.root).to_have_attribute("data-error", "not now")
    assert stage.drawn["svm.C"] == 1
    stage.type_number("svm.C", "2")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":2,'))
    assert stage.root.get_attribute("data-error") is None


def test_trying_again_reaches_a_server_that_has_not_answered(visit: Visit, new_profile: BrowserContext) -> None:
    stage = visit(SMALL, context=new_profile)
    stage.page.clock.install()
    stage.page.reload()
    stage.settle()
    seen = times(1, lambda route: None, stage.page)
    stage.type_number("svm.C", "4")
    expect(stage.root).to_have_attribute("data-busy", "true")
    stage.page.clock.fast_forward(SILENCE)
    expect(stage.root.get_by_role("alert")).to_contain_text("No answer from the server for 20 s.")
    stage.button("Try again").click()
    expect(stage.root).to_have_attribute("data-drawn", FOUR)
    stage.check_numbers()
    expect(stage.root.get_by_role("alert")).to_be_hidden()
    assert len(seen) == 2


def test_a_session_learns_of_a_picture_that_another_process_has_drawn(open_page: Open) -> None:
    """As behind a proxy that sends a picture to the least busy process, which does not have the session."""
    page = open_page(f"?{SMALL}", own=True)
    stage = Stage(page)
    stage.settle()
    page.evaluate(
        """() => {
          const { fetch } = window;
          window.fetch = async (path, options) => {
            const reply = await fetch(path, options);
            if (!String(path).startsWith("stage/picture")) return reply;
            const bytes = new Uint8Array(await reply.arrayBuffer());
            const at = new TextDecoder("ascii").decode(bytes.subarray(0, 99)).indexOf('"heard":true');
            bytes.set(new TextEncoder().encode('"heard":null'), at);
            return new Response(bytes);
          };
        }"""
    )
    stage.type_number("n", "90")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"n":90,'))
    rest(page)
    page.get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile("/compare.*[?&]n=90&"))


def test_the_state_of_a_picture_is_parsed_once(visit: Visit) -> None:
    """Several panels, and a pin, read the same parsed state."""
    stage = visit(f"{SMALL}&edits=f_3")
    stage.page.evaluate(COUNT_PARSES)
    stage.type_number("svm.C", "4")
    expect(stage.root).to_have_attribute("data-drawn", FOUR)
    stage.settle()
    assert len(stage.page.evaluate("window.parsed")) == 1
