"""The page's state in the address, and in the session while other pages are looked at."""

from __future__ import annotations

from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.query import OPENING, VIEW, parse_query
from mdcore.sweep import axis_params
from mdcore.ui.own_table.own import own_sources
from mdcore.ui.pages.sensitivity.choice import NONE, Chosen, read_view
from mdcore.ui.pages.sensitivity.fields import STEPS
from mdcore.ui.workarounds.page_address import show_address

QUERY = "sensitivity query"
REFUSED = "sensitivity refused address"
TOUCHED = "sensitivity controls"
JOB = "sensitivity job"
KINKS = "sensitivity kinks"
CAME = "sensitivity came with the data"
KEPT = {QUERY, JOB, KINKS, REFUSED, TOUCHED, STEPS, CAME}  # of this page in the session, beside its controls


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


def open_on(experiment: Experiment, came: str) -> NoReturn:
    """Begin anew with an experiment on other data; an axis that they have goes along. `came` says what changed."""
    known = (NONE, *axis_params(experiment))
    given = parse_query(st.session_state[QUERY])
    lost = tuple(axis for axis in ("view.x", "view.y") if given.get(axis, NONE) not in known)
    view = {key: value for key, value in given.items() if key.startswith(VIEW) and not key.startswith(lost)}
    query = f"{experiment.to_query()}&{urlencode(view)}"
    st.session_state[QUERY] = query
    st.session_state[STEPS] = st.session_state.get(STEPS, 0) + 1
    if came:
        st.session_state[CAME] = came
    else:
        st.session_state.pop(CAME, None)
    st.query_params.from_dict(parse_query(query))
    st.rerun()


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
