"""Session state: one dataclass per page under one key."""

from __future__ import annotations

from typing import Any, TypeVar

import streamlit as st

S = TypeVar("S")

PLAYGROUND, COMPARE = "pages/playground.py", "pages/compare.py"


def state_of(kind: type[S], session: Any = None) -> S:
    """Return the instance of a dataclass stored in a session, by default the visitor's own; create it on first use."""
    kept = st.session_state if session is None else session
    key = f"{kind.__module__}.{kind.__qualname__}"
    if key not in kept:
        kept[key] = kind()
    found: S = kept[key]
    return found
