"""Phones of an audience without browsers, over plain HTTP."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.waiting import PATIENCE

JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Phone:
    """One device, with its connection and cookies."""

    def __init__(self, server: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=PATIENCE)
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, sent: Any = None, **headers: str) -> Reply:
        begun = time.perf_counter()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        cookie = (
            {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        )
        body = None if sent is None else sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        self.connection.request(method, path, body, {**(JSON if sent is not None else {}), **cookie, **named})
        answer = self.connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read(), time.perf_counter() - begun)
        for line in answer.headers.get_all("set-cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    def vote(self, join: str, step: int, answer: Any) -> Reply:
        return self.ask("POST", f"{join}/answers", {"step": step, "answer": answer})

    def events(self, join: str) -> Iterator[tuple[str, Any]]:
        """Yield the name and data of every event as it arrives."""
        self.connection.request(
            "GET", f"{join}/events", headers={"cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        )
        stream = self.connection.getresponse()
        name = ""
        for raw in stream:
            line = raw.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])


def open_room(server: str, lesson: str = "margins") -> tuple[Phone, str, dict[str, Any]]:
    """Open a room; return the presenter, the path for joining, and the server's response."""
    presenter = Phone(server)
    told = presenter.ask("POST", "/rooms", {"lesson": lesson}).json
    return presenter, urlsplit(told["join"]).path, told


def joined(server: str, join: str) -> Phone:
    phone = Phone(server)
    assert phone.ask("GET", join).status == 200
    return phone


def vote_at_once(phones: Sequence[Phone], join: str, step: int, answers: Sequence[Any]) -> list[Reply]:
    """Send all votes at the same time, with one thread each, and return the replies."""
    with ThreadPoolExecutor(len(phones)) as pool:
        return list(pool.map(lambda phone, answer: phone.vote(join, step, answer), phones, answers))
