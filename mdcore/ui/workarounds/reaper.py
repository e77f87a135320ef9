"""Sessions that have expired are let go, with all that they hold: uploads, tables, pictures.

Seen in Streamlit 1.67: a session whose browser has gone is kept for `server.disconnectedSessionTTL` seconds, so that a
reload finds it again; one that has expired goes only when another one comes or leaves. After a lecture the last cohort
stays in memory for the night. Can go when `tests/test_reaper.py` finds the storage empty without it.
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

from mdcore.experiment import clear_caches

PERIOD = 10.0  # seconds between two looks


def let_expired_go(storage: object) -> int:
    """Return how many sessions went. Their objects refer to each other in circles, which only a collection undoes."""
    if not isinstance(storage, MemorySessionStorage):
        return 0
    gone = len(storage._cache.expire())  # type: ignore[attr-defined]  # a TTLCache, declared as a mapping
    if gone:
        gc.collect()
    return gone


def forget_pictures() -> None:
    """Let go of what was kept to draw faster, when nobody is left to draw for, and give the room back."""
    clear_caches()
    gc.collect()
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the C library of most Linux systems
    if give_back is not None:
        give_back(0)


@asynccontextmanager
async def reaping(app: App) -> AsyncIterator[None]:
    """The lifespan of a server that looks for expired sessions from time to time."""
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
            let_expired_go(getattr(manager, "_session_storage", None))
            anybody = bool(manager.list_sessions())
            if seen and not anybody:
                forget_pictures()
            seen = anybody
