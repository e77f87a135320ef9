"""The margin distributions of several runs: histogram, and cumulative frequency as in Figure 1 of the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mdcore.experiment.run import Run
from mdcore.figures.style import (
    AXIS_TITLES,
    DASHES,
    PART_NAMES,
    ZERO_LINE,
    cumulative_curve,
    cumulative_frame,
    figure,
    translucent,
)
from mdcore.margins.distribution import PARTS
from mdcore.solvers.arrays import Array


def histogram_figure(runs: Sequence[Run], edges: Array) -> go.Figure:
    """Draw the counts of training margins between common edges, with the marks of each method."""
    fig = figure("Margin histogram, training examples", AXIS_TITLES[runs[0].asked], "examples")
    for run in runs:
        fig.add_trace(
            go.Scatter(
                x=np.repeat(edges, 2)[1:-1],
                y=np.repeat(run.on_axis("train").counts(edges), 2),
                mode="lines",
                name=run.name,
                line={"color": run.method.color, "width": 2},
                fill="tozeroy",
                fillcolor=translucent(run.method.color, 0.2),
            )
        )
        _add_marks(fig, run)
    fig.add_vline(x=0, line=ZERO_LINE)
    return fig


def cumulative_figure(runs: Sequence[Run]) -> go.Figure:
    """Draw P(margin <= t) against t, solid for training and dashed for test margins."""
    fig = cumulative_frame("Cumulative margins", runs[0].asked)
    for run in runs:
        for part in PARTS:
            distribution = run.on_axis(part)
            if len(distribution):
                line = {"color": run.method.color, "width": 2, "dash": DASHES[part]}
                fig.add_trace(cumulative_curve(distribution.ordered, f"{run.name}, {PART_NAMES[part]}", line))
    return fig


def _add_marks(fig: go.Figure, run: Run) -> None:
    for mark in run.marks():
        label = f"{run.name}: {mark.label}"
        if mark.low == mark.high:
            fig.add_vline(x=mark.low, line={"color": run.method.color, "width": 2, "dash": "dot"}, name=label)
        else:
            fill = translucent(run.method.color, 0.15 * mark.strength)
            fig.add_vrect(x0=mark.low, x1=mark.high, fillcolor=fill, line_width=0, layer="below", name=label)


def effect_figure(runs: Sequence[Run], labels: Sequence[str], reference: Run | None = None) -> go.Figure:
    """Draw the cumulative training margins of `runs`, in increasingly strong colour, and of another run, dotted."""
    fig = cumulative_frame("", runs[0].asked)
    for position, (run, label) in enumerate(zip(runs, labels, strict=True), start=1):
        shade = translucent(run.method.color, 0.25 + 0.75 * position / len(runs))
        fig.add_trace(cumulative_curve(run.on_axis("train").ordered, label, {"color": shade, "width": 2.5}))
    if reference is not None:
        line = {"color": reference.method.color, "width": 2, "dash": "dot"}
        fig.add_trace(cumulative_curve(reference.on_axis("train").ordered, reference.name, line))
    return fig
