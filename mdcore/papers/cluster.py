"""Computation of a run's cells on the workers of a dask cluster; this process alone claims cells and stores results.

Few cells are submitted at a time, so that the death of a worker loses little. A result that is held by a worker is lost
with that worker; therefore each worker also publishes its result as a scheduler event before its task ends, and the
result is stored on arrival. Data sets are not sent: each worker loads them by name and compares fingerprints.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from mdcore.cluster import NoCluster, connect, run_on_workers
from mdcore.data.sources.folder import VARIABLE
from mdcore.papers.code import CodeChanged, check_code
from mdcore.papers.evaluation import CellOutcome, Task
from mdcore.papers.local import Watch, compile_first, release_dead_workers
from mdcore.papers.protocol import TableProtocol, protocol
from mdcore.papers.sets import check_fingerprint, rows_of
from mdcore.papers.store import LEASE, RunStanding, Store
from mdcore.papers.worker import outcome_of, owner_name

WINDOW = 2  # cells submitted at a time for each thread of the cluster
POLL_SECONDS = 0.1  # seconds between two polls while no result arrives
TOPIC = "margin-lab-cells"  # the topic on which workers announce started cells and their results


def run_on_cluster(
    path: Path, run: str, table: TableProtocol, methods: Sequence[str], address: str, watch: Watch
) -> RunStanding:
    """Work until no cell is left or the run is cancelled. An exception raised by `watch` also ends the work."""
    owner = owner_name(os.getpid())
    with connect(address) as client, Store(path) as store:
        release_dead_workers(store)
        prepare_workers(client, store.sets_of(run), table, methods)
        try:
            return _Coordinator(client, store, run, owner).work(watch)
        finally:
            store.release(owner)


def prepare_workers(
    client: Any, sets: Mapping[tuple[str, int, str], str], table: TableProtocol, methods: Sequence[str]
) -> None:
    """Have every worker load the data and compile the methods.

    One worker of each machine compiles first, because numba's cache files must not be written by two processes at once.
    """
    from distributed import WorkerPlugin

    class Data(WorkerPlugin):
        """Load and check every set of the run on each worker, including workers that join later."""

        name = "margin-lab-data"

        def __init__(self, folder: str | None) -> None:
            self.folder = folder

        def setup(self, worker: Any) -> None:
            load_sets(sets, self.folder)

    try:
        client.register_plugin(Data(os.environ.get(VARIABLE)))
    except ValueError as error:
        raise NoCluster(f"A worker cannot load the data: {error}") from None
    run_on_workers(client, compile_on_worker, table.paper, table.table, tuple(methods))


def load_sets(sets: Mapping[tuple[str, int, str], str], folder: str | None) -> None:
    """Load the sets on a worker and check their fingerprints.

    The worker's own data folder takes precedence over `folder`.
    """
    if folder is not None and Path(folder).is_dir():
        os.environ.setdefault(VARIABLE, folder)
    for (paper, table, dataset), fingerprint in sets.items():
        check_fingerprint(rows_of(protocol(paper, table).set(dataset)), fingerprint)


def compile_on_worker(paper: str, table: int, methods: Sequence[str]) -> None:
    compile_first(protocol(paper, table), methods)


def compute_remotely(cell: str, task_json: str, fingerprint: str, code: str) -> str:
    """Compute a cell on a worker and return the outcome as JSON. Publish the start and the outcome on TOPIC."""
    from distributed import get_worker

    worker, task = get_worker(), Task.from_json(task_json)
    check_code(task, code)
    worker.log_event(TOPIC, (cell, None))
    outcome = outcome_of(task, fingerprint).to_json()
    worker.log_event(TOPIC, (cell, outcome))
    return outcome


class _Coordinator:
    """Keep a window of cells submitted, store the results, and count how often each cell is started."""

    def __init__(self, client: Any, store: Store, run: str, owner: str) -> None:
        self.client, self.store, self.run, self.owner = client, store, run, owner
        self.pending: dict[str, Any] = {}  # futures of the cells that are not stored yet
        self.events: SimpleQueue[tuple[str, str | None]] = SimpleQueue()
        self.starts: Counter[str] = Counter()
        self.renewed = time.monotonic()

    def work(self, watch: Watch) -> RunStanding:
        from distributed import as_completed

        self.client.subscribe_topic(TOPIC, lambda event: self.events.put(event[1]))
        completed = as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        try:
            while True:
                self._store_published()
                standing = self.store.standing(self.run)
                watch(standing)
                if standing.left == 0 or standing.cancelled:
                    return standing
                self._submit(completed)
                arrived = completed.next_batch(block=False)
                for future, result in arrived:
                    self._store_result(future, result)
                if not arrived:
                    time.sleep(POLL_SECONDS)
        finally:
            self.client.cancel(list(completed.futures))
            self.client.unsubscribe_topic(TOPIC)

    def _submit(self, completed: Any) -> None:
        if self.client.status != "running":
            raise NoCluster(
                "The cluster is no longer connected. Finished cells are kept: run the same command again to continue."
            )
        if time.monotonic() - self.renewed > LEASE / 3:
            self.store.renew(self.owner)
            self.renewed = time.monotonic()
        free = WINDOW * max(1, sum(self.client.nthreads().values())) - len(self.pending)
        while free > 0 and (claim := self.store.claim(self.run, self.owner)) is not None:
            arguments = (claim.id, claim.task.to_json(), claim.fingerprint, claim.code)
            future = self.client.submit(compute_remotely, *arguments, key=f"{claim.id}-{claim.attempt}", retries=0)
            self.pending[claim.id] = future
            completed.add(future)
            free -= 1

    def _store_result(self, future: Any, result: Any) -> None:
        from distributed import KilledWorker

        cell = future.key.partition("-")[0]
        if self.pending.pop(cell, None) is None:
            return  # stored already
        if future.status == "finished":
            self.store.finish(cell, CellOutcome.from_json(result))
            return
        error = result[1] if isinstance(result, tuple) else result
        if isinstance(error, KilledWorker):
            self.store.release_dead_cell(cell, self.owner, "the death of every worker that ran it")
        elif isinstance(error, CodeChanged):
            other = "If it has not, a worker with another version has joined the cluster: stop that worker first."
            raise CodeChanged(f"{error} {other}")
        elif isinstance(error, ValueError):
            self.store.fail(cell, str(error), self.owner)
        elif future.status == "error":
            self.store.fail(cell, f"{type(error).__name__}: {error}", self.owner)
        else:
            self.store.release_dead_cell(cell, self.owner, f"the loss of its future ({future.status})")

    def _store_published(self) -> None:
        """Store the published results, and count each restart of a cell: dask reruns the task of a dead worker without
        a new claim."""
        with suppress(Empty):
            while True:
                cell, outcome = self.events.get_nowait()
                if outcome is not None:
                    self.store.finish(cell, CellOutcome.from_json(outcome))
                    future = self.pending.pop(cell, None)
                    if future is not None:
                        future.release()
                    continue
                self.starts[cell] += 1
                if self.starts[cell] > 1:
                    self.store.count_attempt(cell)
