"""The presenter's newest picture for the phones that follow, made small in the background at a limited rate."""

from __future__ import annotations

import threading

from mdcore.serving.room.computing import queue_task
from mdcore.serving.room.room import Refused, Room
from mdcore.serving.room.rooms import ROOMS
from mdcore.serving.room.small_picture import small_picture

PACE = 0.25  # s between two pictures sent to phones

_waiting: dict[str, tuple[Room, bytes]] = {}  # the newest message of the stage, by room
_lock = threading.Lock()


def follow(code: str, key: str, message: bytes) -> None:
    """Schedule the picture of the stage's message for the room's phones, if the key is the presenter's.

    It is made small later, so that the presenter does not wait for phones.
    """
    try:
        room = ROOMS.find(code)
    except Refused:
        return
    if not room.is_presenter(key):
        return
    with _lock:
        first = code not in _waiting
        _waiting[code] = room, message
    if first:
        timer = threading.Timer(PACE, queue_task, [lambda: _show(code)])
        timer.daemon = True
        timer.start()


def _show(code: str) -> None:
    with _lock:
        room, message = _waiting.pop(code)
    picture = small_picture(message)
    if picture is not None:
        room.show_scene(picture)
