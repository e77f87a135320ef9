"""The papers' tables, rerun."""

from mdcore.ui.pages.tables.page import tables_page
from mdcore.ui.workarounds.pages_manager import require_frame

require_frame()
tables_page()
