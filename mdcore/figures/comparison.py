"""Figures of a comparison over splits: scores, paired differences, bands of cumulative margins, confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from mdcore.figures.style import (
    DASHES,
    PART_NAMES,
    ZERO_LINE,
    add_band,
    cumulative_frame,
    figure,
    plain,
    put_legend_below,
    tint,
    translucent,
)
from mdcore.margin import Part, Scale
from mdcore.study.comparison import Comparison
from mdcore.study.curves import Band
from mdcore.study.differences import CONFIDENCE, Difference
from mdcore.study.references import LEARNERS
from mdcore.study.scores import SCORES
from mdcore.text import in_sentence, label_text, percent, shortened

JITTER = 0.18
MOST_LABELS = 10  # tick labels on an axis of classes
LONG = 24  # characters; longer tick labels take two lines


def score_figure(comparison: Comparison, score: str) -> go.Figure:
    """Draw the score of each method as a point for every split, next to the mean with the standard deviation."""
    fig = figure("", "", f"test {in_sentence(SCORES[score])}", showlegend=False)
    for place, key in enumerate(comparison.keys):
        color, name, done = LEARNERS[key].color, comparison.names[key], comparison.of(key)
        values = comparison.score(key, score)
        spread = comparison.spread(key, score)
        fig.add_trace(
            go.Scatter(
                x=place - 0.15 + JITTER * (np.arange(len(values)) % 5 - 2) / 5,
                y=values,
                mode="markers",
                name=f"{name}, splits",
                marker={"color": translucent(color, 0.6), "size": 7},
                customdata=[[result.split + 1] for result in done],
                hovertemplate=f"{name}, split %{{customdata[0]}}<br>%{{y:.4g}}<extra></extra>",
            )
        )
        fig.add_trace(
            go.Scatter(
                x=[place + 0.15],
                y=[spread.mean],
                error_y={"type": "data", "array": [spread.deviation], "thickness": 2, "width": 8},
                mode="markers",
                name=f"{name}, mean ± deviation",
                marker={"color": color, "size": 12, "symbol": "diamond"},
                hovertemplate=f"{name}<br>mean %{{y:.4g}} ± {spread.deviation:.2g}<extra></extra>",
            )
        )
    names = list(comparison.names.values())
    ticks = [name.replace(" ", "<br>") for name in names]
    fig.update_xaxes(tickvals=list(range(len(names))), ticktext=ticks, range=[-0.6, len(names) - 0.4], zeroline=False)
    return fig


def difference_figure(comparison: Comparison, differences: Sequence[Difference], score: str) -> go.Figure:
    """Draw the mean difference of every pair of methods, with the confidence intervals of both t-tests."""
    fig = figure(
        "",
        f"difference in {in_sentence(SCORES[score])},<br>{percent(CONFIDENCE, 2)} interval",
        "",
        legend_traceorder="normal",
    )
    names = [(comparison.names[d.first], comparison.names[d.second]) for d in differences]
    pairs = [" − ".join(pair) for pair in names]
    ticks = [pair if len(pair) <= LONG else " −<br>".join(two) for pair, two in zip(pairs, names, strict=True)]
    for name, color, width, offset in (("corrected", "#0072B2", 3, 0.12), ("plain", "#999999", 2, -0.12)):
        tests = [getattr(d, name) for d in differences]
        fig.add_trace(
            go.Scatter(
                x=[d.mean for d in differences],
                y=np.arange(len(pairs)) + offset,
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [t.high - d.mean for t, d in zip(tests, differences, strict=True)],
                    "arrayminus": [d.mean - t.low for t, d in zip(tests, differences, strict=True)],
                    "thickness": width,
                    "width": 6,
                },
                mode="markers",
                name=f"{name} t-test",
                marker={"color": color, "size": 9, "symbol": "circle" if name == "corrected" else "circle-open"},
                customdata=[[pair, t.p] for pair, t in zip(pairs, tests, strict=True)],
                hovertemplate="%{customdata[0]}<br>%{x:.3g}, p = %{customdata[1]:.3g}<extra></extra>",
            )
        )
    fig.add_vline(x=0, line=ZERO_LINE)
    fig.update_yaxes(
        tickvals=list(range(len(pairs))), ticktext=ticks, autorange="reversed", automargin=True, zeroline=False
    )
    put_legend_below(fig)
    fig.update_layout(height=120 + 46 * max(len(pairs), 1))
    return fig


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
