"""Figures as parts of a web page that needs nothing from elsewhere."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

CONFIG = {"displaylogo": False, "responsive": True}


def plotly_library() -> str:
    """Plotly's JavaScript, of the installed version: once per page, before the figures."""
    return f"<script>{get_plotlyjs()}</script>"


def figure_html(made: go.Figure) -> str:
    """Return an interactive figure; the page holds `plotly_library()`."""
    white = go.Figure(made).update_layout(template="plotly_white")  # the default is another one where an app runs
    return str(white.to_html(full_html=False, include_plotlyjs=False, config=CONFIG))
