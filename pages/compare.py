"""Methods side by side on data of your own."""

from mdcore.ui.frame import require_frame
from mdcore.ui.pages.compare.page import compare_page

require_frame()
compare_page()
