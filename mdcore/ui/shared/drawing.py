"""How figures and numbers stand on the page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mdcore.figures import on_dark

THREE = "%.3g"  # significant digits in tables; downloads hold them all


def plot(figure: Any, words: str, **options: Any) -> Any:
    """Show a chart with its text alternative; return what st.plotly_chart returns."""
    if st.context.theme.type == "dark":
        figure = on_dark(figure)
    return st.plotly_chart(figure, config={"displaylogo": False}, alt=words, **options)
