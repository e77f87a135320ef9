"""Restart of a page of `pages/` that Streamlit runs outside the frame."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def require_frame() -> None:
    """Rerun through frame.py if Streamlit runs a page of pages/ directly.

    This happens at most once per server: when the very first visit is to a page other than the first, before frame.py
    has declared its navigation.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
