"""Plotly figures of runs, comparisons and sweeps. This package draws results, and computes none."""

from mdcore.figures.board import board_html, board_words
from mdcore.figures.boundary import boundary_figure
from mdcore.figures.comparison import band_figure, confusion_figure
from mdcore.figures.data_picture import data_headline, data_picture_html
from mdcore.figures.html import figure_html, plotly_library
from mdcore.figures.margin_panels import margin_panels_html
from mdcore.figures.margins import cumulative_figure, histogram_figure
from mdcore.figures.online import learning_figure
from mdcore.figures.planes import points_drawn, view_figure
from mdcore.figures.style import ink, on_dark
from mdcore.figures.sweep import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure

__all__ = [
    "band_figure",
    "board_html",
    "board_words",
    "boundary_figure",
    "confusion_figure",
    "cumulative_figure",
    "data_headline",
    "data_picture_html",
    "figure_html",
    "heatmap_figure",
    "histogram_figure",
    "ink",
    "learning_figure",
    "margin_panels_html",
    "on_dark",
    "plotly_library",
    "points_drawn",
    "ranking_figure",
    "sides_figure",
    "sweep_figure",
    "terms_figure",
    "view_figure",
]
