"""The papers' figures, from stored results: cumulative margins, times, sensitivity, and critical differences."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from mdcore.basics.text import steady
from mdcore.figures.style import DASHES, PART_NAMES, add_band, cumulative_frame, figure, put_legend_below
from mdcore.margins.distribution import Part
from mdcore.methods import METHODS
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.significance import Ranking
from mdcore.papers.views import WIDTH, Times
from mdcore.study.margin_curves import Band

OTHER_COLOR = "#666666"  # the colour for a column that is not a method of this package
EXTRA_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#332288")


def color_of(table: TableProtocol, key: str) -> str:
    """Return the colour of a column: that of its method, or a separate one if several columns are the same method."""
    estimator = table.methods[key].estimator
    shared = [other for other in table.methods if table.methods[other].estimator == estimator]
    if len(shared) > 1:
        return EXTRA_COLORS[shared.index(key) % len(EXTRA_COLORS)]
    return METHODS[estimator].color if estimator in METHODS else OTHER_COLOR


def margins_figure(table: TableProtocol, bands: Mapping[tuple[str, Part], Band]) -> go.Figure:
    """Draw cumulative frequency against margin, as in Figure 1 of the papers: median over the splits, with a band."""
    fig = cumulative_frame("", "paper")
    for (key, part), band in bands.items():
        name = f"{table.methods[key].label}, {PART_NAMES[part]}"
        add_band(fig, band, color_of(table, key), name, DASHES[part])
    put_legend_below(fig)
    fig.update_layout(height=420)
    return fig


def times_figure(table: TableProtocol, times: Mapping[tuple[str, str], Times]) -> go.Figure:
    """Draw the median seconds of a fit with given parameters, on a log scale, as in the papers' figures."""
    fig = figure("", "", "seconds on one processor", legend_traceorder="normal")
    for key in table.methods:
        found = {dataset: each for (dataset, method), each in times.items() if method == key}
        if found:
            fig.add_trace(
                go.Bar(
                    x=list(found),
                    y=[each.fit for each in found.values()],
                    name=table.methods[key].label,
                    marker_color=color_of(table, key),
                    customdata=[each.selection for each in found.values()],
                    hovertemplate="%{x}: %{y:.3g} s, parameters chosen in %{customdata:.3g} s",
                )
            )
    fig.update_yaxes(type="log")
    put_legend_below(fig)
    fig.update_layout(barmode="group", height=420)
    return fig


def sensitivity_figure(table: TableProtocol, parameter: str, bands: Mapping[str, Band]) -> go.Figure:
    """Draw cross-validation accuracy against a parameter, one curve for each set, as in Figure 3 of the LDM paper."""
    symbol = "γ / γ of the protocol" if parameter == WIDTH else parameter
    fig = figure("", symbol, "cross-validation accuracy")
    for number, (dataset, band) in enumerate(bands.items()):
        add_band(fig, band, EXTRA_COLORS[number % len(EXTRA_COLORS)], dataset, mode="lines+markers")
    if all((band.x > 0).all() for band in bands.values()):
        fig.update_xaxes(type="log")
    put_legend_below(fig)
    fig.update_layout(height=420)
    return fig


def critical_difference_figure(table: TableProtocol, ranking: Ranking) -> go.Figure:
    """Draw the mean ranks, best on the left, with bars that join methods without a significant difference."""
    methods = ranking.methods
    ranks = [ranking.ranks[key] for key in methods]
    fig = figure("", f"mean rank over {len(ranking.sets)} sets", "", showlegend=False)
    fig.add_trace(
        go.Scatter(
            x=ranks,
            y=[0.0] * len(ranks),
            mode="markers",
            marker={"color": [color_of(table, key) for key in methods], "size": 13},
            text=[table.methods[key].label for key in methods],
            hovertemplate="%{text}: mean rank %{x:.3g}<extra></extra>",
        )
    )
    for place, (key, rank) in enumerate(zip(methods, ranks, strict=True)):
        height = 26 + 24 * (place % 3)
        fig.add_annotation(x=rank, y=0, text=table.methods[key].label, ay=-height, ax=0, arrowhead=0, arrowwidth=1)
    groups = ranking.groups()
    for place, group in enumerate(groups):
        fig.add_trace(
            go.Scatter(
                x=[ranking.ranks[group[0]] - 0.03, ranking.ranks[group[-1]] + 0.03],
                y=[-0.12 * (place + 1)] * 2,
                mode="lines",
                line={"color": OTHER_COLOR, "width": 6},
                hovertemplate=f"{', '.join(table.methods[key].label for key in group)}: no significant difference"
                "<extra></extra>",
            )
        )
    left = min(1.0, min(ranks)) - 0.2
    fig.add_annotation(
        x=left + 0.2, y=0.62, xanchor="left", showarrow=False, text=f"critical difference {steady(ranking.critical)}"
    )
    fig.update_xaxes(range=[left, max(len(methods), max(ranks)) + 0.2], zeroline=False)
    fig.update_yaxes(range=[-0.12 * (len(groups) + 1.5), 0.8], visible=False)
    fig.update_layout(height=260 + 14 * len(groups), margin={"l": 16, "r": 16, "t": 16, "b": 48})
    return fig
