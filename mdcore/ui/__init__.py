"""Streamlit: the only part of the package that knows a web page."""
