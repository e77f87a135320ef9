"""Validation of the stage's requests: anyone can send one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from mdcore.data import OwnSource
from mdcore.experiment.projection import Window
from mdcore.margins.distribution import BINS
from mdcore.serving.stage.files import FILES
from mdcore.serving.stage.last_picture import LARGEST, Axes, LastPicture
from mdcore.serving.stage.scene import Request

LARGEST_NUMBER = 2**53  # the largest integer that JavaScript numbers represent reliably
LONGEST_NAME = 200  # characters of a hash or a name
MOST_NAMES = 100


def read_request(asked: Any, own: Collection[OwnSource] = (), *, heard: bool = True) -> Request:
    """Return the validated request; raise ValueError if the stage cannot have sent it."""
    if not isinstance(asked, Mapping):
        raise _unreadable("it is not an object")
    query, gesture = asked.get("query"), asked.get("gesture")
    if not isinstance(query, str):
        raise _unreadable("query is not a string")
    if not _is_name(asked.get("have")):
        raise _unreadable("have is not the hash of a catalogue")
    if not _is_number(asked.get("id")):
        raise _unreadable("id is not a safe integer")
    if gesture is not None and not _is_number(gesture):
        raise _unreadable("gesture is not a safe integer")
    file, room = asked.get("file"), asked.get("room")
    named = file if isinstance(file, str) and file in FILES else ""
    flags = {name: asked.get(name) is True for name in ("opens", "save", "held", "fit")}
    presented = (str(room.get("code")), str(room.get("key"))) if isinstance(room, Mapping) else None
    return Request(
        query, asked["id"], asked["have"], own, heard=heard, gesture=gesture, file=named, room=presented, **flags
    )


def read_last(sent: Any) -> LastPicture | None:
    """Return the last picture as `LastPicture.packed` wrote it, or None; raise ValueError if nothing like it was
    sent."""
    if sent is None:
        return None
    if not isinstance(sent, Mapping) or not all(isinstance(sent.get(name), str) for name in ("query", "start")):
        raise _unreadable("last is not a picture")
    gesture = sent.get("gesture")
    if gesture is not None and not _is_number(gesture):
        raise _unreadable("the last gesture is not a safe integer")
    contents = sent.get("contents", {})
    if not isinstance(contents, Mapping) or len(contents) > MOST_NAMES or not all(map(_is_name, contents.values())):
        raise _unreadable("contents are not names")
    return LastPicture(sent["query"], sent["start"], gesture, sent.get("preview") is True, _axes(sent), contents)


def _axes(sent: Mapping[str, Any]) -> Axes:
    subject, scope, edges, windows = (sent.get(name) for name in ("subject", "scope", "edges", "windows"))
    if not all(
        isinstance(names, list) and len(names) < MOST_NAMES and all(map(_is_name, names)) for names in (subject, scope)
    ):
        raise _unreadable("subject and scope are not lists of names")
    if edges is not None and not (_are_finite(edges, range(2, 4 * BINS)) and (np.diff(edges) > 0.0).all()):
        raise _unreadable("edges are not increasing numbers")
    if not isinstance(windows, Mapping) or len(windows) > MOST_NAMES:
        raise _unreadable("windows are not an object")
    for name, ends in windows.items():
        if not _is_name(name) or not _are_finite(ends, range(4, 5)) or ends[0] >= ends[1] or ends[2] >= ends[3]:
            raise _unreadable("a window is not two intervals")
    shown = {name: Window((ends[0], ends[1]), (ends[2], ends[3])) for name, ends in windows.items()}
    return Axes(tuple(subject or ()), tuple(scope or ()), None if edges is None else np.array(edges, float), shown)


def _are_finite(values: Any, lengths: range) -> bool:
    numbers = (
        isinstance(values, list) and len(values) in lengths and all(type(value) in (int, float) for value in values)
    )
    return numbers and all(abs(value) <= LARGEST for value in values)  # false for NaN, too


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_NUMBER


def _unreadable(why: str) -> ValueError:
    return ValueError(f"The page's request cannot be read: {why}. Load the page again.")
