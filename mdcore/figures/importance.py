"""The importance of columns for a model's score and for its margin distribution."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mdcore.basics.text import in_sentence
from mdcore.figures.style import plain, translucent
from mdcore.study.importance import Importance

WHISKER = "#808080"  # visible on the bar, and on a light or a dark page


def importance_figure(found: Sequence[Importance], score: str, color: str) -> go.Figure:
    """Draw the loss of score and the area between the margin curves for each block of columns, as bars.

    The error bars show the standard deviation over the splits.
    """
    fig = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.08)
    names = [plain(one.name) for one in found]
    for place, values, words in (
        (1, [one.score for one in found], f"loss of {in_sentence(score)}"),
        (2, [one.area for one in found], "area between<br>margin curves / SD"),
    ):
        error = {"type": "data", "array": [value.deviation for value in values], "thickness": 1.5, "color": WHISKER}
        fig.add_trace(
            go.Bar(
                x=[value.mean for value in values],
                y=names,
                orientation="h",
                error_x=error,
                marker={"color": translucent(color, 0.3), "line": {"color": color, "width": 1.5}},
                hovertemplate="%{y}: %{x:.3g}<extra></extra>",
            ),
            1,
            place,
        )
        fig.update_xaxes(title_text=words, nticks=4, col=place)
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    fig.update_layout(showlegend=False, height=126 + 30 * len(names), margin={"l": 16, "r": 16, "t": 16, "b": 64})
    return fig
