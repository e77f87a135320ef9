"""An open stream of events would keep the server from ending: rooms end first."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType

from mdcore.ui.room.rooms import ROOMS

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@asynccontextmanager
async def rooms_end() -> AsyncIterator[None]:
    """The server waits for its connections before it ends the app, so the signal itself has to be heard."""
    loop = asyncio.get_running_loop()
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            _hear(number, loop)
    yield
    ROOMS.close()


def _hear(number: signal.Signals, loop: asyncio.AbstractEventLoop) -> None:
    before = signal.getsignal(number)

    def heard(found: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(ROOMS.close)  # not at once: the signal may have come while a lock is held
        if callable(before):
            before(found, frame)

    signal.signal(number, heard)
