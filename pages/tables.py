"""Tables: the papers' tables, rerun."""

from mdcore.ui.frame import name_page
from mdcore.ui.pages.tables.page import tables_page
from mdcore.ui.workarounds.pages_manager import require_frame

require_frame()
name_page("Tables")
tables_page()
