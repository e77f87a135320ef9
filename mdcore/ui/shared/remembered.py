"""A one-entry cache per session and slot: the last value, kept until another subject is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


def cached_for(slot: str, subject: object, make: Callable[[], T]) -> T:
    """Return the value cached in a slot if it belongs to this subject; otherwise compute and store it."""
    held: tuple[object, T] | None = st.session_state.get(slot)
    if held is None or held[0] != subject:
        held = st.session_state[slot] = subject, make()
    return held[1]
