"""Limits of one server process: sessions, time for a request to arrive, and memory for uploads.

Streamlit keeps uploads in memory without limiting their number per session, so each upload must pass this check first.
Streamlit also says how much a session holds and how large a file may be: `held` and `largest`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mdcore.basics.memory import free_memory
from mdcore.serving.jobs.settings import limit
from mdcore.serving.web.callers import FRESH
from mdcore.serving.web.join import page

SESSIONS = int(limit("MARGIN_LAB_SESSIONS", 200))
SOCKET = "/_stcore/stream"
UPLOADS = "/_stcore/upload_file/"
INTERNAL = "/_stcore/"
CLOSE_CODE = 1013  # of a WebSocket: try again later
RETRY_AFTER = 10  # seconds
REQUEST_TIMEOUT = 30.0  # seconds for a request to arrive completely
UPLOAD_TIMEOUT = 900.0
COPIES = 3  # of an upload in memory: the request, the file, the table parsed from it
MAX_UPLOADS = 2  # uploads of the largest size per session: a new file arrives before the old one is removed
MB = 2**20


class TooSlow(Exception):
    """A request that did not arrive completely in time."""


class Limits:
    """Middleware that counts connections and uploads, and refuses those above the limits with an explanation. Requests
    to `own` routes need no session."""

    def __init__(
        self,
        app: ASGIApp,
        own: Sequence[BaseRoute] = (),
        sessions: int = SESSIONS,
        patience: float = REQUEST_TIMEOUT,
        free: Callable[[], float] = free_memory,
        *,
        held: Callable[[str], int],
        largest: Callable[[], int],
    ) -> None:
        self.app, self.own, self.sessions = app, own, sessions
        self._patience, self._free, self._held, self._largest = patience, free, held, largest
        self._connected = 0
        self._arriving: dict[str, int] = {}  # announced bytes, by the path of the upload

    @property
    def is_full(self) -> bool:
        return self._connected >= self.sessions

    @property
    def full(self) -> str:
        return f"All {self.sessions} places on this server are taken. One becomes free when somebody closes a page."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and scope["path"].endswith(SOCKET):
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.is_full:
            await receive()
            offered = scope.get("subprotocols") or [None]
            await send({"type": "websocket.accept", "subprotocol": offered[0]})
            await send({"type": "websocket.close", "code": CLOSE_CODE, "reason": self.full})
            return
        self._connected += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._connected -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        upload = UPLOADS in scope["path"] and scope["method"] == "PUT"
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        if upload:
            self._arriving[scope["path"]] = self._announced(scope)
        try:
            await self.app(scope, in_time(receive, UPLOAD_TIMEOUT if upload else self._patience), sent)
        except TooSlow:
            if not begun:
                await PlainTextResponse("The request did not arrive in time: send it again.", 408)(scope, receive, send)
        finally:
            if upload:
                self._arriving.pop(scope["path"], None)

    def _refusal(self, scope: Scope) -> Response | None:
        path = scope["path"]
        if UPLOADS in path and scope["method"] == "PUT":
            return self._refused_upload(scope)
        if self.is_full and self._is_page(scope):
            answer = page("full", reason=self.full, seconds=str(RETRY_AFTER))
            answer.status_code = 503
            answer.headers["retry-after"] = str(RETRY_AFTER)
            return answer
        return None

    def _is_page(self, scope: Scope) -> bool:
        """Return whether a browser requests a page that would open a session."""
        wants = Headers(scope=scope).get("accept", "")
        ours = any(route.matches(scope)[0] is not Match.NONE for route in self.own)
        return scope["method"] == "GET" and "text/html" in wants and INTERNAL not in scope["path"] and not ours

    def _refused_upload(self, scope: Scope) -> Response | None:
        path, size = scope["path"], self._announced(scope)
        session = path.partition(UPLOADS)[2].partition("/")[0]
        holds = self._held(session) + sum(
            arriving for where, arriving in self._arriving.items() if f"{UPLOADS}{session}/" in where
        )
        if path in self._arriving or holds + size > MAX_UPLOADS * self._largest():
            return PlainTextResponse(
                "This page has as many files as it may keep: remove one, then load this one.", 413, FRESH
            )
        left = self._free() - COPIES * sum(self._arriving.values())
        if COPIES * size > left:
            return PlainTextResponse(
                f"The server has {max(0.0, left) / MB:,.0f} MB of memory free, and this file needs about "
                f"{COPIES * size / MB:,.0f}: load a smaller one, or try again later.",
                507,
                FRESH,
            )
        return None

    def _announced(self, scope: Scope) -> int:
        """Return the announced size in bytes; the largest legal size if the header is missing, invalid or larger."""
        said, largest = Headers(scope=scope).get("content-length", ""), self._largest()
        return min(int(said), largest) if said.isascii() and said.isdigit() and len(said) < 20 else largest


def in_time(receive: Receive, seconds: float) -> Receive:
    """Return `receive` with a time limit: it raises TooSlow if the request is not complete after `seconds`. Later
    messages have no limit."""
    end: float | None = None
    whole = False

    async def limited() -> Message:
        nonlocal end, whole
        if whole:
            return await receive()
        now = asyncio.get_running_loop().time()
        end = end or now + seconds
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            raise TooSlow from None
        whole = not message.get("more_body", False)
        return message

    return limited
