"""Figures of lines and points as data, from which the browser redraws them in place."""

from __future__ import annotations

from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go

DASHES = {None: [], "solid": [], "dash": [8, 5], "dot": [2, 3]}
POSITIONS = 2000  # positions along an axis, more than a screen can show


def drawing(fig: go.Figure, words: str) -> dict[str, Any]:
    """Return the parts of a figure that the browser draws: lines and points, vertical lines, axes."""
    layout = fig.layout
    return {
        "words": words,
        "height": layout.height,
        "x": _axis(layout.xaxis),
        "y": _axis(layout.yaxis),
        "lines": [_line(trace, layout) for trace in fig.data],
        "marks": [{"x": mark.x0, "color": mark.line.color, "width": mark.line.width} for mark in layout.shapes],
    }


def _axis(axis: Any) -> dict[str, Any]:
    low, high = axis.range
    return {"low": low, "high": high, "title": unescape(axis.title.text)}


def _line(trace: go.Scatter, layout: Any) -> dict[str, Any]:
    points = trace.mode == "markers"
    x, y = _thinned(trace.x, trace.y, layout)
    return {
        "x": x,
        "y": y,
        "name": unescape(trace.name or ""),
        "told": trace.hovertemplate is not None,
        "color": trace.marker.color if points else trace.line.color,
        "width": trace.line.width or 2,
        "dash": DASHES[trace.line.dash],
        "steps": trace.line.shape == "hv",
        "size": trace.marker.size if points else 0,
    }


def _thinned(x: Any, y: Any, layout: Any) -> tuple[list[float | None], list[float | None]]:
    """Return the points without those at the same position as their predecessor, with None for NaN in the gaps."""
    at = np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])
    span = np.ptp([layout.xaxis.range, layout.yaxis.range], axis=1)
    place = np.round(at * (POSITIONS / span))
    kept = np.concatenate([[True], (place[1:] != place[:-1]).any(axis=1)]) if len(at) else np.zeros(0, dtype=bool)
    left, up = ([float(f"{v:.6g}") if np.isfinite(v) else None for v in column] for column in at[kept].T)
    return left, up
