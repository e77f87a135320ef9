"""Methods: what every method computes."""

import streamlit as st

from mdcore.ui.frame import name_page, trim_top_padding
from mdcore.ui.pages.overview import overview
from mdcore.ui.pages.reference import CHOSEN, choose_method, show

name_page("Methods")
trim_top_padding()
whole = CHOSEN not in st.query_params
method = choose_method()
if whole:
    overview()
show(method)
