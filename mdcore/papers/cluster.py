"""Computation of a run's cells on the workers of a dask cluster; this process alone claims cells and stores results.

Data sets are not sent: each worker loads them by name and compares fingerprints.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self

from mdcore.cluster import NoCluster, TaskLost, TaskWindow
from mdcore.data.sources.folder import VARIABLE
from mdcore.papers.code import CodeChanged
from mdcore.papers.evaluation import CellOutcome
from mdcore.papers.owners import owning
from mdcore.papers.run_plan import RunPlan
from mdcore.papers.sets import check_fingerprint, rows_of
from mdcore.papers.store import Claim, Store
from mdcore.papers.worker import attempt


class ClusterWorkers:
    """The workers of the cluster at an address, and the claims of this process for them."""

    def __init__(self, store: Store, plan: RunPlan, address: str) -> None:
        self._store, self._run, self._context = store, plan.run, ExitStack()
        function = partial(attempt_on_worker, os.environ.get(VARIABLE))
        with ExitStack() as context:
            self._owner = context.enter_context(owning(store.path))
            context.callback(store.release, self._owner)
            self._window = context.enter_context(TaskWindow(address, function, self._claim))
            self._context = context.pop_all()

    def __enter__(self) -> Self:
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
            elif isinstance(result, NoCluster):
                raise result
            elif isinstance(result, Exception):
                self._store.fail(claim.id, f"{type(result).__name__}: {result}", self._owner)
            else:
                self._store.record(claim, result, self._owner)

    def _claim(self) -> Claim | None:
        return self._store.claim(self._run, self._owner)


def attempt_on_worker(folder: str | None, claim: Claim) -> CellOutcome | str:
    """Attempt a cell on a worker, whose own data folder takes precedence over `folder`."""
    if folder is not None and Path(folder).is_dir():
        os.environ.setdefault(VARIABLE, folder)
    try:
        check_fingerprint(rows_of(claim.task.protocol.set(claim.task.dataset)), claim.fingerprint)
    except ValueError as error:
        raise NoCluster(f"A worker cannot load the data: {error}") from None
    return attempt(claim)
