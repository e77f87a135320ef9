"""The page's state in the address, and in the session while other pages are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.query import OPENING, VIEW, parse_query
from mdcore.sweep import Sweep, SweepTable, axis_params
from mdcore.ui.own_table.own import own_sources
from mdcore.ui.pages.sensitivity.choice import NONE, SweepChoice, read_view
from mdcore.ui.shared.controls import Controls
from mdcore.ui.shared.session import state_of
from mdcore.ui.workarounds.page_address import show_address

PAGE = "sensitivity"
JOB, KINKS = "sweep job", "sweep kinks"


@dataclass
class SensitivityState:
    """What the page remembers beside its controls.

    `query` is what it shows; `refused` why an address was not taken; `came` what was changed with the data; `steps` how
    often the browser went back or forward; `touched` what the controls held last; `whole` the large sweep of which all
    points were asked for, `look` what was seen of it then.
    """

    query: str = ""
    refused: str = ""
    came: str = ""
    steps: int = 0
    touched: dict[Any, Any] = field(default_factory=dict)
    whole: Sweep | None = None
    look: SweepTable | None = None


def memory() -> SensitivityState:
    """Return what the page remembers in the visitor's session."""
    return state_of(SensitivityState)


def controls() -> Controls:
    """Return the page's controls: others after each step back or forward, so that they take up the address."""
    steps = memory().steps
    return Controls(f"{PAGE} {steps}" if steps else PAGE, lasting=False, typed=True)


def given() -> tuple[Experiment, dict[str, str]]:
    """Return the state of the URL, else that of the last visit in this session, else the opening."""
    if _travelled():
        memory().steps += 1
    query = urlencode(st.query_params.to_dict()) or memory().query
    try:
        experiment = Experiment.from_query(query, own_sources())
        return experiment, read_view(parse_query(query), experiment)
    except ValueError as error:
        memory().refused = f"The address cannot be read: {error} This is the opening example instead."
        return Experiment.from_query(OPENING), {}


def remember(chosen: SweepChoice) -> None:
    """Keep the state in the session and in the address; what was wrong with an address is said until a change."""
    remembered = memory()
    if remembered.query and remembered.query != chosen.query:
        remembered.refused = ""
    remembered.query, remembered.touched = chosen.query, _controls()
    # Without an address the page has just been entered.
    show_address("sensitivity", chosen.query, step=bool(st.query_params))


def open_on(experiment: Experiment, came: str) -> NoReturn:
    """Begin anew with an experiment on other data; an axis that they have goes along. `came` says what changed."""
    known = (NONE, *axis_params(experiment))
    remembered = memory()
    given = parse_query(remembered.query)
    lost = tuple(axis for axis in ("view.x", "view.y") if given.get(axis, NONE) not in known)
    view = {key: value for key, value in given.items() if key.startswith(VIEW) and not key.startswith(lost)}
    query = f"{experiment.to_query()}&{urlencode(view)}"
    remembered.query, remembered.came = query, came
    remembered.steps += 1
    st.query_params.from_dict(parse_query(query))
    st.rerun()


def _travelled() -> bool:
    """Return whether the browser went back or forward: another address than was written last, and no control was
    touched."""
    address, remembered = st.query_params.to_dict(), memory()
    if not address or not remembered.query or address == parse_query(remembered.query):
        return False
    now = _controls()
    return all(now.get(key, value) == value for key, value in remembered.touched.items())


def _controls() -> dict[Any, Any]:
    """Return what the page's controls hold."""
    return {key: value for key, value in st.session_state.items() if str(key).startswith(f"{PAGE} ")}
