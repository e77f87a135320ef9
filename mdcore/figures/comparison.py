"""Figures of a comparison over splits: scores, paired differences, bands of cumulative margins, confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from mdcore.basics.text import in_sentence, label_text, shortened
from mdcore.figures.style import DASHES, PART_NAMES, add_band, cumulative_frame, figure, plain, put_legend_below, tint
from mdcore.margins.distribution import Part, Scale
from mdcore.study.comparison import Comparison
from mdcore.study.learning_curve import Growth
from mdcore.study.margin_curves import Band
from mdcore.study.references import LEARNERS

MOST_LABELS = 10  # tick labels on an axis of classes
LONG = 24  # characters; longer tick labels take two lines


def band_figure(comparison: Comparison, bands: Mapping[tuple[str, Part], Band], scale: Scale) -> go.Figure:
    """Draw the cumulative margins for each (method, part): the median over the splits, and a band between quantiles."""
    fig = cumulative_frame("", scale)
    for (key, part), band in bands.items():
        name = f"{comparison.names[key]}, {PART_NAMES[part]}"
        add_band(fig, band, LEARNERS[key].color, name, DASHES[part])
    put_legend_below(fig)
    fig.update_layout(height=450)
    return fig


def confusion_figure(comparison: Comparison, key: str) -> go.Figure:
    """Draw the confusion matrix summed over all splits: counts as text, shares of the true class as colours."""
    names = [label_text(label) for label in comparison.classes]
    labels = [plain(name) for name in names]
    step = -(-len(names) // MOST_LABELS)
    short = [plain(shortened(name)) for name in names[::step]]  # escaped last: a cut entity would be shown as such
    ticks = {"type": "category", "tickvals": labels[::step], "ticktext": short}
    counts = comparison.confusion(key)
    fig = figure(comparison.names[key], "predicted", "true")
    fig.add_trace(
        go.Heatmap(
            x=labels,
            y=labels,
            z=counts / np.maximum(counts.sum(axis=1, keepdims=True), 1),
            zmin=0,
            zmax=1,
            colorscale=[[0, "#FFFFFF"], [1, tint(LEARNERS[key].color, 0.5)]],
            showscale=False,
            text=counts,
            texttemplate="%{text:,}" if len(labels) <= MOST_LABELS else None,
            textfont={"color": "#1d2422"},
            hovertemplate="true %{y}, predicted %{x}: %{text} (%{z:.1%} of the class)<extra></extra>",
        )
    )
    fig.update_xaxes(automargin=True, **ticks)
    fig.update_yaxes(autorange="reversed", automargin=True, **ticks)
    fig.update_layout(height=280, margin={"l": 16, "r": 8, "t": 40, "b": 40})
    return fig


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
