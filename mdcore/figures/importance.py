"""Which columns a model needs, in its score and in its whole margin curve."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mdcore.figures.style import plain
from mdcore.study.importance import Importance

WHISKER = "#808080"  # seen on the bar, and on a light and a dark page beside it


def importance_figure(found: Sequence[Importance], score: str, color: str) -> go.Figure:
    """Draw a bar for each block of columns with the deviation over the splits: what the score loses, and the area
    between the margin curves."""
    made = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.04)
    names = [plain(one.name) for one in found]
    for place, values, words in (
        (1, [one.score for one in found], f"{score.lower()} lost"),
        (2, [one.area for one in found], "area between<br>margin curves, in spreads"),
    ):
        error = {"type": "data", "array": [value.deviation for value in values], "thickness": 1.5, "color": WHISKER}
        made.add_trace(
            go.Bar(
                x=[value.mean for value in values],
                y=names,
                orientation="h",
                error_x=error,
                marker={"color": color, "opacity": 0.75},
                hovertemplate="%{y}: %{x:.3g}<extra></extra>",
            ),
            1,
            place,
        )
        made.update_xaxes(title_text=words, col=place)
    made.update_yaxes(autorange="reversed", automargin=True, type="category")
    made.update_layout(showlegend=False, height=126 + 30 * len(names), margin={"l": 16, "r": 16, "t": 16, "b": 64})
    return made
