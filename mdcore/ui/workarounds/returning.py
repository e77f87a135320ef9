"""Reconnection of a page to a server that does not have its session: one restarted since, or another of several.

Seen in Streamlit 1.67: a page that lost its socket requests its old session in the subprotocols of the next one; if
that session is gone, it silently gets a new one. The page then requests only a fragment, as before. The new session has
run nothing and has no such fragment: it drops this request and every later one.
"""

from __future__ import annotations

from weakref import WeakSet

import streamlit as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

SOCKET = "sec-websocket-protocol"


def has_lost_session() -> bool:
    """Return whether this page asked for another session than it got."""
    context = get_script_run_ctx()
    earlier = requested_session(st.context.headers.get(SOCKET, ""))
    return context is not None and earlier not in ("", context.session_id)


def requested_session(protocols: str) -> str:
    """Return the session that a page asks for: the third of its subprotocols, or ""."""
    return next((word.strip() for word in protocols.split(",")[2:]), "")


def run_the_whole_page_first() -> None:
    """Patch Streamlit so that the first request of every session runs the whole page, even if it asks for a
    fragment."""
    begun: WeakSet[AppSession] = WeakSet()
    request_rerun = AppSession.request_rerun

    def request(session: AppSession, client_state: ClientState | None) -> None:
        if client_state is not None and session not in begun:
            begun.add(session)
            client_state.ClearField("fragment_id")
        request_rerun(session, client_state)

    AppSession.request_rerun = request  # type: ignore[assignment,method-assign]  # patched here
