"""Figures as parts of a self-contained web page, which are dark in a dark browser."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
from plotly.offline import get_plotlyjs

from mdcore.figures.style import dark_inks

CONFIG = {"displaylogo": False, "responsive": True}
CLEAR = "rgba(0, 0, 0, 0)"

# Draws a chart in the colours of the page, again whenever they change. `inks` has the lighter colours of each trace, by
# property; in the light theme the trace has its own again.
FOLLOW = """
const darkPage = matchMedia("screen and (prefers-color-scheme: dark)");
function followPage(id, inks) {
  const chart = document.getElementById(id);
  const own = inks.map((ink, at) => Object.fromEntries(Object.keys(ink).map((place) =>
    [place, place.split(".").reduce((part, name) => part[name], chart.data[at])])));
  const draw = () => {
    const traces = inks.keys().filter((at) => Object.keys(inks[at]).length);
    for (const at of traces) Plotly.restyle(chart, (darkPage.matches ? inks : own)[at], [at]);
    Plotly.relayout(chart, {template: pageTemplates[darkPage.matches ? "dark" : "light"]});
  };
  darkPage.addEventListener("change", draw);
  if (darkPage.matches) draw();
}
"""


def plotly_library() -> str:
    """Return script elements with Plotly's JavaScript, to be included once per page, before the figures."""
    templates = {"light": _template("plotly_white"), "dark": _template("plotly_dark")}
    return f"<script>{get_plotlyjs()}</script>\n<script>const pageTemplates = {json.dumps(templates)};{FOLLOW}</script>"


def figure_html(fig: go.Figure) -> str:
    """Return an interactive figure as HTML, for a page that includes `plotly_library()`."""
    clear = go.Figure(fig)
    clear.layout.template = _template("plotly_white")  # Streamlit changes the default template
    follow = f'followPage("{{plot_id}}", {json.dumps(dark_inks(fig))})'
    return str(clear.to_html(full_html=False, include_plotlyjs=False, config=CONFIG, post_script=follow))


def _template(name: str) -> dict[str, object]:
    """Return one of Plotly's templates without a background, so that the page shows through."""
    template: dict[str, Any] = pio.templates[name].to_plotly_json()
    return template | {"layout": template["layout"] | {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}}
