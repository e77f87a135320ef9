"""Checks of the callers of the app's own routes: origin, body size and content type. Streamlit protects only its
routes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from mdcore.serving.lecture.lesson import BadLesson
from mdcore.serving.lecture.lesson_files import NoLesson
from mdcore.serving.room.room import Refused

Handler = Callable[[Request], Awaitable[Response]]
FRESH = {"cache-control": "no-store"}


def guarded(handle: Handler) -> Handler:
    """Return a handler that requires the same origin for changes, and answers refusals with a JSON error."""

    async def answer(request: Request) -> Response:
        try:
            if request.method not in ("GET", "HEAD"):
                check_origin(request)
            return await handle(request)
        except Refused as refused:
            return problem(refused.status, str(refused))
        except BadLesson as bad:
            return problem(422, str(bad), line=bad.line, reason=bad.reason)
        except NoLesson as missing:
            return problem(404, str(missing.args[0]))

    return answer


def problem(status: int, message: str, **more: Any) -> JSONResponse:
    return JSONResponse({"error": message, **more}, status, FRESH)


def check_origin(request: Request) -> None:
    """Raise Refused if another site sent the request, according to the browser's headers."""
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise Refused(403, "This request comes from a page of another site.")


async def read_body(request: Request, most: int) -> bytes:
    """Return the request body; raise Refused once it exceeds `most` bytes, whatever its announced length."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise Refused(413, f"At most {most} bytes can be sent here.")
    return bytes(body)


async def read_json(request: Request, most: int) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(415, "Send JSON, as application/json.")
    body = await read_body(request, most)
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "This is not JSON.") from None
    if not isinstance(found, dict):
        raise Refused(400, "Send a JSON object.")
    return found
