"""Drawings and Plotly charts on a page, and the number format of tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st

from mdcore.figures import on_dark
from mdcore.ui.shared.terms import show_terms, terms_of
from mdcore.ui.workarounds.components import component

THREE = "%.3g"  # significant digits in tables; downloads have full precision
NONE: Mapping[str, str] = MappingProxyType({})


def draw(html: str, key: str) -> None:
    """Show a drawing of HTML and SVG, in which every text from outside is escaped."""
    component("drawing")(key=key, data={"html": html}, height="content")


def plot(figure: Any, words: str, terms: Mapping[str, str] = NONE, note: str = "", **options: Any) -> Any:
    """Show a chart with its text alternative and the meaning of its axes; return the result of st.plotly_chart.

    `terms` adds meanings that depend on the content shown, `note` is a caption on their line.
    """
    explained = terms_of(figure, terms)
    if st.context.theme.type == "dark":
        figure = on_dark(figure)
    event = st.plotly_chart(figure, config={"displaylogo": False}, alt=words, **options)
    if note:
        with st.container(horizontal=True, vertical_alignment="center"):
            show_terms(explained, "chart")
            st.caption(note)
    else:
        show_terms(explained, "chart")
    return event
