"""A page that comes back to a server that does not know it: one started anew, or another one of several.

Seen in Streamlit 1.67: a page whose socket has gone asks for its session by the next one's subprotocols, and gets a new
one without a word where that one has gone. It then asks for a part of the page, a fragment, as before. The new session
has run nothing and knows no fragment: it drops this request and every later one.
"""

from __future__ import annotations

from weakref import WeakSet

import streamlit as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
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


def run_the_whole_page_first() -> None:
    """Let the first request of every session run its whole page, also where it asks for a part of it."""
    begun: WeakSet[AppSession] = WeakSet()
    request_rerun = AppSession.request_rerun

    def request(session: AppSession, client_state: ClientState | None) -> None:
        if client_state is not None and session not in begun:
            begun.add(session)
            client_state.ClearField("fragment_id")
        request_rerun(session, client_state)

    AppSession.request_rerun = request  # type: ignore[assignment,method-assign]
