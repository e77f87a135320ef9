"""The state of the page, kept in the URL and, during visits to other pages, in the session."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING, parse_query
from mdcore.serving.jobs.job import Job
from mdcore.sweep import PointResult, Sweep, SweepTable, axis_params
from mdcore.ui.own_table.session_tables import own_sources
from mdcore.ui.pages.sensitivity.choice import AxisView, SweepChoice, View, query_of, read_view
from mdcore.ui.shared.controls import Controls
from mdcore.ui.shared.following import Slot
from mdcore.ui.shared.session import state_of
from mdcore.ui.workarounds.page_address import show_address

PAGE = "sensitivity"
JOB, KINKS = Slot[Job[PointResult]]("sweep job"), "sweep kinks"


@dataclass
class SensitivityState:
    """The page's state besides its controls.

    `query` is the state shown, and `view` the page's own part of it. `refused` is the reason why a URL was rejected.
    `set_by_data` lists the settings that changed with the data. `steps` counts the browser's steps back or forward.
    `touched` has the latest values of the controls. `whole` is the large sweep for which all points were requested, and
    `look` its first look at that time.
    """

    query: str = ""
    view: View = field(default_factory=View)
    refused: str = ""
    set_by_data: str = ""
    steps: int = 0
    touched: dict[Any, Any] = field(default_factory=dict)
    whole: Sweep | None = None
    look: SweepTable | None = None


def memory() -> SensitivityState:
    """Return the page's state in the visitor's session."""
    return state_of(SensitivityState)


def controls() -> Controls:
    """Return the page's controls. Their keys change with each step back or forward, so that they start from the URL."""
    steps = memory().steps
    return Controls(f"{PAGE} {steps}" if steps else PAGE, lasting=False, typed=True)


def given() -> tuple[Experiment, View]:
    """Return the state in the URL, or else that of the last visit in this session, or else the opening state."""
    if _travelled():
        memory().steps += 1
    query = urlencode(st.query_params.to_dict()) or memory().query
    try:
        experiment = Experiment.from_query(query, own_sources())
        return experiment, read_view(parse_query(query), experiment)
    except ValueError as error:
        memory().refused = f"The address cannot be read: {error} This is the opening example instead."
        return Experiment.from_query(OPENING), View()


def remember(chosen: SweepChoice) -> None:
    """Store the state in the session and in the URL; the error of a rejected URL stays until the state changes."""
    remembered = memory()
    if remembered.query and remembered.query != chosen.query:
        remembered.refused = ""
    remembered.query, remembered.view, remembered.touched = chosen.query, chosen.view, _controls()
    # An empty URL means that the visitor has just opened the page.
    show_address("sensitivity", chosen.query, step=bool(st.query_params))


def open_on(experiment: Experiment, set_by_data: str) -> NoReturn:
    """Rerun the page with an experiment on other data. Axes that still apply are kept; `set_by_data` describes what
    changed."""
    known = axis_params(experiment)

    def left(axis: AxisView | None) -> AxisView | None:
        return axis.on(known[axis.key]) if axis and axis.key in known else None

    remembered = memory()
    view = replace(remembered.view, x=left(remembered.view.x), y=left(remembered.view.y))
    query = query_of(experiment, view)
    remembered.query, remembered.set_by_data = query, set_by_data
    remembered.steps += 1
    st.query_params.from_dict(parse_query(query))
    st.rerun()


def _travelled() -> bool:
    """Return whether the browser went back or forward: the URL is not the one written last, and no control has
    changed."""
    address, remembered = st.query_params.to_dict(), memory()
    if not address or not remembered.query or address == parse_query(remembered.query):
        return False
    now = _controls()
    return all(now.get(key, value) == value for key, value in remembered.touched.items())


def _controls() -> dict[Any, Any]:
    """Return the values of the page's controls."""
    return {key: value for key, value in st.session_state.items() if str(key).startswith(f"{PAGE} ")}
