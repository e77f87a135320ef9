"""The Compare page: methods side by side on data of one's own, or of the catalogue."""

from mdcore.ui.compare.page import compare_page

__all__ = ["compare_page"]
