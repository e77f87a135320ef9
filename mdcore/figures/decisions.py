"""Figures of thresholds, costs and probabilities: margins by class, ROC, precision and recall, reliability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mdcore.basics.class_marks import class_mark
from mdcore.figures.style import cumulative_curve, figure, plain, put_legend_below, translucent
from mdcore.solvers.arrays import Array
from mdcore.study.decisions import Costs, Probabilities, Split, class_margins, reach, reliability, roc

POINTS = 201
HEIGHT = 300
SHARE_RANGE = (-0.02, 1.02)  # slightly more than [0, 1], so that points at the ends are visible
NARROW_MARGINS = {"l": 56, "r": 16, "t": 16, "b": 48}


def class_margin_figure(splits: Sequence[Split], costs: Costs, color: str, names: tuple[str, str]) -> go.Figure:
    """Draw the cumulative test margins of each class, all splits together; the threshold shifts the curves.

    `names` are the names of the negative and of the positive class.
    """
    fig = figure("", "margin / SD of f (test rows)", "P(margin ≤ m)", height=HEIGHT)
    pairs = [
        [margins.values / split.unit for margins in class_margins(split, at.threshold, "functional")]
        for split, at in zip(splits, costs.splits, strict=True)
    ]
    for code, name in enumerate(names):
        values = np.sort(np.concatenate([pair[code] for pair in pairs]))
        line = {"color": class_mark(code).light, "width": 3, "dash": "solid" if code else "dash"}
        fig.add_trace(cumulative_curve(values, plain(name), line, hovertemplate="%{x:.3g}: %{y:.3f}<extra></extra>"))
    low, high = reach(splits)
    fig.update_xaxes(range=[low - high, high - low])  # valid for every threshold, so that dragging keeps it fixed
    fig.update_yaxes(range=SHARE_RANGE)
    fig.add_vline(x=0, line={"color": color, "width": 2}, annotation_text="threshold")
    put_legend_below(fig, **NARROW_MARGINS | {"b": 84})
    return fig


def roc_figure(splits: Sequence[Split], costs: Costs, color: str) -> go.Figure:
    """Draw the ROC curve of every split, with a point at its threshold."""
    fig = figure("", "false positive rate", "recall", height=HEIGHT)
    _lines(fig, [roc(split)[:2] for split in splits], color)
    both = [s for s in costs.splits if s.alarms + s.passed and s.found + s.missed]  # a window of time may lack a class
    _points(fig, [(s.alarms / (s.alarms + s.passed), s.found / (s.found + s.missed)) for s in both], color)
    fig.add_trace(go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": "#888888", "dash": "dot"}))
    fig.update_xaxes(range=SHARE_RANGE)
    fig.update_yaxes(range=SHARE_RANGE)
    fig.update_layout(showlegend=False, margin=NARROW_MARGINS)
    return fig


def precision_figure(splits: Sequence[Split], costs: Costs, color: str) -> go.Figure:
    """Draw precision against recall for every split, with a point at its threshold."""
    fig = figure("", "recall", "precision", height=HEIGHT, showlegend=False)
    _lines(fig, [roc(split)[1:] for split in splits], color)
    with_both = [s for s in costs.splits if s.found + s.alarms and s.found + s.missed]
    at = [(s.found / (s.found + s.missed), s.found / (s.found + s.alarms)) for s in with_both]
    _points(fig, at, color)
    fig.update_xaxes(range=SHARE_RANGE)
    fig.update_yaxes(range=SHARE_RANGE)
    fig.update_layout(margin=NARROW_MARGINS)
    return fig


def reliability_figure(found: Probabilities, color: str) -> go.Figure:
    """Draw the share of positives against the predicted probability; on the diagonal the prediction is right."""
    fig = figure("", "predicted probability", "share of positives", height=HEIGHT, showlegend=False)
    predicted, observed, rows = reliability(found)
    fig.add_trace(go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": "#888888", "dash": "dot"}))
    fig.add_trace(
        go.Scatter(
            x=predicted,
            y=observed,
            mode="lines+markers",
            line={"color": color, "width": 2},
            marker={"size": 9},
            customdata=rows[:, None],
            hovertemplate="predicted %{x:.2f}, observed %{y:.2f} (%{customdata[0]} rows)<extra></extra>",
        )
    )
    fig.update_layout(margin=NARROW_MARGINS)
    return fig


def _lines(fig: go.Figure, curves: Sequence[tuple[Array, ...]], color: str) -> None:
    """Add all curves as a single trace with gaps between them, which is drawn faster than one trace for each."""
    x, y = (np.concatenate([np.append(curve[axis], np.nan) for curve in curves]) for axis in (0, 1))
    line = {"color": translucent(color, 0.35), "width": 1, "shape": "hv"}
    fig.add_trace(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip"))


def _points(fig: go.Figure, places: Sequence[tuple[float, float]], color: str) -> None:
    x, y = zip(*places, strict=True) if places else ((), ())
    marker = {"color": color, "size": 10, "line": {"color": "#FFFFFF", "width": 1}}
    words = "%{x:.3f}, %{y:.3f}<extra>at the threshold</extra>"
    fig.add_trace(go.Scatter(x=x, y=y, mode="markers", marker=marker, hovertemplate=words))
