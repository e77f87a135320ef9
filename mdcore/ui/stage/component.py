"""The live stage as a Streamlit component: where it stands on the page, and what its session must know. Its pictures
travel by a route, web/pictures.py."""

from __future__ import annotations

import secrets
from typing import Any

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.serving.stage.stage_page import PLAYGROUND, StagePage
from mdcore.serving.visits import VISITS, OwnSources, Stages, Visit, token_for
from mdcore.ui.shared.session import COMPARE, state_of
from mdcore.ui.workarounds.components import component, keep_value

VISIT = "visit"


def visit() -> Visit:
    """Return the visit of the session whose page is running; it ends with the session, which alone holds it."""
    if VISIT not in st.session_state:
        made = Visit(secrets.token_urlsafe(16), state_of(Stages), state_of(OwnSources))
        st.session_state[VISIT] = VISITS[made.key] = made
    found: Visit = st.session_state[VISIT]
    return found


def live_stage(page: StagePage = PLAYGROUND, name: str = "stage") -> None:
    """Mount the stage, as a component of this name. It opens with the page's URL, or else with the last query drawn.

    The component tells its query where a request cannot: on the way to Compare, and if its picture was drawn by a
    process without this session.
    """
    own, key = visit(), page.key
    pairs = [(item, value) for item in st.query_params for value in st.query_params.get_all(item)]
    told = component(name)(
        key=key,
        data={
            "page": key,
            "token": token_for(own.key),
            "query": page.address(pairs) or own.stages.query.get(key, ""),
        },
        on_tell_change=keep_value,
        on_compare_change=keep_value,
        height="content",
    )
    _hear(told.tell or told.compare, page)
    if told.compare is not None:
        own.stages.sent_by = key
        st.switch_page(COMPARE)


def _hear(query: Any, page: StagePage) -> None:
    """Store a query that the stage has told, if it is one."""
    own = visit()
    try:
        experiment = Experiment.from_query(query, own.tables.all(), page.query) if isinstance(query, str) else None
    except ValueError:
        return
    if experiment is not None:
        own.stages.drawn[page.key], own.stages.query[page.key] = experiment, query
