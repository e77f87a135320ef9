"""A request to an application, without a server."""

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
    """What the server answers; of `arriving` None it waits for ever."""
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

    with ThreadPoolExecutor(1) as thread:  # its own loop: this thread may have one of a browser's
        thread.submit(asyncio.run, run()).result()
    return sent


def body(sent: Sent) -> str:
    return b"".join(message.get("body", b"") for message in sent).decode()
