"""Runs of tables on this server, shared by all visitors: each is a job of the pool.

All runs use one store. One run of this server is active at a time, and the others wait. Uses no Streamlit.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mdcore.papers.cost import bytes_of
from mdcore.papers.owners import has_died
from mdcore.papers.run import compute
from mdcore.papers.run_plan import RunPlan, TableRequest
from mdcore.papers.store import RunStanding, Store
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import EVERYBODY, THREADS
from mdcore.serving.jobs.progress import Progress
from mdcore.serving.jobs.settings import cluster_address
from mdcore.solvers.budget import raise_if_stopped

VARIABLE = "MARGIN_LAB_STORE"
DEFAULT = Path("~/.cache/margin-lab/tables.db")
NICENESS = 10  # interactive work goes first
SHUTDOWN_MESSAGE = "The server is shutting down. Finished cells are stored: press Run later to continue from them."

_LOCK = threading.Lock()
_JOBS: dict[str, Job[RunStanding]] = {}  # run -> its latest job on this server


@dataclass(frozen=True)
class UnderWay:
    """A run that is active or waiting; `before` is the number of jobs ahead of it."""

    run: str
    request: TableRequest
    before: int
    lacks_memory: bool


def store_path() -> Path:
    return Path(os.environ.get(VARIABLE) or DEFAULT).expanduser()


def under_way(store: Store) -> tuple[UnderWay, ...]:
    """Return the runs that are active, on this server or elsewhere on the same store, followed by the waiting ones."""
    found = []
    for run, request, owners in store.runs():
        job = _active_job(run)
        if job is not None:
            found.append(UnderWay(run, request, job.waiting_for, job.lacks_memory))
        elif not all(map(has_died, owners)):
            found.append(UnderWay(run, request, 0, False))
    return tuple(sorted(found, key=lambda each: each.before))


def start(plan: RunPlan) -> None:
    """Enter the run, take back its cancellation and failures, and queue a job for it unless there is one."""
    store_path().parent.mkdir(parents=True, exist_ok=True)
    with _LOCK:
        with Store(store_path()) as store:
            store.enter(plan)
            store.resume(plan.run, retry=True)
        if _active_job(plan.run) is None:
            needs = 0.0 if cluster_address() else THREADS * bytes_of(plan.table, plan.sets.values())
            work = partial(_compute, plan)
            _JOBS[plan.run] = Job(plan.run, work, EVERYBODY, needs=needs, shutdown_message=SHUTDOWN_MESSAGE)


def cancel(run: str) -> None:
    """Cancel a run for all who watch it; finished cells are kept."""
    with Store(store_path()) as store:
        store.cancel(run)
    job = _JOBS.get(run)
    if job is not None:
        job.cancel()


def problem(run: str) -> str:
    """Return the reason why a run on this server failed or ended early; "" otherwise."""
    job = _JOBS.get(run)
    return "" if job is None else job.problem


def _active_job(run: str) -> Job[RunStanding] | None:
    job = _JOBS.get(run)
    return job if job is not None and job.running and not job.cancelled else None


def _compute(plan: RunPlan, progress: Progress) -> Iterator[RunStanding]:
    def watch(standing: RunStanding) -> None:
        progress(standing.done + standing.failed, standing.total)
        raise_if_stopped()

    with Store(store_path()) as store:
        yield compute(store, plan, watch, jobs=THREADS, address=cluster_address(), niceness=NICENESS)
