"""The Tables page: the papers' tables, rerun."""
