"""What Streamlit does not do by itself, mended from outside: README.md lists what, why and until when."""
