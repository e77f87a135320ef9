"""The effect of one parameter on the margin distribution: one curve for each of a few values."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mdcore.experiment.run import Run
from mdcore.figures.style import cumulative_curve, cumulative_frame, translucent


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
