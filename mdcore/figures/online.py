"""Learning curves of the online learners, as in Figures 3 and 4 of the PUMMA paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go

from mdcore.basics.text import short
from mdcore.figures.style import ZERO_LINE, figure
from mdcore.methods import METHODS
from mdcore.papers.learning_curves import SHARE, Curve

AXES = {"updates": "updates", "seconds": "seconds of learning"}
DASHES_OF_R = ("solid", "dash", "dot", "dashdot")


def learning_figure(curves: Sequence[Curve], against: Literal["updates", "seconds"] = "updates") -> go.Figure:
    """Draw the p-norm margin against updates (Figure 3) or time (Figure 4), for curves with the same p.

    Each r has its own dash pattern. For each r, a thin grey line marks the share of the largest margin that the
    learners are set to reach.
    """
    rs = sorted({curve.r for curve in curves})
    fig = figure(f"p = {short(curves[0].p)}", AXES[against], "p-norm margin")
    for curve in curves:
        method = METHODS[curve.method]
        fig.add_trace(
            go.Scatter(
                x=getattr(curve, against),
                y=curve.margins,
                mode="lines",
                name=f"{method.name}, r = {curve.r}",
                line={"color": method.color, "width": 2, "dash": DASHES_OF_R[rs.index(curve.r) % len(DASHES_OF_R)]},
            )
        )
    for at, r in enumerate(rs):
        goal = SHARE * next(curve.largest for curve in curves if curve.r == r)
        line = ZERO_LINE | {"dash": DASHES_OF_R[at % len(DASHES_OF_R)]}
        fig.add_hline(y=goal, line=line, annotation_text=f"{SHARE:g} of the largest, r = {r}")
    fig.update_xaxes(type="log")
    fig.add_hline(y=0, line=ZERO_LINE)
    return fig
