"""Workarounds for Streamlit, applied from outside: README.md lists each with its reason and when it can be removed."""
