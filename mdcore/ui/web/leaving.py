"""A server that is stopped gently: rooms and jobs end first, and the pages say so while they still have a socket.

An open stream of events would keep the server from ending, and it closes its sockets before it ends the app: so the
signal itself has to be heard, and is passed on a little later where somebody's job was at work.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType

from mdcore.ui.room.rooms import ROOMS
from mdcore.ui.shared.following import REFRESH
from mdcore.ui.shared.jobs import POOL, Pool

SIGNALS = (signal.SIGINT, signal.SIGTERM)
END = 3.0  # seconds in which works come to the end of what they are at
SHOWN = 3 * REFRESH  # until pages have looked at their jobs and drawn what came of them

Handler = Callable[[int, FrameType | None], object]


@asynccontextmanager
async def gentle_end() -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            _hear(number, loop)
    yield
    ROOMS.close()


def _hear(number: signal.Signals, loop: asyncio.AbstractEventLoop) -> None:
    before = signal.getsignal(number)
    if not callable(before):
        return
    asked = before
    ending: list[asyncio.Task[None]] = []

    def begin() -> None:
        ending.append(loop.create_task(end(lambda: asked(number, None), POOL)))

    def heard(found: int, frame: FrameType | None) -> None:
        if ending:  # whoever asks again does not wait
            asked(found, frame)
        else:
            loop.call_soon_threadsafe(begin)  # not at once: the signal may have come while a lock is held

    signal.signal(number, heard)


async def end(stop: Callable[[], object], pool: Pool) -> None:
    """End rooms and jobs, and stop when pages have had time to say so; at once where nobody's job was at work."""
    ROOMS.close()
    works = pool.close()
    if works:
        waiting = [asyncio.to_thread(work.finished.wait, END) for work in works]
        await asyncio.gather(*waiting)
        await asyncio.sleep(SHOWN)
    stop()
