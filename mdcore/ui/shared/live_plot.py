"""Line and scatter figures that are redrawn in place while the visitor drags something.

Streamlit rebuilds a Plotly chart whenever its figure changes: the chart would vanish for a moment several times a
second.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from mdcore.figures import on_dark
from mdcore.figures.in_place import drawing
from mdcore.ui.shared.terms import show_terms, terms_of
from mdcore.ui.workarounds.components import component


def live_plot(made: Any, words: str, key: str) -> None:
    """Show a figure whose axes have fixed ranges, with its text alternative and the meaning of its axes."""
    explained = terms_of(made, {})
    if st.context.theme.type == "dark":
        made = on_dark(made)
    component("live_plot")(key=key, data=drawing(made, words), height="content")
    show_terms(explained, "chart")
