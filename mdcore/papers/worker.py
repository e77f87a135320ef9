"""A process that works on the cells of a run until there are none: `python -m mdcore.papers.worker STORE RUN`.

It claims, computes and stores by itself. Killed, it leaves one leased cell behind; when the process that started it is
killed, it finishes what it is at, and ends.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

import psutil

from mdcore.papers.code import CodeChanged, check_code
from mdcore.papers.database import StoreProblem
from mdcore.papers.sets import check_fingerprint, rows_of
from mdcore.papers.store import LEASE, Claim, Store
from mdcore.papers.trial import CellOutcome, Task, compute
from mdcore.solvers.budget import Stopped, stoppable

STORE_FAILED, CODE_CHANGED = 3, 4  # exit statuses


def main(argv: Sequence[str]) -> int:
    path, run = argv
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for whoever started this process, who will say what to do
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    owner, parent = owner_name(os.getpid()), os.getppid()
    ended = threading.Event()
    threading.Thread(target=_live, args=(path, owner, ended), daemon=True).start()
    try:
        with Store(path) as store, stoppable(stop.is_set):
            while not stop.is_set() and os.getppid() == parent and not store.standing(run).cancelled:
                claim = store.claim(run, owner)
                if claim is None:
                    break
                work(store, claim, owner)
    except StoreProblem as problem:  # for whoever started this process, who says it once
        print(problem)
        return STORE_FAILED
    except CodeChanged:  # which is said by whoever started it, too
        return CODE_CHANGED
    finally:
        ended.set()
    return 0


def work(store: Store, claim: Claim, owner: str) -> None:
    try:
        check_code(claim.task, claim.code)
        outcome = outcome_of(claim.task, claim.fingerprint)
    except CodeChanged:
        store.give_back(owner)
        raise
    except Stopped:
        store.give_back(owner)
    except ValueError as error:
        store.fail(claim.id, str(error), owner)
    else:
        store.finish(claim.id, outcome)


def outcome_of(task: Task, fingerprint: str) -> CellOutcome:
    """Computed on the data that the cell was planned for; a ValueError where they are no longer the same."""
    rows = rows_of(task.protocol.set(task.dataset))
    check_fingerprint(rows, fingerprint)
    return compute(task, rows)


def owner_name(pid: int) -> str:
    """Of a process on this machine, and of no later one with its number."""
    return f"{socket.gethostname()}/{pid}/{psutil.Process(pid).create_time():.2f}"


def pid_of(owner: str) -> int:
    return int(owner.rsplit("/", 2)[1])


def has_died(owner: str) -> bool:
    """Return whether it is known that a process has ended; of other machines nothing is known."""
    if owner.rsplit("/", 2)[0] != socket.gethostname():
        return False
    pid = pid_of(owner)
    try:
        return owner_name(pid) != owner or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _live(path: str, owner: str, ended: threading.Event) -> None:
    """Say every now and then that the cell at hand is not forgotten."""
    with Store(path) as store:
        while not ended.wait(LEASE / 3):
            with suppress(StoreProblem):  # the next sign of life may get through
                store.renew(owner)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
