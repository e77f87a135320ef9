"""Graceful shutdown: rooms and jobs end first, while the pages still have a connection on which to show it.

An open event stream would keep the server from stopping, and the server closes its sockets before the lifespan ends.
The signal itself is therefore intercepted, and passed on a little later if a job was running or waiting.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType

from mdcore.serving.jobs.job import REFRESH
from mdcore.serving.jobs.pool import POOL, Pool
from mdcore.serving.room.rooms import ROOMS

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOP_TIMEOUT = 3.0  # seconds for running work to reach its next check
REFRESH_WAIT = 6 * REFRESH  # seconds for pages to refresh and show how their jobs ended, on a busy server too

Handler = Callable[[int, FrameType | None], object]


@asynccontextmanager
async def graceful_shutdown() -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            _intercept(number, loop)
    yield
    ROOMS.close()


def _intercept(number: signal.Signals, loop: asyncio.AbstractEventLoop) -> None:
    before = signal.getsignal(number)
    if not callable(before):
        return
    asked = before
    ending: list[asyncio.Task[None]] = []

    def begin() -> None:
        ending.append(loop.create_task(end(lambda: asked(number, None), POOL)))

    def heard(found: int, frame: FrameType | None) -> None:
        if ending:  # a second signal stops at once
            asked(found, frame)
        else:
            loop.call_soon_threadsafe(begin)  # not here: the interrupted code may hold a lock

    signal.signal(number, heard)


async def end(stop: Callable[[], object], pool: Pool) -> None:
    """End rooms and jobs, then stop: at once if there was no job, else after the pages had time to show it."""
    ROOMS.close()
    works = pool.close()
    if works:
        waiting = [asyncio.to_thread(work.finished.wait, STOP_TIMEOUT) for work in works]
        await asyncio.gather(*waiting)
        await asyncio.sleep(REFRESH_WAIT)
    stop()
