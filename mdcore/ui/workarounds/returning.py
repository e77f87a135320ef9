"""Whether a page has come back to a server that does not know it. Seen in Streamlit 1.67: a page whose socket has gone
asks for its session by the next one's subprotocols, and where there is none any more, gets a new one without a word."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

SOCKET = "sec-websocket-protocol"


def has_come_back() -> bool:
    """Return whether this page asked for another session than the one it got."""
    context = get_script_run_ctx()
    earlier = asked_for(st.context.headers.get(SOCKET, ""))
    return context is not None and earlier not in ("", context.session_id)


def asked_for(protocols: str) -> str:
    """Return the session that a page had before: it stands behind the protocol and a token."""
    return next((word.strip() for word in protocols.split(",")[2:]), "")
