"""Server-sent events: the news of a room, sent to each listener as soon as they arrive and packed once for all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from mdcore.serving.room.room import Room, event

ALIVE = 15.0  # s after which a comment keeps a silent stream open


async def listen(room: Room, device: str | None, *, presents: bool) -> AsyncIterator[bytes]:
    """Yield the device's own answers, then the state and the picture whenever they change."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def wake(delay: float) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(loop.call_later, delay, changed.set)

    room.listen(wake)
    try:
        yield b"retry: 1500\n\n"
        if device is not None:
            yield event("mine", json.dumps(room.answers_of(device)).encode())
        sent: dict[str, int] = {}
        while True:
            changed.clear()
            for name, (stamp, data) in room.news(presents=presents).items():
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
