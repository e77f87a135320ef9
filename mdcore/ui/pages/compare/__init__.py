"""The Compare page: methods side by side on data of one's own, or of the catalogue."""
