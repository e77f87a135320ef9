"""What a run computes: the part of a table that was requested, as cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from mdcore.papers.cells import Cell, cells_of
from mdcore.papers.protocol import TableProtocol, protocol
from mdcore.papers.sets import Rows


@dataclass(frozen=True)
class TableRequest:
    """The part of a table that was requested. `splits=None` means as many splits as the paper has."""

    paper: str
    table: int
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    splits: int | None

    @property
    def protocol(self) -> TableProtocol:
        return protocol(self.paper, self.table)

    def to_json(self) -> str:
        return json.dumps(self.__dict__, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> TableRequest:
        told = json.loads(text)
        return cls(**told | {name: tuple(told[name]) for name in ("datasets", "methods")})


@dataclass(frozen=True, eq=False)
class RunPlan:
    """The cells of a request and the data sets that they need. `run` depends only on the set of cells."""

    request: TableRequest
    sets: Mapping[str, Rows]
    cells: tuple[Cell, ...]

    @property
    def table(self) -> TableProtocol:
        return self.request.protocol

    @cached_property
    def run(self) -> str:
        return sha256("\n".join(sorted(cell.id for cell in self.cells)).encode()).hexdigest()[:12]


def plan_run(request: TableRequest, available: Mapping[str, Rows]) -> RunPlan:
    """Return the plan of a request whose data sets are all available."""
    sets = {name: available[name] for name in request.datasets}
    return RunPlan(request, sets, tuple(cells_of(request.protocol, sets, request.methods, request.splits)))
