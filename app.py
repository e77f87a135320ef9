"""The frame of Margin Lab: page configuration, navigation, one-time tuning."""

import streamlit as st

from mdcore.ui.tuning import tune_server

st.set_page_config(page_title="Margin Lab", page_icon=":material/ssid_chart:", layout="wide")
tune_server()
st.navigation(
    [
        st.Page("pages/playground.py", title="Playground", default=True),
        st.Page("pages/sensitivity.py", title="Sensitivity", url_path="sensitivity"),
    ],
    position="top",
).run()
