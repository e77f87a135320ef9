"""All rooms of the server."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from mdcore.serving.lecture.lesson import Lesson
from mdcore.serving.room.room import Refused, Room

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without letters that are easily confused
LENGTH = 5
MOST = 200
LETTER = "MARGIN_LAB_ROOM_LETTER"  # the first letter of this process's room codes, by which a proxy can route requests


class Rooms:
    """The open rooms, at most `most`; a room without answers is ended to make space for a new one. Codes begin with
    `letter`."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = time.monotonic, letter: str = "") -> None:
        if letter not in ("", *LETTERS):
            raise ValueError(f"{LETTER} must be one of {LETTERS}; got {letter[:40]!r}.")
        self._most = most
        self._clock = clock
        self._letter = letter
        self._rooms: dict[str, Room] = {}
        self._lock = threading.Lock()

    def open(self, lesson: Lesson, shelf: str | None = None) -> Room:
        with self._lock:
            self._remove_ended()
            if len(self._rooms) >= self._most:
                unused = next((code for code, room in self._rooms.items() if not room.used), None)
                if unused is None:
                    raise Refused(503, f"All {self._most} rooms of this server are taken.")
                self._rooms.pop(unused).end()
            room = Room(self._new_code(), lesson, shelf, clock=self._clock)
            self._rooms[room.code] = room
            return room

    def find(self, code: str) -> Room:
        with self._lock:
            self._remove_ended()
            room = self._rooms.get(code.upper())
        if room is None:
            raise Refused(404, f"There is no room {code[:12]!r}: it may have ended.")
        return room

    def show(self, code: str, key: str, message: bytes) -> None:
        """Show the picture in a message of the stage to the phones of a room, if the key is the presenter's."""
        with suppress(Refused):
            room = self.find(code)
            if room.is_presenter(key):
                room.show(message)

    def end(self, room: Room) -> None:
        with self._lock:
            self._rooms.pop(room.code, None)
        room.end()

    def close(self) -> None:
        """End all rooms."""
        with self._lock:
            rooms = list(self._rooms.values())
            self._rooms.clear()
        for room in rooms:
            room.end()

    @property
    def followers(self) -> int:
        """The number of listeners in all rooms."""
        with self._lock:
            return sum(room.followers for room in self._rooms.values())

    def __len__(self) -> int:
        return len(self._rooms)

    def _remove_ended(self) -> None:
        for code in [code for code, room in self._rooms.items() if room.over]:
            self._rooms.pop(code).end()

    def _new_code(self) -> str:
        while True:
            code = self._letter + "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            if code not in self._rooms:
                return code


ROOMS = Rooms(letter=os.environ.get(LETTER, "").strip())
