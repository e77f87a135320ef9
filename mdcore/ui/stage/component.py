"""The live stage as a Streamlit component: mounting, requests, answers. scene.py packs what it draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import streamlit as st

from mdcore.query import BadKey
from mdcore.ui.own_table.own import keep, own_sources
from mdcore.ui.own_table.project import unpacked
from mdcore.ui.shared.session import COMPARE, Stages, state_of
from mdcore.ui.shared.timing import timed
from mdcore.ui.stage.asked import read_request
from mdcore.ui.stage.examples import with_opening
from mdcore.ui.stage.openings import PLAYGROUND, Opening
from mdcore.ui.stage.scene import Drawn, Request, answer, refusal
from mdcore.ui.workarounds.components import component, keep_value
from mdcore.ui.workarounds.sessions import visitor

PROJECT = "project file"


def live_stage(opening: Opening = PLAYGROUND, name: str = "stage") -> None:
    """Draw the stage, as a component of this name, in a fragment, so that its requests do not rerun the page. Each full
    run of the page gets its own identifier, which the answers carry."""
    _live(opening, name, uuid4().hex)


@st.fragment
def _live(opening: Opening, name: str, page_run: str) -> None:
    """Answer the browser's latest request. The first picture comes from the page's URL, or else from the last query
    drawn."""
    stages = state_of(Stages)
    with timed("picture", visitor().session):
        message, stages.drawn[opening.key] = _answer(opening, page_run, stages.drawn.get(opening.key))
    state = component(name)(
        key=opening.key,
        data=message,
        default={"request": None},
        on_request_change=keep_value,
        on_compare_change=keep_value,
        height="content",
    )
    if state.compare:
        stages.sent_by = opening.key
        st.switch_page(COMPARE)


def _answer(opening: Opening, page_run: str, before: Drawn | None) -> tuple[bytes, Drawn | None]:
    state: dict[str, Any] = st.session_state.get(opening.key) or {}
    last = state_of(Stages).query
    asked = state.get("request")
    if not asked:
        pairs = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
        # Nothing is on screen yet, so no previous picture is passed on: a refusal would leave the page empty.
        query = with_opening(opening.address(pairs), several=opening.several) or last.get(opening.key, "")
        return answer(Request(query, page_run=page_run, own=own_sources()), None, opening)
    try:
        request = read_request(asked, page_run, own_sources())
    except ValueError as error:
        return refusal(Request("", page_run=page_run), error), before
    try:
        _open(asked.get("table"))
    except ValueError as error:
        return refusal(request, BadKey("data", str(error))), before
    message, drawn = answer(replace(request, own=own_sources()), before, opening)
    if drawn is not before:
        last[opening.key] = request.query
    if drawn is not None:
        opening.drawn(asked, drawn)
    return message, drawn


def _open(table: Any) -> None:
    """Store the table of a project file, unless the session already has it."""
    if table is None:
        return
    known = [source.key for source in own_sources()]
    if not isinstance(table, Mapping) or table.get("key") not in known:
        keep(PROJECT, unpacked(table))
