"""Tables: the papers' tables, rerun."""

from mdcore.ui.frame import name_page
from mdcore.ui.pages.tables.page import tables_page

name_page("Tables")
tables_page()
