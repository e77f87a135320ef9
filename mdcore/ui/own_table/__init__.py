"""A table of one's own: chosen, read, prepared, kept in the session."""
