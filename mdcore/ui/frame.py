"""A page is always shown inside the frame of app.py."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def close_up() -> None:
    """Begin right below the navigation: Streamlit leaves an eighth of a laptop's screen free above a page."""
    st.html("<style>.stMainBlockContainer { padding-top: 3.5rem; }</style>")


def require_frame() -> None:
    """Start again through app.py where Streamlit runs a page of pages/ by itself.

    It does so once in the life of a server: when the first visit ever is to a page other than the first, before
    app.py had the chance to declare its navigation.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
