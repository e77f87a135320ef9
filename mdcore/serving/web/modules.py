"""The pages' script and style sheets: made once, under a version below which browsers keep them, and loaded early.

Streamlit serves the files of a component one by one and lets no browser keep them. What it serves of ours are therefore
single lines (browser/components) that import this script.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Sequence
from functools import lru_cache

from starlette.datastructures import MutableHeaders
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mdcore.serving.bundle import BROWSER, script, stylesheet
from mdcore.serving.stage_pages import STAGE_PAGES
from mdcore.serving.web.callers import problem

COMPONENTS = [path.stem for path in sorted((BROWSER / "components").glob("*.js"))]
SCRIPT = "margin-lab.js"
# The scripts of pages without Streamlit: each calls the default export of a module with the page's body.
PAGES = {"phone.js": "audience/phone.js", "remote.js": "audience/remote.js", "maker.js": "maker/maker.js"}
IMMUTABLE = "public, max-age=31536000, immutable"
KINDS = {".js": "text/javascript", ".css": "text/css"}


def version() -> str:
    """Return the hash of all files for the browser, which is the same on every server with the same files."""
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(BROWSER) for name in names)
    return _hash(tuple((file, os.stat(file).st_mtime_ns) for file in files))


@lru_cache(maxsize=1)
def _hash(files: tuple[tuple[str, int], ...]) -> str:
    """Return the hash; cached until a file's modification time changes, as during development."""
    digest = hashlib.sha256()
    for file, _ in files:
        with open(file, "rb") as opened:
            content = opened.read()
        digest.update(f"{os.path.relpath(file, BROWSER)} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


@lru_cache(maxsize=32)
def _made(name: str, version: str) -> bytes:
    """Return the compressed script or style sheet of this version; raise OSError if there is none."""
    if name == SCRIPT:
        made = script({component: (f"{component}.js", "default") for component in COMPONENTS})
        return gzip.compress(f"{made}export {{ {', '.join(COMPONENTS)} }};\n".encode())
    if name in PAGES:
        made = script({"open": (PAGES[name], "default")})
        return gzip.compress(f"{made}open(document.body);\n".encode())
    return gzip.compress(stylesheet(name).encode())


async def _latest(request: Request) -> Response:
    """Lead to the version of this moment, relative to the URL requested: a proxy may have stripped a prefix from it."""
    return RedirectResponse(f"{version()}/js/{SCRIPT}", headers={"cache-control": "no-cache"})


async def _file(request: Request) -> Response:
    name, now = request.path_params["name"], version()
    kind = request.path_params["kind"]
    if (kind == "js") != (name in (SCRIPT, *PAGES)) or kind not in ("js", "css"):
        return problem(404, "There is no such file.")
    try:
        content = _made(name, now)
    except OSError:
        return problem(404, "There is no such file.")
    # Another version comes from another server, or from this one before its files changed.
    lasts = IMMUTABLE if request.path_params["version"] == now else "no-store"
    headers = {"cache-control": lasts, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    else:
        content = gzip.decompress(content)
    return Response(content, media_type=KINDS[f".{kind}"], headers=headers)


class Preload:
    """Middleware that lets the browser load the script, and what the stage needs, beside Streamlit's own page: also the
    `scripts` that draw a component."""

    def __init__(self, app: ASGIApp, scripts: Sequence[str] = ()) -> None:
        self.app, self.scripts = app, scripts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_links(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["link"] = _links(scope["path"].rpartition("/")[2], self.scripts)
            await send(message)

        await self.app(scope, receive, with_links if scope["type"] == "http" else send)


class OwnRoutes:
    """Middleware that answers our own routes before Streamlit's middleware, which would compress their answers."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self.app = app
        self.own = ExceptionMiddleware(Router(routes, redirect_slashes=False, default=app))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.own if scope["type"] == "http" else self.app)(scope, receive, send)


def _links(page: str, scripts: Sequence[str]) -> str:
    """Return the header for a page, whose last part of the path is its name."""
    links = [f"<modules/{SCRIPT}>; rel=modulepreload"]
    if page in ("", *STAGE_PAGES):
        component = "lecture" if page == "lecture" else "stage"
        links.append(f"<_stcore/bidi-components/mdcore.{component}/{component}.js>; rel=modulepreload")
        links.append(f"<modules/{version()}/css/stage.css>; rel=preload; as=style")
        links += [f"<{script}>; rel=modulepreload" for script in scripts]
    return ", ".join(links)


MODULES = [
    Route(f"/modules/{SCRIPT}", _latest, methods=["GET"]),
    Route("/modules/{version}/{kind}/{name}", _file, methods=["GET"]),
]
