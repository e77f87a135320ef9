"""The papers' tables: choose, run, watch, look."""
