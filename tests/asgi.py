"""Requests to an ASGI application without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.types import ASGIApp

Sent = list[dict[str, Any]]


def asked(
    application: ASGIApp,
    scope: dict[str, Any],
    arriving: Sequence[bytes] | None = (b"",),
    during: Callable[[], None] | None = None,
) -> Sent:
    """Return the messages that the application sends; with `arriving` None, the body never arrives."""
    sent: Sent = []
    parts = iter(arriving or ())

    async def receive() -> dict[str, Any]:
        if arriving is None:
            await asyncio.Event().wait()
        if during is not None:
            during()
        body = next(parts, b"")
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    full = {"headers": [], "query_string": b"", "subprotocols": ["streamlit"], "path": "/", "method": "GET"} | scope

    async def run() -> None:
        await application(full, receive, send)

    with ThreadPoolExecutor(1) as thread:  # a separate event loop, as this thread may have one from Playwright
        thread.submit(asyncio.run, run()).result()
    return sent


def body(sent: Sent) -> str:
    return b"".join(message.get("body", b"") for message in sent).decode()
