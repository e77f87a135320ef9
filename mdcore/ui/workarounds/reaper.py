"""Removal of expired sessions with everything they hold: uploads, tables, pictures.

Seen in Streamlit 1.67: a disconnected session is kept for `server.disconnectedSessionTTL` seconds, so that a reload
finds it again; an expired session is removed only when another one connects or disconnects. After a lecture, the last
sessions would stay in memory overnight. Can be removed when `tests/test_reaper.py` finds the storage empty without it.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.starlette import App

from mdcore.experiment.result_caches import clear_caches

PERIOD = 10.0  # seconds between two checks


def remove_expired(storage: object) -> int:
    """Remove expired sessions and return their number. Their objects form reference cycles, which only a collection
    frees."""
    if not isinstance(storage, MemorySessionStorage):
        return 0
    removed = len(storage._cache.expire())  # type: ignore[attr-defined]  # a TTLCache, declared as a mapping
    if removed:
        gc.collect()
    return removed


def release_memory() -> None:
    """Clear the caches that speed up drawing, and return the memory to the system. Called when the last session is
    removed."""
    clear_caches()
    gc.collect()
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)  # in the C library of most Linux systems
    if give_back is not None:
        give_back(0)


@asynccontextmanager
async def reaping(app: App) -> AsyncIterator[None]:
    """Run the periodic removal of expired sessions for the lifetime of the server."""
    task = asyncio.create_task(_reap())
    try:
        yield
    finally:
        task.cancel()


async def _reap() -> None:
    seen = False
    while True:
        await asyncio.sleep(PERIOD)
        if Runtime.exists():
            manager = Runtime.instance()._session_mgr
            remove_expired(getattr(manager, "_session_storage", None))
            anybody = bool(manager.list_sessions())
            if seen and not anybody:
                release_memory()
            seen = anybody
