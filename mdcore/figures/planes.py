"""The points of a model in the plane: signed distance, principal components, or two columns."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mdcore.basics.class_marks import class_mark
from mdcore.experiment.projection import DISTANCE_LABEL
from mdcore.figures.boundary import add_field
from mdcore.figures.style import class_points, figure, plain, put_legend_below
from mdcore.margins.distribution import Part
from mdcore.solvers.arrays import Array
from mdcore.study.planes import View

GREY = "#808080"  # visible on a light and on a dark page
DRAWN = 3000  # most points drawn of each part; more would hide each other and slow the browser


def view_figure(view: View) -> go.Figure:
    """Draw the points with colour and shape by true class, open symbols for test rows, and grey rings around errors."""
    window, (x, y) = view.projection.window, view.projection.labels
    fig = figure("", plain(x), plain(y))
    if view.field is not None:
        if len(view.classes) == 2:
            add_field(fig, *view.field, view.unit, showscale=False)
        else:
            _add_regions(fig, view, *view.field)
    elif x == DISTANCE_LABEL:
        fig.add_vline(x=0, line={"color": GREY, "width": 2})
    parts = _shown(view)
    for part, shown in parts.items():
        for trace in _points(view, part, shown):
            fig.add_trace(trace)
    fig.add_trace(_errors(view, np.concatenate([*parts.values()])))
    fig.update_xaxes(range=window.x)
    fig.update_yaxes(range=window.y)
    put_legend_below(fig)
    fig.update_layout(height=450)
    return fig


def points_drawn(view: View) -> str:
    """Return a sentence with the numbers of rows drawn, or "" if all are."""
    train, test = (len(shown) for shown in _shown(view).values())
    if train + test == len(view.rows):
        return ""
    tested = len(view.rows) - view.fitted
    return f"Showing {train:,} of {view.fitted:,} training rows and {test:,} of {tested:,} test rows."


def _shown(view: View) -> dict[Part, NDArray[np.intp]]:
    """Return the indices of the points to draw in each part."""
    parts: dict[Part, NDArray[np.intp]] = {
        "train": np.arange(view.fitted),
        "test": np.arange(view.fitted, len(view.rows)),
    }
    return {part: points[:: max(1, -(-len(points) // DRAWN))] for part, points in parts.items()}


def _add_regions(fig: go.Figure, view: View, xs: Array, ys: Array, codes: Array) -> None:
    k = len(view.classes)
    steps = [(edge / k, class_mark(code).light) for code in range(k) for edge in (code, code + 1)]
    fig.add_trace(
        go.Heatmap(
            x=xs,
            y=ys,
            z=codes,
            zmin=-0.5,
            zmax=k - 0.5,
            colorscale=steps,
            opacity=0.3,
            showscale=False,
            text=np.array([plain(label) for label in view.classes])[codes],
            hovertemplate="predicted %{text}<extra></extra>",
        )
    )


def _points(view: View, part: Part, shown: NDArray[np.intp]) -> list[go.Scatter]:
    traces = []
    for code, label in enumerate(view.classes):
        own = shown[view.labels[shown] == label]
        points = view.projection.points[own]
        traces.append(class_points(points, code, plain(label), part, view.rows[own], view.margins[own], digits=3))
    return traces


def _errors(view: View, shown: NDArray[np.intp]) -> go.Scatter:
    wrong = shown[view.margins[shown] <= 0]
    return go.Scatter(
        x=view.projection.points[wrong, 0],
        y=view.projection.points[wrong, 1],
        mode="markers",
        name="error",
        marker={"symbol": "circle-open", "color": GREY, "size": 14, "line": {"width": 2}},
        hoverinfo="skip",
    )
