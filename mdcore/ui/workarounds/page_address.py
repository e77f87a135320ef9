"""The address of a page whose controls are Streamlit's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from mdcore.query import parse_query

KEY = "address"
HIDDEN = f"<style>.st-key-{KEY} {{ display: none; }}</style>"


@cache
def _component() -> Callable[..., Any]:
    """Declared when it is first shown: without a running app there is nowhere to declare it."""
    return st.components.v2.component("mdcore.address", js="address.js", isolate_styles=False)


def show_address(page: str, query: str, *, step: bool) -> None:
    """Show the query as the page's address; with `step` the browser's Back leads to the address before.

    Streamlit's own way always makes a step, also when a page has just been entered: Back would lead from the page to
    the page. Without `step` the browser writes the address in the place of the one it has.
    """
    wanted = parse_query(query)
    if step and st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    st.html(HIDDEN)
    with st.container(key=KEY):
        _component()(key=f"{KEY} of {page}", data={"page": page, "query": query})
