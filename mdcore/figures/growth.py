"""The score as a function of the number of training rows."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mdcore.basics.text import in_sentence
from mdcore.figures.style import figure, put_legend_below
from mdcore.study.comparison import Comparison
from mdcore.study.learning_curve import Growth
from mdcore.study.references import LEARNERS


def growth_figure(comparison: Comparison, found: Sequence[Growth], score: str) -> go.Figure:
    """Draw the mean score of each method against the number of training rows, with the deviation over the splits."""
    fig = figure("", "training rows", f"test {in_sentence(score)}", height=360)
    for growth in found:
        key = growth.steps[0].key
        fig.add_trace(
            go.Scatter(
                x=[step.rows for step in growth.steps],
                y=[step.score.mean for step in growth.steps],
                error_y={"type": "data", "array": [step.score.deviation for step in growth.steps], "thickness": 1},
                mode="lines+markers",
                name=comparison.names[key],
                line={"color": LEARNERS[key].color, "width": 2},
                hovertemplate="%{x:,} rows: %{y:.3f}<extra></extra>",
            )
        )
    fig.update_xaxes(type="log")
    put_legend_below(fig)
    return fig
