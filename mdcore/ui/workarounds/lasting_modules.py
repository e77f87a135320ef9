"""The modules of the pages stay in the browser from one visit to the next.

Seen in Streamlit 1.67: a component's files are answered without a version, a date or a lifetime, so that each visit
asks for all of them again, a hundred for the stage. Here the module that a page asks for is redirected to the same
file below a version, the hash of all files. Modules name each other relatively, hence with the version of the first,
and what stands below a version never changes.
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
FOR_GOOD = "public, max-age=31536000, immutable"
_ENTRY = re.compile(r".*/_stcore/bidi-components/mdcore\.\w+/(\w+\.js)")
_VERSIONED = re.compile(r"(?P<component>.*/_stcore/bidi-components/mdcore\.\w+/)(?P<version>[0-9a-f]{16})/(?P<file>.+)")


def version() -> str:
    """Return the hash of all modules and sheets: the same on every server with the same files."""
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(ASSETS) for name in names)
    return _hash(tuple((file, os.stat(file).st_mtime_ns) for file in files))


@lru_cache(maxsize=1)
def _hash(files: tuple[tuple[str, int], ...]) -> str:
    """Read the files again only when one has changed, as while somebody works on them."""
    digest = hashlib.sha256()
    for file, _ in files:
        content = Path(file).read_bytes()
        digest.update(f"{Path(file).relative_to(ASSETS).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


class LastingModules:
    """Redirect a page's first module to its version, and let the browser keep what stands below the one served."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._version = version()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif entry := _ENTRY.fullmatch(scope["path"]):
            self._version = version()
            # Relative to what was asked for: a proxy may have taken a prefix off the path.
            moved = RedirectResponse(f"{self._version}/{entry[1]}", headers={"cache-control": "no-cache"})
            await moved(scope, receive, send)
        elif asked := _VERSIONED.fullmatch(scope["path"]):
            # Another version than the one here is that of another server, or of this one before its files changed.
            lasts = asked["version"] == self._version
            path = asked["component"] + asked["file"]
            here = {**scope, "path": path, "raw_path": path.encode()}
            await self.app(here, receive, _kept(send) if lasts else send)
        else:
            await self.app(scope, receive, send)


def _kept(send: Send) -> Send:
    async def with_lifetime(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            MutableHeaders(scope=message)["cache-control"] = FOR_GOOD
        await send(message)

    return with_lifetime
