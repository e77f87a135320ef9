"""Methods side by side on data of your own."""

from mdcore.ui.compare.page import compare_page

compare_page()
