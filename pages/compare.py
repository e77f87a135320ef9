"""Methods side by side on data of your own."""

from mdcore.ui.compare.page import compare_page
from mdcore.ui.frame import require_frame

require_frame()
compare_page()
