"""The decision boundary of a run on two features: decision values, contours, points."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from mdcore.basics.text import label_text, short
from mdcore.experiment.run import Run
from mdcore.figures.style import FIELD_COLORS, class_points, figure
from mdcore.margins.distribution import PARTS, Part
from mdcore.solvers.arrays import Array

UNITS_SHOWN = 2.0


def boundary_figure(run: Run, xs: Array, ys: Array, field: Array) -> go.Figure:
    """Draw the decision values `field` = run.field(xs, ys) with contours at 0 and ± run.unit, and the points.

    The axes are those of the scaled features, with equal scales.
    """
    features = run.prepared.dataset.features
    fig = figure(run.name, features[0], features[1])
    add_field(fig, xs, ys, field, run.unit, colorbar={"title": "f(x)", "thickness": 10})
    for part in PARTS:
        for trace in _points(run, part):
            fig.add_trace(trace)
    fig.update_yaxes(scaleanchor="x", scaleratio=1, range=[ys[0], ys[-1]], constrain="domain")
    fig.update_xaxes(range=[xs[0], xs[-1]], constrain="domain")
    return fig


def add_field(fig: go.Figure, xs: Array, ys: Array, f: Array, unit: float, **heat: Any) -> None:
    """Add f as colour, with contours at 0 and ± unit; `heat` is passed to the Heatmap trace.

    The colours fade to white where f is 0, so that the ground is white on a dark page, too.
    """
    fig.update_layout(plot_bgcolor="#FFFFFF")
    fig.update_xaxes(showgrid=False, zeroline=False)
    fig.update_yaxes(showgrid=False, zeroline=False)
    limit = UNITS_SHOWN * unit
    fig.add_trace(
        go.Heatmap(
            x=xs,
            y=ys,
            z=np.clip(f, -limit, limit),
            zmin=-limit,
            zmax=limit,
            colorscale=FIELD_COLORS,
            opacity=0.6,
            zsmooth="best",
            hovertemplate="f = %{z:.3g}<extra></extra>",
            **heat,
        )
    )
    for level, width, dash in ((-unit, 1, "dot"), (0.0, 3, "solid"), (unit, 1, "dot")):
        fig.add_trace(
            go.Contour(
                x=xs,
                y=ys,
                z=f,
                contours={"coloring": "lines", "start": level, "end": level, "size": 1},
                line={"width": width, "dash": dash},
                colorscale=[[0, "#222222"], [1, "#222222"]],
                showscale=False,
                hoverinfo="skip",
                name=f"f = {short(level)}",
            )
        )


def _points(run: Run, part: Part) -> list[go.Scatter]:
    (rows, X, y), margins = run.prepared.of(part), run.margins(part).values
    traces = []
    for code, label in enumerate(run.model.classes_):
        own = y == label
        wrong = margins[own] <= 0
        name = f"class {label_text(label)}"
        trace = class_points(X[own], code, name, part, rows[own], margins[own], digits=4)
        line = {"width": np.where(wrong, 2.5, 0.8), "color": np.where(wrong, "#000000", "#FFFFFF")}
        trace.marker.line = line if part == "train" else {"width": np.where(wrong, 3.0, 1.2)}
        traces.append(trace)
    return traces
