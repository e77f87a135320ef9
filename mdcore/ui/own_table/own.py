"""The tables of a session as sources: in `st.session_state` and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakValueDictionary

import streamlit as st

from mdcore.data import Choices, OwnSource, Source, Table, all_sources, own_source

CHOSEN = "own chosen"  # for each place of a table, the source that it is with the choices made last
KNOWN = "own known"  # by key, weak: these, and earlier ones that a picture or a sweep still uses


def own_sources() -> tuple[OwnSource, ...]:
    """Every source of this session, by which alone its experiments may be read."""
    return tuple(st.session_state.get(KNOWN, {}).values())


def sources() -> dict[str, Source]:
    """By key, all that this session can choose from: its own tables first, then the catalogue."""
    return {source.key: source for source in (*own_sources(), *all_sources().values())}


def hold(place: str, table: Table, choices: Choices) -> OwnSource:
    """The source of a table; another one when something else is made of its rows."""
    chosen: OwnSource | None = st.session_state.get(CHOSEN, {}).get(place)
    if chosen is None or chosen.table is not table or _of_rows(chosen.choices) != _of_rows(choices):
        chosen = keep(place, own_source(table, choices))
    return chosen


def keep(place: str, source: OwnSource) -> OwnSource:
    st.session_state.setdefault(CHOSEN, {})[place] = source
    st.session_state.setdefault(KNOWN, WeakValueDictionary())[source.key] = source
    return source


def forget(place: str) -> None:
    """From now on its key leads nowhere, in this session either."""
    chosen: dict[str, OwnSource] = st.session_state.get(CHOSEN, {})
    source = chosen.get(place)
    if source is not None:
        st.session_state[KNOWN].pop(source.key, None)
        st.session_state[CHOSEN] = {name: other for name, other in chosen.items() if other is not source}


def _of_rows(choices: Choices) -> Choices:
    """Without what an experiment says by itself."""
    return replace(choices, scaling="none", test=0.0, seed=0)
