"""Positions in a JSON text: from a path of keys and indices to a line number."""

from __future__ import annotations

import json
from collections.abc import Iterable

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def line_of(text: str, path: Iterable[str | int]) -> int:
    """Return the line, counted from 1, of the value at a path of a valid JSON text, or of the deepest value on the path
    that exists."""
    at = _skip(text, 0)
    for part in path:
        found = _item(text, at, part) if isinstance(part, int) else _member(text, at, part)
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1


def _item(text: str, at: int, index: int) -> int | None:
    at = _skip(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            return None
        at = _after(text, at)
    return at


def _member(text: str, at: int, key: str) -> int | None:
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, end = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, end) + 1)  # past the colon
        if name == key:
            return at
        at = _after(text, at)
    return None


def _after(text: str, at: int) -> int:
    """Return the position after a value and the comma that may follow it."""
    _, end = _DECODER.raw_decode(text, at)
    end = _skip(text, end)
    return _skip(text, end + 1) if text[end] == "," else end


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
