"""Browser caching of the pages' JavaScript modules across visits.

Seen in Streamlit 1.67: a component's files are served without a version, date or lifetime, so each visit requests all
of them again, about a hundred for the stage. This middleware redirects the module that a page loads to the same file
under a version, the hash of all files. Modules import each other by relative paths and hence under the same version,
where content never changes.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASSETS = Path(__file__).parents[1] / "assets"
IMMUTABLE = "public, max-age=31536000, immutable"
_ENTRY = re.compile(r".*/_stcore/bidi-components/mdcore\.\w+/(\w+\.js)")
_VERSIONED = re.compile(r"(?P<component>.*/_stcore/bidi-components/mdcore\.\w+/)(?P<version>[0-9a-f]{16})/(?P<file>.+)")


def version() -> str:
    """Return the hash of all assets, which is the same on every server with the same files."""
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(ASSETS) for name in names)
    return _hash(tuple((file, os.stat(file).st_mtime_ns) for file in files))


@lru_cache(maxsize=1)
def _hash(files: tuple[tuple[str, int], ...]) -> str:
    """Return the hash; cached until a file's modification time changes, as during development."""
    digest = hashlib.sha256()
    for file, _ in files:
        content = Path(file).read_bytes()
        digest.update(f"{Path(file).relative_to(ASSETS).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


class LastingModules:
    """Middleware that redirects a page's first module to its versioned URL, and lets browsers cache the current
    version."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._version = version()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif entry := _ENTRY.fullmatch(scope["path"]):
            self._version = version()
            # Relative to the URL requested: a proxy may have stripped a prefix from the path.
            moved = RedirectResponse(f"{self._version}/{entry[1]}", headers={"cache-control": "no-cache"})
            await moved(scope, receive, send)
        elif asked := _VERSIONED.fullmatch(scope["path"]):
            # Another version comes from another server, or from this one before its files changed.
            lasts = asked["version"] == self._version
            path = asked["component"] + asked["file"]
            here = {**scope, "path": path, "raw_path": path.encode()}
            await self.app(here, receive, _cacheable(send) if lasts else send)
        else:
            await self.app(scope, receive, send)


def _cacheable(send: Send) -> Send:
    async def with_lifetime(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            MutableHeaders(scope=message)["cache-control"] = IMMUTABLE
        await send(message)

    return with_lifetime
