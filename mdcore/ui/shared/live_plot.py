"""Line and scatter figures that are redrawn in place while the visitor drags something.

Streamlit rebuilds a Plotly chart whenever its figure changes: the chart would vanish for a moment several times a
second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from mdcore.figures import on_dark
from mdcore.figures.in_place import drawing
from mdcore.ui.shared.terms import show_terms, terms_of


@cache
def _component() -> Callable[..., Any]:
    """Declare the component on first use: without a running app there is no registry to declare it in."""
    return st.components.v2.component("mdcore.live_plot", js="live_plot.js", isolate_styles=False)


def live_plot(made: Any, words: str, key: str) -> None:
    """Show a figure whose axes have fixed ranges, with its text alternative and the meaning of its axes."""
    explained = terms_of(made, {})
    if st.context.theme.type == "dark":
        made = on_dark(made)
    _component()(key=key, data=drawing(made, words), height="content")
    show_terms(explained, "chart")
