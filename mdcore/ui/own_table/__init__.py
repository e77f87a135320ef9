"""The visitor's own tables: chosen, read, prepared, and kept in the session."""
