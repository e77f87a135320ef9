"""Session state: one dataclass per page under one key, and the state that pages share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from mdcore.experiment import Experiment

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


@dataclass
class Stages:
    """The state of every stage, by its key: the experiment that it last showed, and its query, which has the view, too.

    `sent_by` is the key of the stage from which the visitor opened Compare.
    """

    drawn: dict[str, Experiment] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    sent_by: str = ""
