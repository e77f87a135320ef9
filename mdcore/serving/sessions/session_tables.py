"""The data sources that a session's own tables are. They live with the session alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from mdcore.data import OwnSource


@dataclass
class OwnSources:
    """The data sources of a session's tables.

    `chosen` holds, by origin, the source with the latest choices. `known` holds, by key and weakly, these and earlier
    sources still used by a picture or a sweep.
    """

    chosen: dict[str, OwnSource] = field(default_factory=dict)
    known: WeakValueDictionary[str, OwnSource] = field(default_factory=WeakValueDictionary)

    def all(self) -> tuple[OwnSource, ...]:
        """Return every source, while other threads may add one."""
        return tuple(source for reference in self.known.valuerefs() if (source := reference()))

    def keep(self, origin: str, source: OwnSource) -> OwnSource:
        self.chosen[origin] = self.known[source.key] = source
        return source
