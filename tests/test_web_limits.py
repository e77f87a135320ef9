"""Requests beyond the limits of a server are refused with a message, and present visitors are not affected."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route, Router
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.room.rooms import Rooms
from mdcore.serving.web import exports, join
from mdcore.serving.web.exports import EXPORTS
from mdcore.serving.web.limits import MB, Limits
from tests.asgi import Sent, asked, body
from tests.browser.server import serve
from tests.waiting import PATIENCE

GIB = 2**30


async def echo(request: Any) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def app(**options: Any) -> Limits:
    routes = [Route("/{path:path}", echo, methods=["GET", "PUT", "POST"])]
    return limited(Router(routes), **{"free": lambda: 4.0 * GIB, **options})


def limited(inner: Any, **options: Any) -> Limits:
    return Limits(inner, **{"held": lambda session: 0, "largest": lambda: 200 * MB, **options})


def upload(size: int | None, where: str = "one/file") -> dict[str, Any]:
    headers = [] if size is None else [(b"content-length", str(size).encode())]
    return {"type": "http", "method": "PUT", "path": f"/_stcore/upload_file/{where}", "headers": headers}


def test_a_request_that_does_not_arrive_is_answered_in_its_time() -> None:
    sent = asked(app(patience=0.05), {"type": "http", "method": "POST"}, arriving=None)
    assert sent[0]["status"] == 408
    assert "did not arrive in time" in body(sent)


def test_a_request_that_is_there_may_be_answered_later() -> None:
    async def late(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        with suppress(TimeoutError):
            await asyncio.wait_for(receive(), 0.2)  # like an event stream, which waits for its listener to leave
        await PlainTextResponse("there")(scope, receive, send)

    begun = []

    async def waiting() -> dict[str, Any]:
        if begun:
            await asyncio.Event().wait()
        begun.append(1)
        return {"type": "http.request", "body": b"", "more_body": False}

    sent: Sent = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/events", "headers": []}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, limited(late, patience=0.01)(scope, waiting, send)).result()
    assert sent[0]["status"] == 200


@pytest.mark.parametrize("size", [150 * MB, None])
def test_an_upload_asks_for_its_memory_before_it_arrives(size: int | None) -> None:
    assert asked(app(), upload(size))[0]["status"] == 200
    sent = asked(app(free=lambda: 300.0 * MB), upload(size))
    assert sent[0]["status"] == 507
    assert "300 MB of memory free" in body(sent)


def test_uploads_under_way_are_not_promised_the_same_memory() -> None:
    free = app(free=lambda: 1000.0 * MB)
    meanwhile: list[Sent] = []
    asked(free, upload(200 * MB, "one/a"), during=lambda: meanwhile.append(asked(free, upload(200 * MB, "two/b"))))
    assert meanwhile[0][0]["status"] == 507
    assert asked(free, upload(200 * MB, "two/b"))[0]["status"] == 200


def test_a_session_holds_no_more_than_its_share() -> None:
    full = app(held=lambda session: 350 * MB if session == "one" else 0)
    sent = asked(full, upload(100 * MB, "one/c"))
    assert sent[0]["status"] == 413
    assert "as many files as it may" in body(sent)
    assert asked(full, upload(100 * MB, "two/c"))[0]["status"] == 200


@pytest.mark.process
def test_a_place_more_than_there_are_is_refused_with_a_word_and_free_again_when_one_leaves() -> None:
    with serve(MARGIN_LAB_SESSIONS="1") as server:
        stream = f"{server.address.replace('http', 'ws')}/_stcore/stream"
        page = Request(f"{server.address}/compare", headers={"accept": "text/html"})
        with connect(stream, subprotocols=["streamlit"]):  # type: ignore[list-item]
            with connect(stream, subprotocols=["streamlit"]) as second, pytest.raises(ConnectionClosedError) as closed:  # type: ignore[list-item]
                second.recv(30)
            assert closed.value.rcvd
            assert (closed.value.rcvd.code, closed.value.rcvd.reason[:33]) == (
                1013,
                "All 1 places on this server are t",
            )
            with pytest.raises(HTTPError) as full:
                urlopen(page)
            words = full.value.read().decode()
            assert (full.value.code, full.value.headers["retry-after"]) == (503, "10")
            assert "The server is full" in words
            assert "content-security-policy" in full.value.headers
            for needs_none in ("healthz", "join", "lessons/margins/handout"):
                assert urlopen(Request(f"{server.address}/{needs_none}", headers={"accept": "text/html"})).status == 200
        while True:  # until the server has noticed that the first has left
            with suppress(HTTPError):
                assert urlopen(page).status == 200
                break


def test_no_more_exports_are_made_at_once_than_there_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work: list[int] = []
    most = 0
    entered = threading.Barrier(2)

    def make(query: str, maker: Any) -> str:
        nonlocal most
        at_work.append(1)
        most = max(most, len(at_work))
        entered.wait(PATIENCE)  # in pairs, because two run at once
        at_work.pop()
        return "made"

    monkeypatch.setattr(exports, "_make", make)
    monkeypatch.setattr(exports, "EXPORT_SLOTS", asyncio.Semaphore(2))
    server = Router(EXPORTS)

    async def six() -> list[Sent]:
        found: list[Sent] = [[] for _ in range(6)]

        async def ask(sent: Sent) -> None:
            async def send(message: Any) -> None:
                sent.append(message)

            scope = {"type": "http", "method": "GET", "path": "/export/margins.csv", "headers": [], "query_string": b""}
            await server(scope, nothing, send)

        await asyncio.gather(*map(ask, found))
        return found

    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(asyncio.run, six()).result()
    assert [sent[0]["status"] for sent in made] == [200] * 6
    assert most == 2


def test_a_server_has_so_many_streams_whatever_their_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = Rooms()
    lesson = find_lesson("margins")
    full, other = rooms.open(lesson), rooms.open(lesson)
    heard: list[float] = []
    for _ in range(3):
        full.listen(partial(heard.append))
    monkeypatch.setattr(join, "ROOMS", rooms)
    monkeypatch.setattr(join, "STREAMS", rooms.followers)
    scope = {"type": "http", "path": f"/join/{other.code}/events"}
    sent = asked(limited(Router(join.JOIN)), scope)
    assert sent[0]["status"] == 503
    assert "All 3 streams of this server are taken" in body(sent)


async def nothing() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}
