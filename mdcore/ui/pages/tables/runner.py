"""Runs of tables on this server: processes of their own on one store, which every visitor watches. No Streamlit."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from mdcore.papers.cells import Cell, cells_of
from mdcore.papers.cost import Cost, cost_of
from mdcore.papers.protocol import protocol
from mdcore.papers.report import Request
from mdcore.papers.sets import Rows
from mdcore.papers.store import Store
from mdcore.ui.shared.engine import cluster_address

VARIABLE = "MARGIN_LAB_STORE"
DEFAULT = Path("~/.cache/margin-lab/tables.db")
JOBS = max(1, (os.cpu_count() or 2) - 1)  # one processor is for the pages
POLITE = 10  # niceness: whoever drags a slider goes first

_LOCK = threading.Lock()
_RUNNERS: dict[str, subprocess.Popen[bytes]] = {}  # by run, those that this server has started


@dataclass(frozen=True)
class UnderWay:
    """A run that somebody works on."""

    run: str
    request: Request
    begun: float


def store_path() -> Path:
    """Return the server's store; its folder is made where it is not there."""
    path = Path(os.environ.get(VARIABLE) or DEFAULT).expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def planned(request: Request, sets: dict[str, Rows]) -> list[Cell]:
    chosen = {name: sets[name] for name in request.datasets}
    return cells_of(protocol(request.paper, request.table), chosen, request.methods, request.splits)


def price(request: Request, sets: dict[str, Rows]) -> Cost:
    """Return what is left to compute of a request, before it is begun."""
    with Store(store_path()) as store:
        return cost_of(store, planned(request, sets))


def under_way() -> UnderWay | None:
    """Return the run that is worked on now, by this server or by anybody on the same store."""
    with Store(store_path()) as store:
        rows = store.rows(
            "SELECT id, request, begun, EXISTS (SELECT 1 FROM run_cell JOIN cell ON cell.id = cell WHERE run = run.id "
            "AND state = 'leased' AND lease > ?) AS busy FROM run WHERE NOT cancelled ORDER BY begun DESC",
            time.time(),
        )
    for row in rows:
        own = _RUNNERS.get(row["id"])
        if row["busy"] or (own is not None and own.poll() is None):
            return UnderWay(row["id"], Request.from_json(row["request"]), row["begun"])
    return None


def start(request: Request, sets: dict[str, Rows]) -> str:
    """Plan, and begin where nobody works on another run; a ValueError says who does."""
    table = protocol(request.paper, request.table)
    with _LOCK:
        now = under_way()
        chosen = {name: sets[name] for name in request.datasets}
        with Store(store_path()) as store:
            run = store.plan(table, chosen, planned(request, sets), request.to_json())
        if now is not None and now.run != run:
            raise ValueError(f"{_named(now.request)} is under way. Wait for its end, or cancel it.")
        if now is None:
            _RUNNERS[run] = _process(request)
    return run


def cancel(run: str) -> None:
    """For everybody who watches it; what is done is kept."""
    with Store(store_path()) as store:
        store.cancel(run)


def last_words(run: str) -> str:
    """Return what a runner of this server said when it ended by a fault; "" where there was none."""
    own = _RUNNERS.get(run)
    if own is None or own.poll() in (None, 0, 1):
        return ""
    lines = _log().read_text(encoding="utf-8", errors="replace").strip().splitlines() if _log().exists() else []
    return lines[-1] if lines else "It ended without a word."


def _process(request: Request) -> subprocess.Popen[bytes]:
    """The command itself: it goes on when this server ends, and could have been typed as well."""
    command = [sys.executable, "-m", "mdcore", "tables", "--store", str(store_path()), "--jobs", str(JOBS)]
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


def _named(request: Request) -> str:
    return f"{protocol(request.paper, request.table).name} on {', '.join(request.datasets)}"
