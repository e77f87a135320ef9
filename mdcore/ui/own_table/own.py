"""The tables of a session as sources: in its state and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from mdcore.data import Choices, OwnSource, Source, Table, all_sources, own_source
from mdcore.ui.shared.session import state_of


@dataclass
class OwnSources:
    """`chosen`: for each place of a table, the source that it is with the choices made last. `known`, by key and weak:
    these, and earlier ones that a picture or a sweep still uses."""

    chosen: dict[str, OwnSource] = field(default_factory=dict)
    known: WeakValueDictionary[str, OwnSource] = field(default_factory=WeakValueDictionary)


def own_sources() -> tuple[OwnSource, ...]:
    """Return every source of this session, by which alone its experiments may be read."""
    return tuple(state_of(OwnSources).known.values())


def sources() -> dict[str, Source]:
    """By key, all that this session can choose from: its own tables first, then the catalogue."""
    return {source.key: source for source in (*own_sources(), *all_sources().values())}


def hold(place: str, table: Table, choices: Choices) -> OwnSource:
    """Return the source of a table; another one when something else is made of its rows."""
    chosen = state_of(OwnSources).chosen.get(place)
    if chosen is None or chosen.table is not table or _of_rows(chosen.choices) != _of_rows(choices):
        chosen = keep(place, own_source(table, choices))
    return chosen


def keep(place: str, source: OwnSource) -> OwnSource:
    session = state_of(OwnSources)
    session.chosen[place] = session.known[source.key] = source
    return source


def forget(place: str) -> None:
    """From now on its key leads nowhere, in this session either."""
    session = state_of(OwnSources)
    source = session.chosen.get(place)
    if source is not None:
        session.known.pop(source.key, None)
        session.chosen = {name: other for name, other in session.chosen.items() if other is not source}


def _of_rows(choices: Choices) -> Choices:
    """Without what an experiment says by itself."""
    return replace(choices, scaling="none", test=0.0, seed=0)
