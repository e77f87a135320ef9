"""The lecture room: an audience on phones, without a Streamlit session each."""
