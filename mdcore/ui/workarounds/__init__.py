"""What Streamlit does not do by itself, mended from outside."""
