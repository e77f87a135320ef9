"""The room of a lecture: an audience on their phones, without a Streamlit session each."""
