"""Runs in, Plotly figures out. Nothing is computed here."""

from mdcore.figures.boundary import boundary_figure
from mdcore.figures.margins import cumulative_figure, histogram_figure
from mdcore.figures.online import learning_figure

__all__ = ["boundary_figure", "cumulative_figure", "histogram_figure", "learning_figure"]
