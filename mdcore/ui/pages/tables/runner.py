"""Runs of tables on this server, which every visitor watches: each a job of the pool, with a process of its own.

All work on one store. One run is at work at a time, and the others wait. No Streamlit.
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
from mdcore.papers.local import PATIENCE
from mdcore.papers.protocol import protocol
from mdcore.papers.report import TableRequest
from mdcore.papers.sets import Rows
from mdcore.papers.store import RunStanding, Store, run_name
from mdcore.solvers.budget import heed_stop
from mdcore.ui.shared.engine import cluster_address
from mdcore.ui.shared.jobs import EVERYBODY, THREADS, Job, Report

VARIABLE = "MARGIN_LAB_STORE"
DEFAULT = Path("~/.cache/margin-lab/tables.db")
POLITE = 10  # niceness: whoever drags a slider goes first
LOOK = 0.2  # seconds between two looks at a process
SERVER_ENDS = "The server is being stopped. Cells that are done are in the store: press Run later to go on from them."
OURS = "mdcore tables: "  # with which the command begins what it says of bad input

_LOCK = threading.Lock()
_JOBS: dict[str, Job[RunStanding]] = {}  # by run, the last one of each that this server was asked for


@dataclass(frozen=True)
class UnderWay:
    """A run that somebody works on, or that waits for its place: it has so many `before` it."""

    run: str
    request: TableRequest
    before: int
    lacks_memory: bool


def store_path() -> Path:
    """Return the server's store; its folder is made where it is not there."""
    path = Path(os.environ.get(VARIABLE) or DEFAULT).expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def planned(request: TableRequest, sets: dict[str, Rows]) -> list[Cell]:
    chosen = {name: sets[name] for name in request.datasets}
    return cells_of(protocol(request.paper, request.table), chosen, request.methods, request.splits)


def price(request: TableRequest, sets: dict[str, Rows]) -> tuple[str, Cost]:
    """Return a request's run and what is left to compute of it, before it is begun.

    One of whose cells some were computed in other runs is entered, so that what there is can be looked at.
    """
    cells = planned(request, sets)
    run = run_name(cells)
    with Store(store_path()) as store:
        cost = cost_of(store, cells)
        if cost.cells < len(cells) and not store.standing(run).total:
            _enter(store, request, sets)
    return run, cost


def under_way() -> tuple[UnderWay, ...]:
    """Return the runs that are worked on, by this server or by anybody on the same store, then those that wait."""
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
    """Plan, and enter the pool where nobody works on this run yet."""
    with _LOCK:
        with Store(store_path()) as store:
            run = _enter(store, request, sets)
        if all(each.run != run for each in under_way()):
            rows = (sets[name] for name in request.datasets)
            table = protocol(request.paper, request.table)
            needs = 0.0 if cluster_address() else THREADS * bytes_of(table, rows)
            work = partial(_carried_out, run, request)
            _JOBS[run] = Job(run, work, EVERYBODY, needs=needs, farewell=SERVER_ENDS)
    return run


def cancel(run: str) -> None:
    """For everybody who watches it; what is done is kept."""
    with Store(store_path()) as store:
        store.cancel(run)
    job = _JOBS.get(run)
    if job is not None:
        job.cancel()


def problem(run: str) -> str:
    """Return why a run of this server ended before its time; "" where it did not."""
    job = _JOBS.get(run)
    return "" if job is None else job.problem


def _enter(store: Store, request: TableRequest, sets: dict[str, Rows]) -> str:
    chosen = {name: sets[name] for name in request.datasets}
    return store.plan(protocol(request.paper, request.table), chosen, planned(request, sets), request.to_json())


def _carried_out(run: str, request: TableRequest, report: Report) -> Iterator[RunStanding]:
    """Have a process work on it until it ends, and see to it that it ends when the job is to; yields how far it came.

    A ValueError has the last words of one that ended by a fault.
    """
    process = _process(request)
    try:
        with Store(store_path()) as store:
            while process.poll() is None:
                standing = store.standing(run)
                report(standing.done + standing.failed, standing.total)
                heed_stop()
                time.sleep(LOOK)
            yield store.standing(run)
    finally:
        if process.poll() is None:
            _end(process, run)
    if process.returncode not in (0, 1):
        raise ValueError(_last_words())


def _end(process: subprocess.Popen[bytes], run: str) -> None:
    """Have it put down what it is at. One that has just begun plans first, and would take its run for a wanted one."""
    with Store(store_path()) as store:
        end = time.monotonic() + 2 * PATIENCE
        while process.poll() is None:
            store.cancel(run)
            if time.monotonic() > end:
                process.kill()  # its workers end after the cell that they are at
            time.sleep(LOOK)


def _last_words() -> str:
    """Return what the command said why it ended, without its name; else its last line."""
    lines = _log().read_text(encoding="utf-8", errors="replace").strip().splitlines() if _log().exists() else []
    said = [line.removeprefix(OURS) for line in lines if line.startswith(OURS)]
    return (said or lines or ["It ended without a word."])[-1]


def _process(request: TableRequest) -> subprocess.Popen[bytes]:
    """The command itself: it goes on when this server is killed, and could have been typed as well."""
    command = [sys.executable, "-m", "mdcore", "tables", "--store", str(store_path()), "--jobs", str(THREADS)]
    command += ["--paper", request.paper, "--table", str(request.table)]
    command += ["--datasets", ",".join(request.datasets), "--methods", ",".join(request.methods)]
    if request.splits is not None:
        command += ["--splits", str(request.splits)]
    if cluster_address():
        command += ["--dask", cluster_address()]
    with _log().open("wb") as log:
        made = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True)
    psutil.Process(made.pid).nice(POLITE)
    return made


def _log() -> Path:
    return store_path().with_suffix(".log")
