"""Figures of sweeps: curves with bands, heatmaps, terms of an objective, examples that change side, rankings.

`customdata` of every point holds its index in the table, from which a click finds the experiment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mdcore.basics.text import power_of, steady
from mdcore.figures.style import ZERO_LINE, figure, put_legend_below, shade
from mdcore.methods import METHODS
from mdcore.solvers.arrays import Array
from mdcore.spec import Param
from mdcore.sweep import MEASURES, TIE, Axis, Sides, SweepTable, axis_params, winners

TERM_INKS = (("#4A525C", ""), ("#8C959F", "/"), ("#6B747E", "."), ("#B4BCC6", "x"), ("#7D8690", "-"))  # grey, pattern
NO_WINNER = "#A7ADB5"
WRONG, RIGHT = "#3A4048", "#C9CED4"  # greys: hues are for classes and methods
MOST_TICKS = 12
FEW_TICKS = 6  # beside a colour bar on a phone
HEIGHT = 404  # px, at which chart and form fit on a laptop
NOISE = 1e-5  # relative difference that the tolerance of the solvers allows
TICK_ROOM = 0.04  # smallest distance between ticks at 0 and at the first power, relative to the axis


def sweep_figure(table: SweepTable, statistic: str, kinks: Mapping[str, Array] | None = None) -> go.Figure:
    """Draw a curve for each method: the median over the repeats, with a band from the 10 % to the 90 % quantile.

    `kinks` are the parameter values at which the exact solution path for the first seed has a kink; they are drawn as
    ticks at the bottom.
    """
    measure, axis = MEASURES[statistic], table.sweep.axes[0]
    x = positions(table, axis)
    fig = _figure(table, f"What does {axis_title(table, axis)} do to the {measure.title}?", measure.title)
    for method in table.methods:
        low, middle, high = table.band(method, statistic)
        color, name = METHODS[method].color, table.name(method)
        if table.sweep.repeats > 1:
            fig.add_trace(_band(x, low, high, color, name))
        fig.add_trace(
            go.Scatter(
                x=x,
                y=middle,
                mode="lines+markers",
                name=name,
                legendgroup=name,
                line={"color": color, "width": 2},
                **_points(table, method, 6),
                hovertemplate=(
                    f"{name}: %{{y:.4g}}<br>{_symbol(table, axis)} = %{{customdata[1]:.4g}}%{{customdata[2]}}"
                    "<extra></extra>"
                ),
            )
        )
    for method, found in (kinks or {}).items():
        fig.add_trace(_rug(table, axis, method, found))
    put_legend_below(fig)
    fig.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True})
    _mark_current_value(fig, table, axis)
    if measure.log:
        fig.update_yaxes(type="log")
    return fig


def heatmap_figure(table: SweepTable, method: str, statistic: str, preview: SweepTable | None = None) -> go.Figure:
    """Draw the median over the repeats for every pair of values. Invisible squares on top receive the clicks.

    `preview` is a coarser sweep of the same axes, drawn below, which is visible where the table has no values yet.
    """
    across, up = table.sweep.axes
    measure = MEASURES[statistic]
    z = table.band(method, statistic)[1].T
    x, y = positions(table, across), positions(table, up)
    title = f"What do {_symbol(table, across)} and {_symbol(table, up)} do to {table.name(method)}'s {measure.title}?"
    fig = _figure(table, title, axis_title(table, up), showlegend=False)
    layers = [_layer(one, method, statistic) for one in (preview, table) if one]
    fig.add_traces(layers)
    fig.update_layout(coloraxis=_colors(np.concatenate([np.ravel(layer.z) for layer in layers]), measure.log))
    cells = [(i, j) for j in range(len(y)) for i in range(len(x))]
    fig.add_trace(
        go.Scatter(
            x=[x[i] for i, _ in cells],
            y=[y[j] for _, j in cells],
            mode="markers",
            marker={"symbol": "square", "size": 14, "color": "rgba(0,0,0,0)"},
            showlegend=False,
            customdata=[[i, j, across.values[i], up.values[j], z[j, i]] for i, j in cells],
            hovertemplate=(
                f"{_symbol(table, across)} = %{{customdata[2]:.4g}}<br>"
                f"{_symbol(table, up)} = %{{customdata[3]:.4g}}<br>"
                f"{measure.title}: %{{customdata[4]:.4g}}<extra></extra>"
            ),
        )
    )
    unconverged = np.argwhere(table.unconverged(method))
    if len(unconverged):
        fig.add_trace(
            go.Scatter(
                x=[x[i] for i, _ in unconverged],
                y=[y[j] for _, j in unconverged],
                mode="markers",
                marker={"symbol": "x", "size": 8, "color": "#FFFFFF", "line": {"color": "#000000", "width": 1}},
                showlegend=False,
                hoverinfo="skip",
            )
        )
    fig.update_xaxes(range=_reach(x), **_ticks(table, across, FEW_TICKS))
    fig.update_yaxes(range=_reach(y), **_ticks(table, up))
    fig.update_layout(hoverdistance=40)
    return fig


def _layer(table: SweepTable, method: str, statistic: str) -> go.Heatmap:
    """Return a method's medians as a heatmap, on the colour axis that all layers share."""
    x, y = (positions(table, axis) for axis in table.sweep.axes)
    z = table.band(method, statistic)[1].T
    shown = np.log10(np.where(z > 0.0, z, np.nan)) if MEASURES[statistic].log else z
    return go.Heatmap(x=x, y=y, z=shown, coloraxis="coloraxis", hoverinfo="skip")


def _reach(places: list[float]) -> list[float]:
    """Return the ends of an axis of squares at these positions; those of a preview beneath them are larger."""
    return [places[0] - (places[1] - places[0]) / 2, places[-1] + (places[-1] - places[-2]) / 2]


def _colors(values: Array, log: bool) -> dict[str, Any]:
    """Return the colour axis for the values.

    A single value is the only tick and has the middle colour: Plotly would label a range around it with impossible
    values, such as an accuracy of 1.2. Values that differ by the tolerance of the solvers only are one value.
    """
    known = values[~np.isnan(values)]
    bar: dict[str, Any] = {"thickness": 12, "title": "log₁₀" if log else ""}
    if not len(known) or np.ptp(known) > NOISE * np.abs(known).max():
        return {"colorscale": "Viridis", "colorbar": bar}
    middle = float(np.median(known))
    bar |= {"tickvals": [middle], "ticktext": [steady(middle)]}
    reach = float(np.abs(known).max()) or 1.0
    return {"colorscale": "Viridis", "colorbar": bar, "cmin": middle - reach, "cmax": middle + reach}


def _points(table: SweepTable, method: str, size: int) -> dict[str, Any]:
    """Return markers and `customdata` (index, value, remark) for the points of a line over one parameter.

    A marker is hollow if the solver did not converge, and a diamond if the method used landmarks where others did not.
    """
    unconverged = table.unconverged(method)
    spanned = table.spanned(method) if table.mixed else np.zeros_like(unconverged)
    shapes = [
        ("diamond" if through else "circle") + ("-open" if cut else "")
        for through, cut in zip(spanned, unconverged, strict=True)
    ]
    return {
        "marker": {"size": [size + 3 if through else size for through in spanned], "symbol": shapes, "opacity": 1.0},
        "customdata": [
            [
                at,
                value,
                ("<br>through landmarks" if spanned[at] else "") + ("<br>not converged" if unconverged[at] else ""),
            ]
            for at, value in enumerate(table.sweep.axes[0].values)
        ],
    }


def terms_figure(table: SweepTable, method: str) -> go.Figure:
    """Draw the terms of the objective as stacked areas, with negative terms below zero, and their sum as a line."""
    axis = table.sweep.axes[0]
    x, terms = positions(table, axis), table.terms(method)
    title = f"{table.name(method)}'s objective: what does {_symbol(table, axis)} do to its terms?"
    fig = _figure(table, title, "objective")
    for (name, values), (color, pattern) in zip(terms.items(), TERM_INKS, strict=False):
        fig.add_trace(
            go.Scatter(
                x=x,
                y=values,
                mode="lines",
                name=name,
                stackgroup="below" if np.nanmax(values, initial=0.0) <= 0.0 else "above",
                line={"color": color, "width": 1},
                fillpattern={"shape": pattern, "fillmode": "overlay"},
                hovertemplate=f"{name}: %{{y:.4g}}<extra></extra>",
            )
        )
    fig.add_trace(
        go.Scatter(
            x=x,
            y=np.sum(list(terms.values()), axis=0) if terms else np.full(len(x), np.nan),
            mode="lines+markers",
            name="objective",
            line={"color": "#808080", "width": 3},
            **_points(table, method, 5),
            hovertemplate="objective: %{y:.4g}%{customdata[2]}<extra></extra>",
        )
    )
    put_legend_below(fig)
    return fig


def sides_figure(table: SweepTable, method: str, sides: Sides) -> go.Figure:
    """Draw a row for each example that changes side along the path, coloured by whether it is on the right side."""
    axis = table.sweep.axes[0]
    title = f"{table.name(method)}: {len(sides.rows)} examples change side"
    fig = _figure(table, title, "row of the sample")
    fig.add_trace(
        go.Heatmap(
            x=positions(table, axis)[: sides.correct.shape[1]],
            y=[f"row {row}" for row in sides.rows],
            z=sides.correct.astype(float),
            zmin=0.0,
            zmax=1.0,
            colorscale=[[0.0, WRONG], [0.5, WRONG], [0.5, RIGHT], [1.0, RIGHT]],
            showscale=False,
            ygap=1,
            hovertemplate="%{y}<extra></extra>",
        )
    )
    fig.update_yaxes(type="category", autorange="reversed")
    _name_colors(fig, {"wrong side": WRONG, "right side": RIGHT})
    return fig


def ranking_figure(table: SweepTable, criteria: Sequence[str]) -> go.Figure:
    """Draw the best method by each criterion at every point; grey if there is no winner outside the others' bands."""
    axis, methods = table.sweep.axes[0], table.methods
    best = np.array([winners(table, criterion) for criterion in criteria])
    titles = {float(TIE): "no winner: tied, or within the band of another method"} | {
        float(number): table.name(method) for number, method in enumerate(methods)
    }
    names = np.array([[titles.get(float(one), "") for one in row] for row in best], dtype=object)
    fig = _figure(table, "Which method is best by each criterion?", "")
    colors = [NO_WINNER, *(METHODS[method].color for method in methods)]
    steps = [[edge / len(colors), color] for n, color in enumerate(colors) for edge in (n, n + 1)]
    fig.add_trace(
        go.Heatmap(
            x=positions(table, axis),
            y=[MEASURES[criterion].title.replace(" ", "<br>", 1) for criterion in criteria],
            z=best,
            zmin=TIE - 0.5,
            zmax=len(methods) - 0.5,
            colorscale=steps,
            customdata=names,
            hovertemplate="%{y}: %{customdata}<extra></extra>",
            showscale=False,
            ygap=3,
        )
    )
    fig.update_yaxes(autorange="reversed", automargin=True)
    _name_colors(fig, dict(zip(("no winner", *map(table.name, methods)), colors, strict=True)))
    return fig


def _name_colors(fig: go.Figure, names: Mapping[str, str]) -> None:
    """Name the colours of the squares in a legend below; a colour bar would take too much of a phone's width."""
    for name, color in names.items():
        fig.add_trace(go.Bar(x=[None], y=[None], name=name, marker={"color": color}, showlegend=True))
    put_legend_below(fig)


def positions(table: SweepTable, axis: Axis) -> list[float]:
    """Return the positions of the values: log2 if the parameter has a log slider, with 0 a step left of the others."""
    if not _is_log(table, axis):
        return list(axis.values)
    positive = sorted(value for value in axis.values if value > 0.0)
    logs = np.log2(positive)
    step = float(np.diff(logs).min()) if len(logs) > 1 else 1.0
    return [float(np.log2(value)) if value > 0.0 else float(logs[0]) - step for value in axis.values]


def _figure(table: SweepTable, title: str, y: str, **layout: Any) -> go.Figure:
    axis = table.sweep.axes[0]
    fig = figure(title, axis_title(table, axis), y, height=HEIGHT, **layout)
    fig.update_xaxes(**_ticks(table, axis))
    return fig


def _ticks(table: SweepTable, axis: Axis, most: int = MOST_TICKS) -> dict[str, list[float] | list[str]]:
    """Return ticks for a log axis, at powers of two and at the position of 0; nothing for a linear axis.

    The exponents are multiples of 1, 2, 4 or more, so that there are about `most` at most.
    """
    if not _is_log(table, axis):
        return {}
    found = dict(zip(positions(table, axis), axis.values, strict=True))
    logs = [at for at, value in found.items() if value > 0.0]
    low, high = int(np.ceil(min(logs) - 1e-9)), int(np.floor(max(logs) + 1e-9))
    every = 1
    while high - low > most * every:
        every *= 2
    powers = range(-(-low // every) * every, high + 1, every)
    zero = {at: "0" for at, value in found.items() if value == 0.0}
    apart = TICK_ROOM * (high - low)
    free = [power for power in powers if all(power - at > apart for at in zero)]
    ticks = {float(power): power_of(2, power) for power in free} | zero
    return {"tickvals": list(ticks), "ticktext": list(ticks.values())}


def _mark_current_value(fig: go.Figure, table: SweepTable, axis: Axis) -> None:
    """Draw a line at the current value of the experiment, if it is within the range of the axis."""
    method, dot, name = axis.key.rpartition(".")
    value = table.sweep.experiment.settings(method)[name] if dot else None
    if value is None or not min(axis.values) <= value <= max(axis.values) or np.isinf(value):
        return
    log = _is_log(table, axis)
    at = float(np.log2(value)) if log and value > 0.0 else min(positions(table, axis)) if log else value
    fig.add_vline(x=at, line=ZERO_LINE | {"dash": "dot"}, annotation_text="current value")


def _rug(table: SweepTable, axis: Axis, method: str, kinks: Array) -> go.Scatter:
    positive = kinks[kinks > 0.0]
    x = np.log2(positive) if _is_log(table, axis) else positive
    inside = (x >= min(positions(table, axis))) & (x <= max(positions(table, axis)))
    return go.Scatter(
        x=x[inside],
        y=np.full(int(inside.sum()), 0.01),
        yaxis="y2",
        mode="markers",
        name=f"{table.name(method)}: kinks ({len(kinks)})",
        marker={"symbol": "line-ns-open", "size": 9, "color": METHODS[method].color},
        hovertemplate=f"kink of {table.name(method)}'s solution path<extra></extra>",
    )


def _band(x: list[float], low: Array, high: Array, color: str, name: str) -> go.Scatter:
    there = ~np.isnan(low)
    return shade(np.asarray(x)[there], low[there], high[there], color, group=name, name=f"{name}, 10 to 90 %")


def _param(table: SweepTable, axis: Axis) -> Param:
    return axis_params(table.sweep.experiment)[axis.key]


def _is_log(table: SweepTable, axis: Axis) -> bool:
    return _param(table, axis).slider.log


def _symbol(table: SweepTable, axis: Axis) -> str:
    return _param(table, axis).symbol


def axis_title(table: SweepTable, axis: Axis) -> str:
    """Return the title of an axis: the parameter's symbol, after the method's name if it belongs to one."""
    method, dot, _ = axis.key.rpartition(".")
    return f"{table.name(method)}'s {_symbol(table, axis)}" if dot else _symbol(table, axis)
