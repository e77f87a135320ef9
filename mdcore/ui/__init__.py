"""The web interface: the only part of the package that imports Streamlit."""
