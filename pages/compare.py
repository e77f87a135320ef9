"""Methods side by side on data of your own."""

from mdcore.ui.compare import compare_page

compare_page()
