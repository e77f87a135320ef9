"""Computation of a run by worker processes of this machine, or by a dask cluster, until no cell is left.

Worker processes share the store and are replaced when they die. They are started one by one because a process pool
breaks when one of its processes is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Self

import psutil

from mdcore.papers.cluster import ClusterWorkers
from mdcore.papers.owners import has_died, owner_name
from mdcore.papers.run_plan import RunPlan
from mdcore.papers.store import RunStanding, Store
from mdcore.papers.worker import ENDS_THE_RUN

Watch = Callable[[RunStanding], None]
POLL_SECONDS = 0.2  # seconds between two polls of the workers
STOP_TIMEOUT = 20.0  # seconds that a worker has to stop before it is killed
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def compute(
    store: Store, plan: RunPlan, watch: Watch, *, jobs: int, address: str = "", niceness: int = 0
) -> RunStanding:
    """Work until no cell is left or the run is cancelled, and call `watch` meanwhile; its exceptions end the work.

    The workers are those of the cluster at `address`, or `jobs` processes if it is "".
    """
    release_dead_owners(store)
    with ClusterWorkers(store, plan, address) if address else LocalWorkers(store, plan, jobs, niceness) as workers:
        while True:
            standing = store.standing(plan.run)
            watch(standing)
            if standing.left == 0 or standing.cancelled:
                return standing
            workers.work()
            time.sleep(POLL_SECONDS)


def release_dead_owners(store: Store) -> None:
    """Free the cells of processes of this machine that have ended."""
    for owner in store.owners():
        if has_died(owner):
            store.release_dead(owner, "the end of its process")


class LocalWorkers:
    """Up to `jobs` worker processes."""

    def __init__(self, store: Store, plan: RunPlan, jobs: int, niceness: int) -> None:
        self._store, self._run, self._jobs, self._niceness = store, plan.run, jobs, niceness
        self._processes: dict[str, subprocess.Popen[str]] = {}  # by the owner's name in the store

    def __enter__(self) -> Self:
        return self

    def work(self) -> None:
        """Replace the workers that have ended.

        Raise ValueError if one has ended for a reason that would end every other.
        """
        for owner, process in [*self._processes.items()]:
            code = process.poll()
            if code is None:
                continue
            reason, _ = process.communicate()
            del self._processes[owner]
            if code == ENDS_THE_RUN:
                raise ValueError(reason.strip())
            self._store.release_dead(owner, f"signal {-code}" if code < 0 else f"exit status {code}")
        for _ in range(min(self._jobs - len(self._processes), self._store.claimable(self._run))):
            self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "mdcore.papers.worker", str(self._store.path), self._run]
        process = subprocess.Popen(command, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, text=True)
        self._processes[owner_name(process.pid)] = process
        if self._niceness:
            psutil.Process(process.pid).nice(self._niceness)

    def __exit__(self, *_: object) -> None:
        """Ask the workers to stop, and kill those that do not within STOP_TIMEOUT seconds. Free their cells."""
        for process in self._processes.values():
            process.terminate()
        end = time.monotonic() + STOP_TIMEOUT
        for owner, process in self._processes.items():
            try:
                process.communicate(timeout=max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            self._store.release(owner)
