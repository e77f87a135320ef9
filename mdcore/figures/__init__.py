"""Runs in, Plotly figures out. Nothing is computed here."""

from mdcore.figures.boundary import boundary_figure
from mdcore.figures.margins import cumulative_figure, histogram_figure
from mdcore.figures.sweep import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure

__all__ = [
    "boundary_figure",
    "cumulative_figure",
    "heatmap_figure",
    "histogram_figure",
    "ranking_figure",
    "sides_figure",
    "sweep_figure",
    "terms_figure",
]
