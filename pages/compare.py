"""Compare: methods side by side on the visitor's own data."""

from mdcore.ui.frame import name_page
from mdcore.ui.pages.compare.page import compare_page
from mdcore.ui.workarounds.pages_manager import require_frame

require_frame()
name_page("Compare")
compare_page()
