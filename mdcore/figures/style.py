"""Colours, glyphs and layout common to all figures: Okabe-Ito for the classes, one more colour per method."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

CLASS_COLORS = ("#0072B2", "#D55E00")
CLASS_SYMBOLS = ("circle", "diamond")
FIELD_COLORS = ((0.0, CLASS_COLORS[0]), (0.5, "#FFFFFF"), (1.0, CLASS_COLORS[1]))
DASHES = {"train": "solid", "test": "dash"}
NAMES = {"train": "training", "test": "test"}
AXIS_TITLES = {"geometric": "margin y f(x) / ‖w‖ (geometric)", "functional": "margin y f(x) (functional)"}


def translucent(color: str, opacity: float) -> str:
    """A hex colour as rgba(...)."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def figure(title: str, x: str, y: str, **layout: Any) -> go.Figure:
    """An empty figure with the common layout."""
    made = go.Figure()
    made.update_layout(
        title=title,
        xaxis_title=x,
        yaxis_title=y,
        margin={"l": 56, "r": 16, "t": 76, "b": 48},  # a line for the title, one for the legend
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        hovermode="closest",
        uirevision="keep",
        **layout,
    )
    return made
