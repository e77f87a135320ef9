"""The stage and the path scrubber, as components on a Streamlit page."""
