"""The page's state in the address, and in the session while other pages are looked at."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.query import OPENING, parse_query
from mdcore.ui.own_table.own import own_sources
from mdcore.ui.pages.sensitivity.choice import Chosen, read_view
from mdcore.ui.pages.sensitivity.fields import STEPS
from mdcore.ui.shared.page_address import show_address

QUERY = "sensitivity query"
REFUSED = "sensitivity refused address"
TOUCHED = "sensitivity controls"
JOB = "sensitivity job"
KINKS = "sensitivity kinks"
KEPT = {QUERY, JOB, KINKS, REFUSED, TOUCHED, STEPS}  # of this page in the session, beside its controls


def given() -> tuple[Experiment, dict[str, str]]:
    """The state of the URL, else that of the last visit in this session, else the opening."""
    if _travelled():
        st.session_state[STEPS] = st.session_state.get(STEPS, 0) + 1
    query = urlencode(st.query_params.to_dict()) or st.session_state.get(QUERY, "")
    try:
        experiment = Experiment.from_query(query, own_sources())
        return experiment, read_view(parse_query(query), experiment)
    except ValueError as error:
        st.session_state[REFUSED] = f"The address cannot be read: {error} This is the opening example instead."
        return Experiment.from_query(OPENING), {}


def remember(chosen: Chosen) -> None:
    """Keep the state in the session and in the address; what was wrong with an address is said until a change."""
    if REFUSED in st.session_state and st.session_state.get(QUERY, chosen.query) != chosen.query:
        del st.session_state[REFUSED]
    st.session_state[QUERY] = chosen.query
    st.session_state[TOUCHED] = _controls()
    # Without an address the page has just been entered.
    show_address("sensitivity", chosen.query, step=bool(st.query_params))


def _travelled() -> bool:
    """Whether the browser went back or forward: another address than was written last, and no control was touched."""
    address = st.query_params.to_dict()
    if not address or QUERY not in st.session_state or address == parse_query(st.session_state[QUERY]):
        return False
    now = _controls()
    return all(now.get(key, value) == value for key, value in st.session_state[TOUCHED].items())


def _controls() -> dict[Any, Any]:
    """What the page's controls hold."""
    return {
        key: value for key, value in st.session_state.items() if str(key).startswith("sensitivity") and key not in KEPT
    }
