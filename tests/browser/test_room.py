"""An audience on phones: hundreds of simulated ones, and the page in a browser."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from mdcore.serving.room.network import qr_code
from mdcore.serving.room.room import RATE
from tests.browser.conftest import Open
from tests.browser.forms import NEXT_PICTURE
from tests.browser.server import Server
from tests.phones import Phone, joined, open_room, vote_at_once

PHONES = 200
PHONE = {"width": 390, "height": 844}


def place(presenter: Phone, join: str, key: str, step: int, phase: str = "ask", **more: Any) -> Any:
    reply = presenter.ask("POST", f"{join}/present", {"step": step, "phase": phase, **more}, x_room_key=key)
    assert reply.status == 200, reply.body
    return reply.json


def test_two_hundred_phones_vote_and_none_is_lost_or_counted_twice(server: Server) -> None:
    presenter, join, told = open_room(server.address)
    phones = [joined(server.address, join) for _ in range(PHONES)]
    answers = [number % 3 for number in range(PHONES)]
    first = vote_at_once(phones, join, 1, [2] * PHONES)  # all change their votes
    second = vote_at_once(phones, join, 1, answers)
    assert {reply.status for reply in first + second} == {200}
    state = presenter.ask("GET", f"{join}/state").json
    assert (state["votes"], state["phones"]) == (PHONES, PHONES)
    assert "results" not in state
    shown = place(presenter, join, told["key"], 1, opened=True)
    assert shown["results"] == [{"counts": [answers.count(option) for option in range(3)]}]


def test_the_presenters_screen_hears_of_the_last_vote_and_a_follower_gets_what_all_get(server: Server) -> None:
    presenter, join, _ = open_room(server.address)
    screen, follower = Phone(server.address), joined(server.address, join)
    events, heard = screen.events(join), follower.events(join)
    phones = [joined(server.address, join) for _ in range(20)]
    vote_at_once(phones, join, 1, [1] * 20)
    assert next(state for name, state in events if name == "state" and state["votes"] == 20)
    assert next(state for name, state in heard if name == "state" and state["votes"] == 20)
    del presenter


@pytest.mark.parametrize(
    ("status", "headers", "sent"),
    [
        (403, {"origin": "https://elsewhere.example"}, {"step": 1, "answer": 0}),
        (403, {"sec_fetch_site": "cross-site"}, {"step": 1, "answer": 0}),
        (415, {"content_type": "text/plain"}, {"step": 1, "answer": 0}),
        (400, {}, b"{"),
        (400, {}, [1]),
        (413, {}, {"step": 1, "answer": "x" * 5000}),
        (422, {}, {"step": 1, "answer": 99}),
        (404, {}, {"step": 99, "answer": 0}),
    ],
)
def test_what_an_answer_may_not_be(server: Server, status: int, headers: dict[str, str], sent: Any) -> None:
    _, join, _ = open_room(server.address)
    reply = joined(server.address, join).ask("POST", f"{join}/answers", sent, **headers)
    assert reply.status == status
    assert reply.json["error"]


def test_a_device_that_never_opened_the_page_has_no_vote_and_no_device_leads(server: Server) -> None:
    _, join, _ = open_room(server.address)
    stranger = Phone(server.address)
    assert stranger.vote(join, 1, 0).status == 403
    member = joined(server.address, join)
    assert member.ask("POST", f"{join}/present", {"go": "next"}).status == 403
    assert member.ask("GET", f"{join}/notes").status == 403
    assert member.ask("GET", f"{join}/remote.svg").status == 403
    assert member.ask("POST", f"{join}/end", {}, x_room_key="guess").status == 403
    tabs = [joined(server.address, join) for _ in range(RATE + 1)]
    for tab in tabs:
        tab.cookies = member.cookies
    votes = Counter(reply.status for reply in vote_at_once(tabs, join, 1, [0] * len(tabs)))
    assert votes == {200: RATE, 429: 1}


def test_a_room_ends_and_everything_of_it_is_gone(server: Server) -> None:
    presenter, join, told = open_room(server.address)
    phone = joined(server.address, join)
    assert phone.vote(join, 1, 0).status == 200
    assert presenter.ask("POST", f"{join}/end", {}, x_room_key=told["key"]).status == 200
    for path in ("", "/state", "/events", "/qr.svg"):
        assert phone.ask("GET", join + path).status == 404
    assert phone.vote(join, 1, 0).status == 404


def test_the_join_address_is_no_name_of_the_machine_for_itself(server: Server) -> None:
    presenter, join, told = open_room(server.address)
    assert not re.search(r"localhost|\[", told["join"])
    code = presenter.ask("GET", f"{join}/qr.svg")
    assert code.headers["content-type"] == "image/svg+xml"
    assert code.body.startswith(b"<svg")
    assert "localhost" not in presenter.ask("GET", join).body.decode()


def test_the_remote_is_found_by_the_presenters_phone(server: Server) -> None:
    presenter, join, told = open_room(server.address)
    code = presenter.ask("GET", f"{join}/remote.svg")
    assert code.headers["content-type"] == "image/svg+xml"
    assert code.body == qr_code(f"{told['join']}/remote#{told['key']}")


def test_lessons_are_served_checked_and_refused_with_line_and_reason(server: Server) -> None:
    phone = Phone(server.address)
    assert phone.ask("GET", "/lessons").json[0]["name"] == "margins"
    shown = phone.ask("GET", "/lessons/margins.json").json
    assert shown["steps"][0]["formula"].startswith("<math")
    assert phone.ask("GET", "/lessons/schema.json").json["title"]
    assert phone.ask("GET", "/lessons/nothing.json").status == 404
    refused = phone.ask("POST", "/lessons/check", b'{\n"format": 1}')
    assert (refused.status, refused.json["line"]) == (200, 1)
    assert refused.json["reason"]


def phone_page(open_page: Open, join: str) -> Page:
    return open_page(join.lstrip("/"), viewport=PHONE, has_touch=True, color_scheme="dark")


def test_the_page_of_the_audience_is_small_and_starts_no_session(server: Server, open_page: Open) -> None:
    _, join, _ = open_room(server.address)
    page = open_page("join", own=True)
    loaded: list[Request] = []
    page.on("requestfinished", lambda request: loaded.append(request))
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.get_by_label("code on the screen").fill(join[-5:].lower())
    page.get_by_role("button", name="Join").click()
    expect(page.locator("#asked")).to_contain_text("blue class across the line")
    assert sum(request.sizes()["responseBodySize"] for request in loaded) <= 50_000
    assert not sockets


def test_a_phone_votes_reloads_hears_the_answer_and_the_end(server: Server, open_page: Open) -> None:
    presenter, join, told = open_room(server.address)
    page = phone_page(open_page, join)
    option = page.get_by_role("button", name="It becomes negative")
    option.click()
    expect(page.locator("#said")).to_contain_text("Counted")
    page.reload()
    expect(option).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 answer so far")).to_be_visible()
    place(presenter, join, told["key"], 1, "reveal")
    expect(page.locator("#said")).to_have_text("Yes, that is it.")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("link", name="Take home").wait_for()
    place(presenter, join, told["key"], 2)
    expect(page.locator("#place")).to_contain_text("2 of 14")
    presenter.ask("POST", f"{join}/end", {}, x_room_key=told["key"])
    expect(page.locator("#place")).to_have_text("This room has ended.")


def test_a_curve_is_drawn_with_a_finger_and_scored(server: Server, open_page: Open) -> None:
    presenter, join, told = open_room(server.address)
    place(presenter, join, told["key"], 6)
    page = phone_page(open_page, join)
    box = page.locator("canvas.pad").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.35 * box["width"], box["y"] + 0.86 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.85 * box["width"], box["y"] + 0.04 * box["height"], steps=12)
    page.mouse.up()
    expect(page.locator("#said")).to_contain_text("Counted")
    place(presenter, join, told["key"], 6, "reveal")
    expect(page.locator("#said")).to_contain_text("Area between your curve and the true one: 0.")


def test_the_score_is_kept_when_what_was_told_earlier_comes_later(server: Server, open_page: Open) -> None:
    """The answer is revealed first, and the true curve, with which the score comes, once it is computed; after a cut
    connection, the visitor is told the own answers again."""
    presenter, join, told = open_room(server.address)
    place(presenter, join, told["key"], 6)
    closed = {**presenter.ask("GET", f"{join}/state").json, "closed": True}
    curve = [0.05 * level - 0.5 for level in range(21)]
    truth = [value + 0.25 for value in curve]
    own = {"answers": {"6": {"answer": curve, "round": 1}}}
    news = [("mine", own), ("state", closed), ("state", {**closed, "truth": truth}), ("mine", {"answers": {}})]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in news)
    page = open_page("join", own=True)
    page.route(
        "**/events", lambda route: route.fulfill(content_type="text/event-stream", body=f"retry: 1000000\n\n{body}")
    )
    page.goto(f"{server.address}{join}")
    said = page.locator("#said")
    expect(said).to_contain_text("Area between your curve and the true one: 0.25")
    page.evaluate(NEXT_PICTURE)
    expect(said).to_contain_text("Area between your curve and the true one: 0.25")


def test_the_remote_shows_the_notes_and_moves_the_lecture(server: Server, open_page: Open) -> None:
    presenter, join, told = open_room(server.address)
    screen = Phone(server.address)
    wishes = (state["go"] for name, state in screen.events(join) if name == "state")
    assert next(wishes) == [0, ""]
    page = open_page(f"{join.lstrip('/')}/remote#{told['key']}", viewport=PHONE)
    expect(page.locator("#notes")).to_contain_text("hovering over an example")
    page.get_by_text("Open on a phone").click()
    code = page.get_by_alt_text("QR code of this page for your own phone")
    expect(code).to_have_attribute("src", re.compile("^blob:"))
    assert code.evaluate("async image => (await image.decode(), image.naturalWidth)") > 100
    page.get_by_role("button", name="Continue").click()
    assert next(wish for wish in wishes if wish[0] == 1)[1] == "next"
    place(presenter, join, told["key"], 2)
    expect(page.locator("#place")).to_contain_text("2 of 14, the question")
