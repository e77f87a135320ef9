"""The presenter's newest picture for the phones that follow, packed in the background at a limited rate."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from mdcore.experiment import Experiment
from mdcore.experiment.run import Run
from mdcore.serving.room.computing import queue_task
from mdcore.serving.room.room import Refused, Room
from mdcore.serving.room.rooms import ROOMS
from mdcore.serving.room.scene import pack_scene

PACE = 0.25  # s between two pictures sent to phones


@dataclass(frozen=True, eq=False)
class _Picture:
    room: Room
    experiment: Experiment
    runs: Mapping[str, Run]


_waiting: dict[str, _Picture] = {}
_lock = threading.Lock()


def follow(code: str, key: str, experiment: Experiment, runs: Mapping[str, Run]) -> None:
    """Schedule the picture for the room's phones, if the key is the presenter's. Private tables are never sent.

    Packing happens later, so that the page being drawn does not wait for phones.
    """
    try:
        room = ROOMS.find(code)
    except Refused:
        return
    if not room.is_presenter(key) or experiment.data.own is not None:
        return
    with _lock:
        first = code not in _waiting
        _waiting[code] = _Picture(room, experiment, runs)
    if first:
        timer = threading.Timer(PACE, queue_task, [lambda: _show(code)])
        timer.daemon = True
        timer.start()


def _show(code: str) -> None:
    with _lock:
        picture = _waiting.pop(code)
    picture.room.show_scene(pack_scene(picture.experiment, dict(picture.runs)))
