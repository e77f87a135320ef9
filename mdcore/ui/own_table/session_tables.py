"""The tables of the visitor whose page is running, as data sources."""

from __future__ import annotations

from dataclasses import replace

from mdcore.data import Choices, OwnSource, Source, Table, all_sources, own_source
from mdcore.serving.visits import OwnSources
from mdcore.ui.shared.session import state_of


def own_sources() -> tuple[OwnSource, ...]:
    """Return every source of this session; its experiments are read with these alone."""
    return state_of(OwnSources).all()


def sources() -> dict[str, Source]:
    """Return all sources that this session can choose, by key: its own tables, then the catalogue."""
    return {source.key: source for source in (*own_sources(), *all_sources().values())}


def hold(origin: str, table: Table, choices: Choices) -> OwnSource:
    """Return the source of an origin, creating a new one if the table or the choices about its rows have changed."""
    chosen = state_of(OwnSources).chosen.get(origin)
    if chosen is None or chosen.table is not table or _of_rows(chosen.choices) != _of_rows(choices):
        chosen = state_of(OwnSources).keep(origin, own_source(table, choices))
    return chosen


def forget(origin: str) -> None:
    """Remove the source of an origin; its key becomes invalid."""
    session = state_of(OwnSources)
    source = session.chosen.get(origin)
    if source is not None:
        session.known.pop(source.key, None)
        session.chosen = {name: other for name, other in session.chosen.items() if other is not source}


def _of_rows(choices: Choices) -> Choices:
    """Return the choices with neutral values for the scaling and the split, which an experiment sets itself."""
    return replace(choices, scaling="none", test=0.0, seed=0)
