"""Plotly figures of runs, comparisons and sweeps. This package draws results, and computes none."""

from mdcore.figures.board import board_html, board_words
from mdcore.figures.boundary import boundary_figure
from mdcore.figures.comparison import band_figure, confusion_figure, difference_figure, score_figure
from mdcore.figures.html import figure_html, plotly_library
from mdcore.figures.margins import cumulative_figure, histogram_figure
from mdcore.figures.online import learning_figure
from mdcore.figures.style import on_dark
from mdcore.figures.sweep import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure
from mdcore.figures.views import points_drawn, view_figure

__all__ = [
    "band_figure",
    "board_html",
    "board_words",
    "boundary_figure",
    "confusion_figure",
    "cumulative_figure",
    "difference_figure",
    "figure_html",
    "heatmap_figure",
    "histogram_figure",
    "learning_figure",
    "on_dark",
    "plotly_library",
    "points_drawn",
    "ranking_figure",
    "score_figure",
    "sides_figure",
    "sweep_figure",
    "terms_figure",
    "view_figure",
]
