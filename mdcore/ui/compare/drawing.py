"""How figures and numbers stand on the page."""

from __future__ import annotations

from typing import Any

import streamlit as st

THREE = "%.3g"  # significant digits in tables; downloads hold them all


def plot(figure: Any, words: str) -> None:
    st.plotly_chart(figure, config={"displaylogo": False}, alt=words)
