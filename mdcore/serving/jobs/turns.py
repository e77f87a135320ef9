"""Turns of interactive answers: only a few run at a time, the others wait in order of arrival.

Answers are Python code and share the interpreter lock, so a hundred at once would slow each other down. An answer that
takes longer than most gives up its slot, so that the others do not wait for it. Used from one event loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MAX_ANSWERS = 2  # one runs compiled code without the lock, the other Python; three are slower on two processors
BRIEF = 0.1  # seconds for which an answer keeps its slot; most finish sooner


class Replaced(Exception):
    """A newer request of the same stage has taken the place of this one."""


class Turns:
    """A queue in which at most `slots` answers younger than `brief` seconds run at a time."""

    def __init__(self, slots: int = MAX_ANSWERS, brief: float = BRIEF) -> None:
        self._free, self._brief = slots, brief
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        """The number of answers in the queue."""
        return len(self._waiting)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Return a context that waits for a slot and then runs its body."""
        loop = asyncio.get_running_loop()
        if not self._free:
            mine: asyncio.Future[None] = loop.create_future()
            self._waiting.append(mine)
            await mine
        else:
            self._free -= 1
        slot = loop.call_later(self._brief, self._pass_on)
        try:
            yield
        finally:
            if slot.when() > loop.time():
                slot.cancel()
                self._pass_on()

    def _pass_on(self) -> None:
        """Give a slot to the first in the queue that still waits for it."""
        while self._waiting:
            first = self._waiting.popleft()
            if not first.done():
                first.set_result(None)
                return
        self._free += 1


class Newest:
    """Per stage one request runs and one waits, which a newer one replaces."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Future[bool] | None] = {}  # by stage: the request that waits

    @asynccontextmanager
    async def of(self, stage: str) -> AsyncIterator[None]:
        """Return a context that runs its body after that of the same stage; raise Replaced if a newer one comes."""
        if stage in self._running:
            older, mine = self._running[stage], asyncio.get_running_loop().create_future()
            if older and not older.done():
                older.set_result(False)
            self._running[stage] = mine
            if not await mine:
                raise Replaced
        else:
            self._running[stage] = None
        try:
            yield
        finally:
            following = self._running.pop(stage)
            if following and not following.done():
                self._running[stage] = None
                following.set_result(True)


ANSWER_QUEUE = Turns()
STAGES = Newest()
