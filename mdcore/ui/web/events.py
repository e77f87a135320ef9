"""Server-sent events: what a room has to say, to each listener as soon as it is there, the same bytes to all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from mdcore.ui.room.room import Room, event

ALIVE = 15.0  # s after which a silent stream is kept open by a comment


async def listen(room: Room, device: str | None, *, presents: bool) -> AsyncIterator[bytes]:
    """First what the device itself has answered, then the state and the scene whenever they change."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def wake(delay: float) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(loop.call_later, delay, changed.set)

    room.listen(wake)
    try:
        yield b"retry: 1500\n\n"
        if device is not None:
            yield event("mine", json.dumps(room.mine(device)).encode())
        sent: dict[str, int] = {}
        while True:
            changed.clear()
            for name, (stamp, data) in room.news(brief=not presents).items():
                if sent.get(name) != stamp:
                    sent[name] = stamp
                    yield data
            if room.ended:
                return
            if presents:
                room.is_presenter(room.key)
            try:
                await asyncio.wait_for(changed.wait(), ALIVE)
            except TimeoutError:
                yield b": still here\n\n"
    finally:
        room.leave(wake)
