"""The frame of Margin Lab: page configuration, navigation, one-time tuning."""

import streamlit as st

from mdcore.ui.frame import enter_frame
from mdcore.ui.tuning import tune_server

st.set_page_config(page_title="Margin Lab", page_icon="assets/icon.svg", layout="wide")
tune_server()
enter_frame()
st.navigation(
    [
        st.Page("pages/playground.py", title="Playground", default=True),
        st.Page("pages/methods.py", title="Methods", url_path="methods"),
    ],
    position="top",
).run()
