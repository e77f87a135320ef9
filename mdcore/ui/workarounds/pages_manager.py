"""A page of `pages/` that Streamlit runs by itself starts again inside the frame."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def require_frame() -> None:
    """Start again through frame.py where Streamlit runs a page of pages/ by itself.

    It does so once in the life of a server: when the first visit ever is to a page other than the first, before
    frame.py had the chance to declare its navigation.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
