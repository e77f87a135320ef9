"""Figures of lines and points that are redrawn in place, while something is dragged.

Streamlit makes a Plotly chart anew whenever its figure changes: it is gone for a moment, several times a second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from mdcore.figures import on_dark
from mdcore.figures.in_place import drawing
from mdcore.ui.shared.terms import say_terms, terms_of


@cache
def _component() -> Callable[..., Any]:
    """Declared when it is first shown: without a running app there is nowhere to declare it."""
    return st.components.v2.component("mdcore.live_plot", js="live_plot.js", isolate_styles=False)


def live_plot(made: Any, words: str, key: str) -> None:
    """Show a figure whose axes have ranges, with its text alternative and what its axes mean."""
    explained = terms_of(made, {})
    if st.context.theme.type == "dark":
        made = on_dark(made)
    _component()(key=key, data=drawing(made, words), height="content")
    say_terms(explained, "chart")
