"""Sessions that have expired are let go, with all that they hold: uploads, tables, pictures.

Seen in Streamlit 1.67: a session whose browser has gone is kept for `server.disconnectedSessionTTL` seconds, so that a
reload finds it again; one that has expired goes only when another one comes or leaves. After a lecture the last cohort
stays in memory for the night. Can go when `tests/test_reaper.py` finds the storage empty without it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.starlette import App

PERIOD = 10.0  # seconds between two looks


def let_expired_go(storage: object) -> int:
    """Return how many sessions went. Their objects refer to each other in circles, which only a collection undoes."""
    if not isinstance(storage, MemorySessionStorage):
        return 0
    gone = len(storage._cache.expire())  # type: ignore[attr-defined]  # a TTLCache, declared as a mapping
    if gone:
        gc.collect()
    return gone


@asynccontextmanager
async def reaping(app: App) -> AsyncIterator[None]:
    """The lifespan of a server that looks for expired sessions from time to time."""
    task = asyncio.create_task(_reap())
    try:
        yield
    finally:
        task.cancel()


async def _reap() -> None:
    while True:
        await asyncio.sleep(PERIOD)
        if Runtime.exists():
            let_expired_go(getattr(Runtime.instance()._session_mgr, "_session_storage", None))
