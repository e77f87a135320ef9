"""Computation of a run's cells on the workers of a dask cluster; this process alone claims cells and stores results.

Data sets are not sent: each worker loads them by name and compares fingerprints.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from mdcore.cluster import NoCluster, TaskLost, TaskWindow
from mdcore.data.sources.folder import VARIABLE
from mdcore.papers.code import CodeChanged
from mdcore.papers.evaluation import CellOutcome
from mdcore.papers.owners import owning
from mdcore.papers.protocol import protocol
from mdcore.papers.run_plan import RunPlan
from mdcore.papers.sets import check_fingerprint, rows_of
from mdcore.papers.store import Claim, Store
from mdcore.papers.worker import attempt


class ClusterWorkers:
    """The workers of the cluster at an address, and the claims of this process for them."""

    def __init__(self, store: Store, plan: RunPlan, address: str) -> None:
        self._store, self._run, self._context = store, plan.run, ExitStack()
        fingerprints = {name: rows.fingerprint for name, rows in plan.sets.items()}
        self._cells = Cells(plan.request.paper, plan.request.table, fingerprints, os.environ.get(VARIABLE))
        self._address = address

    def __enter__(self) -> Self:
        with ExitStack() as context:
            self._owner = context.enter_context(owning(self._store.path))
            context.callback(self._store.release, self._owner)
            self._window = context.enter_context(TaskWindow(self._address, self._cells, self._claim))
            self._context = context.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()

    def work(self) -> None:
        for claim, result in self._window.step():
            if isinstance(result, TaskLost):
                self._store.release_dead(self._owner, str(result), claim.id)
            elif isinstance(result, CodeChanged):
                other = "If it has not, a worker with another version has joined the cluster: stop that worker first."
                raise CodeChanged(f"{result} {other}")
            elif isinstance(result, Exception):
                self._store.fail(claim.id, f"{type(result).__name__}: {result}", self._owner)
            else:
                self._store.record(claim, result, self._owner)

    def _claim(self) -> Claim | None:
        return self._store.claim(self._run, self._owner)


@dataclass(frozen=True)
class Cells:
    """The computation of a cell on a worker, where a table's data sets must have these fingerprints.

    The worker's own data folder takes precedence over `folder`.
    """

    paper: str
    table: int
    fingerprints: Mapping[str, str]
    folder: str | None

    def __call__(self, claim: Claim) -> CellOutcome | str:
        return attempt(claim)

    def warm_up(self) -> None:
        if self.folder is not None and Path(self.folder).is_dir():
            os.environ.setdefault(VARIABLE, self.folder)
        try:
            for dataset, fingerprint in self.fingerprints.items():
                check_fingerprint(rows_of(protocol(self.paper, self.table).set(dataset)), fingerprint)
        except ValueError as error:
            raise NoCluster(f"A worker cannot load the data: {error}") from None
