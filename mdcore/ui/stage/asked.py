"""Validation of the stage's requests: anyone can write to the socket."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mdcore.data import OwnSource
from mdcore.ui.stage.files import FILES
from mdcore.ui.stage.scene import Request

LARGEST_NUMBER = 2**53  # the largest integer that JavaScript numbers represent reliably
LONGEST_HASH = 200  # characters


def read_request(asked: Any, page_run: str = "", own: Collection[OwnSource] = ()) -> Request:
    """Return the validated request; raise ValueError if the stage cannot have sent it."""
    if not isinstance(asked, Mapping):
        raise _unreadable("it is not an object")
    query, have, gesture = asked.get("query"), asked.get("have"), asked.get("gesture")
    if not isinstance(query, str):
        raise _unreadable("query is not a string")
    if not isinstance(have, str) or len(have) > LONGEST_HASH:
        raise _unreadable("have is not the hash of a catalogue")
    if not _is_number(asked.get("id")):
        raise _unreadable("id is not a safe integer")
    if gesture is not None and not _is_number(gesture):
        raise _unreadable("gesture is not a safe integer")
    file = asked.get("file")
    named = file if isinstance(file, str) and file in FILES else ""
    flags = {name: asked.get(name) is True for name in ("save", "held", "fit")}
    return Request(query, asked["id"], page_run, have, own, gesture=gesture, file=named, **flags)


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_NUMBER


def _unreadable(why: str) -> ValueError:
    return ValueError(f"The page's request cannot be read: {why}. Load the page again.")
