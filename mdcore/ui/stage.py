"""The live stage as a Streamlit component: mount, requests, answers. What it draws is packed in scene.py."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from mdcore.ui.openings import PLAYGROUND, Opening
from mdcore.ui.scene import Request, answer
from mdcore.ui.session import drawn_on, first_on

# Found through the [tool.streamlit.component] table of pyproject.toml; its files are served and cached by the browser.
_STAGE = st.components.v2.component("mdcore.stage", js="stage.js", isolate_styles=False)


@st.fragment
def live_stage(opening: Opening = PLAYGROUND) -> None:
    """Answer the browser's latest request; the first picture is that of the page's own URL."""
    message, drawn = answer(_request(opening), st.session_state.get(drawn_on(opening)), opening)
    st.session_state[drawn_on(opening)] = drawn
    _STAGE(key=opening.key, data=message, default={"request": None}, on_request_change=_noted, height="content")


def _request(opening: Opening) -> Request:
    state: dict[str, Any] = st.session_state.get(opening.key) or {}
    asked = state.get("request")
    if asked:
        return Request(str(asked["query"]), int(asked["id"]), str(asked["have"]))
    pairs = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    return Request(st.session_state.setdefault(first_on(opening), urlencode(pairs)))


def _noted() -> None:
    """Streamlit keeps a state only where a callback is given; the rerun it causes does the work."""
