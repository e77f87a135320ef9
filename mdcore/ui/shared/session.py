"""Session state: one dataclass per page under one key, and values kept until another subject is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

S = TypeVar("S")
T = TypeVar("T")

PLAYGROUND, COMPARE = "pages/playground.py", "pages/compare.py"


def state_of(kind: type[S], session: Any = None) -> S:
    """Return the instance of a dataclass stored in a session, by default the visitor's own; create it on first use."""
    kept = st.session_state if session is None else session
    key = f"{kind.__module__}.{kind.__qualname__}"
    if key not in kept:
        kept[key] = kind()
    found: S = kept[key]
    return found


def cached_for(slot: str, subject: object, make: Callable[[], T]) -> T:
    """Return the value cached in a slot if it belongs to this subject; otherwise compute and store it."""
    held: tuple[object, T] | None = st.session_state.get(slot)
    if held is None or held[0] != subject:
        held = st.session_state[slot] = subject, make()
    return held[1]
