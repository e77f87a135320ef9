"""The frame around every page: page configuration and navigation."""

import streamlit as st

from mdcore.ui.frame import configure_page, report_lost_session

PAGES = [
    st.Page("pages/playground.py", title="Playground", default=True),
    st.Page("pages/sensitivity.py", title="Sensitivity", url_path="sensitivity"),
    st.Page("pages/compare.py", title="Compare", url_path="compare"),
    st.Page("pages/multiclass.py", title="Multi-class", url_path="multiclass"),
    st.Page("pages/online.py", title="Online", url_path="online"),
    st.Page("pages/tables.py", title="Tables", url_path="tables"),
    st.Page("pages/lecture.py", title="Lecture", url_path="lecture"),
    st.Page("pages/methods.py", title="Methods", url_path="methods"),
]

page = st.navigation(PAGES, position="top")
configure_page(page.title, first=page is PAGES[0])
report_lost_session()
page.run()
