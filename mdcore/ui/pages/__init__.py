"""The contents of each page."""
