"""Security headers of every response: content sources, framing, referrer.

`MARGIN_LAB_EMBED="https://course.example https://other.example"` lists the sites that may embed the app in a frame;
otherwise only pages of the same origin may.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EMBEDDERS = "MARGIN_LAB_EMBED"
POLICY = "content-security-policy"
_INLINE = re.compile(r"<script>(.*?)</script>", re.S)
_ORIGIN = re.compile(r"https?://[\w.*-]+(:\d+)?")


def inline_hashes(page: str) -> list[str]:
    """Return the policy sources that allow exactly the inline scripts of a page."""
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def embedders(named: str) -> list[str]:
    """Return the origins that may frame the app; raise ValueError for an invalid origin."""
    origins = named.split()
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{EMBEDDERS} lists {origin!r}, which is not an origin; write https://host or http://host:port, "
                "separated by spaces."
            )
    return origins


def content_policy(scripts: Iterable[str], framers: Iterable[str]) -> str:
    """Return a policy that allows content from this server only, with the inline styles and blob: and data: URLs that
    Streamlit needs."""
    rules = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *scripts],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "connect-src": ["'self'", "data:", "blob:"],
        "worker-src": ["'self'", "blob:"],
        "media-src": ["'self'", "blob:"],
        "frame-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'self'", *framers],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in rules.items())


class SecurityHeaders:
    """Middleware that adds the headers to every response without them; the inline scripts of `page` may run."""

    def __init__(self, app: ASGIApp, page: str) -> None:
        self.app = app
        self.headers = {
            POLICY: content_policy(inline_hashes(page), embedders(os.environ.get(EMBEDDERS, ""))),
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
