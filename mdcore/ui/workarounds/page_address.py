"""The URL of a page whose controls are Streamlit widgets."""

from __future__ import annotations

import streamlit as st

from mdcore.experiment.query import parse_query
from mdcore.ui.workarounds.components import component

KEY = "address"
HIDDEN = f"<style>.st-key-{KEY} {{ display: none; }}</style>"


def show_address(page: str, query: str, *, step: bool) -> None:
    """Show the query as the page's URL; with `step`, the browser's Back button returns to the previous URL.

    Streamlit's own way always adds a history entry, even when a page has just been opened, so that Back would lead from
    the page to itself. Without `step`, the browser replaces the current URL.
    """
    wanted = parse_query(query)
    if step and st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    st.html(HIDDEN)
    with st.container(key=KEY):
        component("address")(key=f"{KEY} of {page}", data={"page": page, "query": query})
