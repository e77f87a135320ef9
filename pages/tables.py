"""The papers' tables, rerun."""

from mdcore.ui.frame import require_frame
from mdcore.ui.pages.tables.page import tables_page

require_frame()
tables_page()
