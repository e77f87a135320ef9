"""Colours and layout that all figures share."""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from mdcore.basics.class_marks import class_mark
from mdcore.basics.text import percent
from mdcore.margins.distribution import Part, Scale
from mdcore.methods import METHODS
from mdcore.solvers.arrays import Array
from mdcore.study.margin_curves import BAND, Band

FIELD_COLORS = ((0.0, class_mark(0).light), (0.5, "#FFFFFF"), (1.0, class_mark(1).light))
DASHES = {"train": "solid", "test": "dash"}
PART_NAMES = {"train": "training", "test": "test"}
AXIS_TITLES = {
    "geometric": "margin, distance to the boundary (geometric)",
    "functional": "margin in units of f (functional)",
    "paper": "margin over ‖w‖, as in the papers",
}
ZERO_LINE = {"color": "#888888", "width": 1}
LINE = 30  # px for a title or for a line of the legend above a chart
TITLE = 48  # characters in a line of a title, as many as fit on a phone
READABLE = 0.16  # smallest relative luminance of a colour that is readable on a dark page
TEXT_ON_LIGHT, TEXT_ON_DARK = 0.18, 0.25  # luminances of texts with a contrast of 4.5 : 1 on white and on a dark page
NEUTRAL = ("#5A616A", "#A4ACB5")  # reference learners and the baseline
INKS = {
    "svm": ("#AD5A00", "#F0A24A"),
    "ldm": ("#007A5E", "#3ECFA5"),
    "odm": ("#A0308A", "#E58BD3"),
    "msvmav": ("#1E62C4", "#7FB2FF"),
}
"""The hues of the papers' methods that are compared most often, light and dark."""
DARK_PROPERTIES = ("line.color", "marker.color", "marker.line.color", "fillcolor")


def class_points(points: Array, code: int, name: str, part: Part, rows: Any, margins: Array, digits: int) -> go.Scatter:
    """Return the points of one class of a part, which tell their rows and margins."""
    mark = class_mark(code)
    shape = mark.shape if part == "train" else f"{mark.shape}-open"
    return go.Scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        name=f"{name}, {PART_NAMES[part]}",
        marker={"symbol": shape, "color": mark.light, "size": 7},
        customdata=np.column_stack([rows, margins]),
        hovertemplate=f"row %{{customdata[0]:d}}<br>margin %{{customdata[1]:.{digits}g}}<extra></extra>",
    )


def tint(color: str, share: float) -> str:
    """Return a hex colour mixed with white; `share` is the share of the colour."""
    return "#" + "".join(f"{round(255 + share * (part - 255)):02X}" for part in _parts(color))


def ink(key: str) -> tuple[str, str]:
    """Return the colours of a learner, or of the baseline, for texts and lines on a light and on a dark page."""
    if key in INKS:
        return INKS[key]
    if key not in METHODS:
        return NEUTRAL
    color = METHODS[key].color
    return _darker(color), _lighter(color, TEXT_ON_DARK)


def on_dark(fig: go.Figure) -> go.Figure:
    """Return a copy of the figure in which curves and points too dark for a dark page have lighter colours."""
    copy = go.Figure(fig)
    for trace, inks in zip(copy.data, dark_inks(fig), strict=True):
        trace.update(inks)
    return copy


def dark_inks(fig: go.Figure) -> list[dict[str, str]]:
    """Return, for each trace, the colours that are too dark for a dark page by property, made lighter."""
    return [_inks(trace) if trace.type == "scatter" else {} for trace in fig.data]


def _inks(trace: Any) -> dict[str, str]:
    colors = {place: trace[place] for place in DARK_PROPERTIES if isinstance(trace[place], str)}
    lighter = {place: _lighter_ink(color) for place, color in colors.items()}
    return {place: ink for place, ink in lighter.items() if ink != colors[place]}


def _lighter_ink(color: str) -> str:
    if color.startswith("#"):
        return _lighter(color)
    if not color.startswith("rgba"):
        return color
    *parts, opacity = (float(part) for part in color[5:-1].split(","))
    return translucent(_lighter("#" + "".join(f"{int(part):02X}" for part in parts)), opacity)


def _lighter(color: str, least: float = READABLE) -> str:
    shares = np.linspace(1.0, 0.0, 21)
    return next(lighter for lighter in (tint(color, share) for share in shares) if _luminance(lighter) >= least)


def _darker(color: str) -> str:
    mixed = ([round(share * part) for part in _parts(color)] for share in np.linspace(1.0, 0.0, 21))
    shades = ("#" + "".join(f"{part:02X}" for part in parts) for parts in mixed)
    return next(shade for shade in shades if _luminance(shade) <= TEXT_ON_LIGHT)


def _luminance(color: str) -> float:
    """Return the relative luminance, as defined in the Web Content Accessibility Guidelines."""
    parts = np.array(_parts(color)) / 255
    return float(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


def _parts(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def plain(text: object) -> str:
    """Return the name of a class or a column escaped for Plotly, whose texts are a subset of HTML."""
    return escape(str(text), quote=False)


def translucent(color: str, opacity: float) -> str:
    """Return a hex colour as rgba(...)."""
    red, green, blue = _parts(color)
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def shade(x: Array, low: Array, high: Array, color: str, group: str, name: str) -> go.Scatter:
    """Return the area between two curves, in the legend group of the line between them."""
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=translucent(color, 0.18),
        line={"width": 0},
        mode="lines",
        name=name,
        legendgroup=group,
        showlegend=False,
        hoverinfo="skip",
    )


def add_band(
    fig: go.Figure,
    band: Band,
    color: str,
    name: str,
    dash: str = "solid",
    mode: Literal["lines", "lines+markers"] = "lines",
) -> None:
    """Add the median over the splits as a line, and the area between the outer quantiles if they differ."""
    if np.any(band.high > band.low):
        reach = f"{name}, middle {percent(BAND[1] - BAND[0], 2)} of the splits"
        fig.add_trace(shade(band.x, band.low, band.high, color, group=name, name=reach))
    fig.add_trace(
        go.Scatter(
            x=band.x,
            y=band.middle,
            mode=mode,
            name=name,
            legendgroup=name,
            line={"color": color, "width": 2, "dash": dash},
            hovertemplate=f"{name}<br>%{{x:.3g}}: %{{y:.3g}}<extra></extra>",
        )
    )


def cumulative_curve(ordered: Array, name: str, line: dict[str, Any], **more: Any) -> go.Scatter:
    """Return the share of the values that are at most as large as each of the `ordered` values, as a step function."""
    heights = np.arange(1, len(ordered) + 1) / len(ordered)
    return go.Scatter(x=ordered, y=heights, mode="lines", name=name, line=line | {"shape": "hv"}, **more)


def cumulative_frame(title: str, scale: Scale) -> go.Figure:
    """Return an empty figure for curves of P(margin <= t), with a line at the boundary."""
    fig = figure(title, AXIS_TITLES[scale], "P(margin ≤ t)")
    fig.add_vline(x=0, line=ZERO_LINE)
    fig.update_yaxes(range=[0, 1.02])
    return fig


def figure(title: str, x: str, y: str, **layout: Any) -> go.Figure:
    """Return an empty figure with the common layout, with a line each for title and legend above it, if it has them."""
    fig = go.Figure()
    titles = wrap(title, TITLE, break_long_words=False, break_on_hyphens=False)
    above = LINE * (bool(title) + bool(layout.get("showlegend", True))) + 18 * max(len(titles) - 1, 0)
    fig.update_layout(
        title="<br>".join(titles),
        xaxis_title=x,
        yaxis_title=y,
        margin={"l": 56, "r": 16, "t": 16 + above, "b": 48},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        hovermode="closest",
        uirevision="keep",
        **layout,
    )
    return fig


def put_legend_below(fig: go.Figure, **margin: int) -> None:
    """Move the legend below the chart, where its lines take no room from a narrow one, and give up its line above."""
    below = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"}
    fig.update_layout(legend=below, margin={"t": fig.layout.margin.t - LINE} | margin)


def axis_titles(fig: go.Figure) -> list[str]:
    """Return the different titles of a figure's visible axes, each on one line."""
    axes = [axis for kind in (fig.select_xaxes(), fig.select_yaxes()) for axis in kind if axis.visible is not False]
    return list(dict.fromkeys(axis.title.text.replace("<br>", " ") for axis in axes if axis.title.text))
