"""Runs of tables on this server, shared by all visitors. Each run is a job of the pool with a process of its own.

All runs use one store. One run of this server is active at a time, and the others wait. Uses no Streamlit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from mdcore.papers.cells import Cell, cells_of
from mdcore.papers.cost import Cost, bytes_of, cost_of
from mdcore.papers.local import STOP_TIMEOUT
from mdcore.papers.protocol import protocol
from mdcore.papers.report import TableRequest
from mdcore.papers.sets import Rows
from mdcore.papers.store import RunStanding, Store, run_name
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import EVERYBODY, THREADS
from mdcore.serving.jobs.progress import Progress
from mdcore.serving.jobs.settings import cluster_address
from mdcore.solvers.budget import raise_if_stopped

VARIABLE = "MARGIN_LAB_STORE"
DEFAULT = Path("~/.cache/margin-lab/tables.db")
NICENESS = 10  # interactive work goes first
CHECK_PERIOD = 0.2  # seconds between two checks of a process
SHUTDOWN_MESSAGE = "The server is shutting down. Finished cells are stored: press Run later to continue from them."
OURS = "mdcore tables: "  # the prefix of the command's messages about invalid input

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
    """Return the path of the server's store, creating its folder if necessary."""
    path = Path(os.environ.get(VARIABLE) or DEFAULT).expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def planned(request: TableRequest, sets: dict[str, Rows]) -> list[Cell]:
    chosen = {name: sets[name] for name in request.datasets}
    return cells_of(protocol(request.paper, request.table), chosen, request.methods, request.splits)


def price(request: TableRequest, sets: dict[str, Rows]) -> tuple[str, Cost]:
    """Return the run of a request, and the cost of its remaining cells.

    A run that shares finished cells with other runs is recorded at once, so that their results can be shown.
    """
    cells = planned(request, sets)
    run = run_name(cells)
    with Store(store_path()) as store:
        cost = cost_of(store, cells)
        if cost.cells < len(cells) and not store.standing(run).total:
            _enter(store, request, sets)
    return run, cost


def under_way() -> tuple[UnderWay, ...]:
    """Return the runs that are active, on this server or elsewhere on the same store, followed by the waiting ones."""
    with Store(store_path()) as store:
        rows = store.rows(
            "SELECT id, request, NOT cancelled AND EXISTS (SELECT 1 FROM run_cell JOIN cell ON cell.id = cell "
            "WHERE run = run.id AND state = 'leased' AND lease > ?) AS busy FROM run ORDER BY begun DESC",
            time.time(),
        )
    found = []
    for row in rows:
        job = _JOBS.get(row["id"])
        if job is not None and job.running and not job.cancelled:
            wait = job.waiting_for, job.lacks_memory
        elif row["busy"]:
            wait = 0, False
        else:
            continue
        found.append(UnderWay(row["id"], TableRequest.from_json(row["request"]), *wait))
    return tuple(sorted(found, key=lambda each: each.before))


def start(request: TableRequest, sets: dict[str, Rows]) -> str:
    """Record the run, and queue a job for it unless it is already active or waiting."""
    with _LOCK:
        with Store(store_path()) as store:
            run = _enter(store, request, sets)
        if all(each.run != run for each in under_way()):
            rows = (sets[name] for name in request.datasets)
            table = protocol(request.paper, request.table)
            needs = 0.0 if cluster_address() else THREADS * bytes_of(table, rows)
            work = partial(_run, run, request)
            _JOBS[run] = Job(run, work, EVERYBODY, needs=needs, shutdown_message=SHUTDOWN_MESSAGE)
    return run


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


def _enter(store: Store, request: TableRequest, sets: dict[str, Rows]) -> str:
    chosen = {name: sets[name] for name in request.datasets}
    return store.plan(protocol(request.paper, request.table), chosen, planned(request, sets), request.to_json())


def _run(run: str, request: TableRequest, progress: Progress) -> Iterator[RunStanding]:
    """Start a process for the run and wait for it, reporting progress; end the process if the job is cancelled. Yield
    the final state.

    Raise ValueError with the command's last message if the process fails.
    """
    process = _process(request)
    try:
        with Store(store_path()) as store:
            while process.poll() is None:
                standing = store.standing(run)
                progress(standing.done + standing.failed, standing.total)
                raise_if_stopped()
                time.sleep(CHECK_PERIOD)
            yield store.standing(run)
    finally:
        if process.poll() is None:
            _end(process, run)
    if process.returncode not in (0, 1):
        raise ValueError(_failure_message())


def _end(process: subprocess.Popen[bytes], run: str) -> None:
    """Cancel the run until its process ends, and kill the process after a timeout. The cancellation is repeated because
    a process that has just started first plans its run, which revokes an earlier cancellation."""
    with Store(store_path()) as store:
        end = time.monotonic() + 2 * STOP_TIMEOUT
        while process.poll() is None:
            store.cancel(run)
            if time.monotonic() > end:
                process.kill()  # its workers end after their current cell
            time.sleep(CHECK_PERIOD)


def _failure_message() -> str:
    """Return the command's last error message without its prefix, or else the last line of its log."""
    lines = _log().read_text(encoding="utf-8", errors="replace").strip().splitlines() if _log().exists() else []
    messages = [line.removeprefix(OURS) for line in lines if line.startswith(OURS)]
    return (messages or lines or ["It ended without a message."])[-1]


def _process(request: TableRequest) -> subprocess.Popen[bytes]:
    """Start the run as a command, which continues if this server is killed and can also be entered by hand."""
    command = [sys.executable, "-m", "mdcore", "tables", "--store", str(store_path()), "--jobs", str(THREADS)]
    command += ["--paper", request.paper, "--table", str(request.table)]
    command += ["--datasets", ",".join(request.datasets), "--methods", ",".join(request.methods)]
    if request.splits is not None:
        command += ["--splits", str(request.splits)]
    if cluster_address():
        command += ["--dask", cluster_address()]
    with _log().open("wb") as log:
        made = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True)
    psutil.Process(made.pid).nice(NICENESS)
    return made


def _log() -> Path:
    return store_path().with_suffix(".log")
