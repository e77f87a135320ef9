"""The Compare page: methods side by side on the visitor's own data or on a data set of the catalogue."""
