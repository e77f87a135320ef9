"""What a session remembers: for each page one dataclass, under one key; and what the pages know of each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

S = TypeVar("S")

PLAYGROUND, COMPARE = "pages/playground.py", "pages/compare.py"


def state_of(kind: type[S], session: Any = None) -> S:
    """Return what a session, the visitor's own unless said otherwise, remembers of a kind; at first its defaults."""
    kept = st.session_state if session is None else session
    key = f"{kind.__module__}.{kind.__qualname__}"
    if key not in kept:
        kept[key] = kind()
    found: S = kept[key]
    return found


@dataclass
class Stages:
    """Of every stage, by its key: the scene.Drawn that it shows, or showed last, and the query last asked for.

    `sent_by` is the stage whose picture Compare is to begin with.
    """

    drawn: dict[str, Any] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    sent_by: str = ""
