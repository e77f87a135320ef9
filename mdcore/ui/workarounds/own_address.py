"""The address of the server, which the page is told before it looks for it.

Seen in Streamlit 1.67: on every page but the first, its front end first asks for its server below the URL of the page,
where there is none, so that the console has two errors on every load. It asks there only unless
`window.__streamlit.BACKEND_BASE_URL` names the server, and its page, a file, has no place to set that.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The folder of the page, as for the scripts that it names: also behind a proxy that adds a prefix to the path.
TOLD = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL("./", location.href).href }</script>'
HEAD = "<head>"
NOT_ASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")  # of a page that is not the file


def with_address(page: str) -> str:
    return page.replace(HEAD, HEAD + TOLD, 1)


class OwnAddress:
    """Middleware that tells every page of Streamlit's where its server is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def with_told(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                held.append(message)
            elif not held:
                await send(message)
            else:
                held.append(message)
                if not message.get("more_body"):
                    await _send_told(held, send)

        headers = [(name, value) for name, value in scope["headers"] if name not in NOT_ASKED]
        await self.app({**scope, "headers": headers}, receive, with_told)


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


async def _send_told(held: list[Message], send: Send) -> None:
    start, *parts = held
    body = with_address(b"".join(part.get("body", b"") for part in parts).decode()).encode()
    headers = MutableHeaders(scope=start)
    headers["content-length"] = str(len(body))
    del headers["etag"], headers["last-modified"]
    await send(start)
    await send({"type": "http.response.body", "body": body})
