"""The identity of a session, and whether it is connected. Streamlit 1.67 does not notify an app when a visitor
leaves."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

VISITOR = "visitor"


@dataclass(frozen=True, eq=False)
class Visitor:
    """One session; equal only to itself."""

    session: str


def visitor() -> Visitor:
    """Return the visitor whose page is running."""
    if VISITOR not in st.session_state:
        context = get_script_run_ctx()
        st.session_state[VISITOR] = Visitor(context.session_id if context else "")
    found: Visitor = st.session_state[VISITOR]
    return found


def is_connected(who: Visitor) -> bool:
    """Return whether a browser is connected to the session; True without a server, as in tests."""
    return not Runtime.exists() or bool(Runtime.instance().is_active_session(who.session))
