"""Figures as parts of a self-contained web page."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

CONFIG = {"displaylogo": False, "responsive": True}


def plotly_library() -> str:
    """Return a script element with Plotly's JavaScript, to be included once per page, before the figures."""
    return f"<script>{get_plotlyjs()}</script>"


def figure_html(fig: go.Figure) -> str:
    """Return an interactive figure as HTML, for a page that includes `plotly_library()`."""
    white = go.Figure(fig).update_layout(template="plotly_white")  # Streamlit changes the default template
    return str(white.to_html(full_html=False, include_plotlyjs=False, config=CONFIG))
