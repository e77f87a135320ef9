"""Computation of a run's cells on this machine: worker processes that share a store and are replaced when they die.

They are separate processes because a process pool breaks when one of its processes is killed. When the parent is
killed, each worker finishes its current cell and ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from mdcore.methods import METHODS
from mdcore.methods.tiny import fit_tiny
from mdcore.papers.code import CodeChanged
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.store import RunStanding, Store
from mdcore.papers.store_file import StoreProblem
from mdcore.papers.worker import CODE_CHANGED, STORE_FAILED, has_died, owner_name

Watch = Callable[[RunStanding], None]
POLL_SECONDS = 0.2  # seconds between two polls of the workers
STOP_TIMEOUT = 20.0  # seconds that a worker has to stop before it is killed
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def run_here(
    path: Path, run: str, table: TableProtocol, methods: Iterable[str], jobs: int, watch: Watch
) -> RunStanding:
    """Work until no cell is left or the run is cancelled. An exception raised by `watch` also stops the workers."""
    workers: list[_Worker] = []
    with Store(path) as store:
        release_dead_workers(store)
        compile_first(table, methods)
        try:
            while True:
                workers = [worker for worker in workers if not worker.ended(store)]
                standing = store.standing(run)
                watch(standing)
                if standing.left == 0 or standing.cancelled:
                    return standing
                for _ in range(min(jobs - len(workers), store.claimable(run))):
                    workers.append(_Worker(path, run))
                time.sleep(POLL_SECONDS)
        finally:
            stop(store, workers)


def release_dead_workers(store: Store) -> None:
    """Free the cells of processes of this machine that have ended."""
    for owner in store.owners():
        if has_died(owner):
            store.release_dead(owner, "the end of its process")


def compile_first(table: TableProtocol, methods: Iterable[str]) -> None:
    """Fit every method once on a tiny problem: numba then writes its cache files here, not in several workers at
    once."""
    estimators = (table.method(key).estimator for key in methods)
    fit_tiny((METHODS[estimator] for estimator in estimators if estimator in METHODS), table.kernel)


def stop(store: Store, workers: list[_Worker]) -> None:
    """Ask the workers to stop, and kill those that do not within STOP_TIMEOUT seconds. Free their cells."""
    for worker in workers:
        worker.process.terminate()
    end = time.monotonic() + STOP_TIMEOUT
    for worker in workers:
        try:
            worker.process.communicate(timeout=max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.communicate()
        store.release(worker.owner)


class _Worker:
    """A worker process. `owner` is its name in the store."""

    def __init__(self, path: Path, run: str) -> None:
        command = [sys.executable, "-m", "mdcore.papers.worker", str(path), run]
        self.process = subprocess.Popen(command, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, text=True)
        self.owner = owner_name(self.process.pid)

    def ended(self, store: Store) -> bool:
        """Return whether the worker has ended, and free its cells if so.

        Raise CodeChanged or StoreProblem if that is why it ended: any other worker would end in the same way.
        """
        code = self.process.poll()
        if code is None:
            return False
        output, _ = self.process.communicate()
        if code == CODE_CHANGED:
            raise CodeChanged
        if code == STORE_FAILED:
            raise StoreProblem(output.strip())
        store.release_dead(self.owner, f"signal {-code}" if code < 0 else f"exit status {code}")
        return True
