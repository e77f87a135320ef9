"""Compare: methods side by side on the visitor's own data."""

from mdcore.ui.frame import name_page
from mdcore.ui.pages.compare.page import compare_page

name_page("Compare")
compare_page()
