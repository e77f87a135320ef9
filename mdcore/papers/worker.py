"""A worker process that computes the cells of a run until none is left: `python -m mdcore.papers.worker STORE RUN`.

It claims, computes and stores on its own. If it is killed, one leased cell remains. If its parent is killed, it
finishes its current cell and ends.
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
from mdcore.papers.evaluation import CellOutcome, Task, compute
from mdcore.papers.sets import check_fingerprint, rows_of
from mdcore.papers.store import LEASE, Claim, Store
from mdcore.papers.store_file import StoreProblem
from mdcore.solvers.budget import Stopped, stoppable

STORE_FAILED, CODE_CHANGED = 3, 4  # exit statuses


def main(argv: Sequence[str]) -> int:
    path, run = argv
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the parent process, which stops this one
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
    except StoreProblem as problem:  # the parent prints it, once for all workers
        print(problem)
        return STORE_FAILED
    except CodeChanged:  # also reported by the parent
        return CODE_CHANGED
    finally:
        ended.set()
    return 0


def work(store: Store, claim: Claim, owner: str) -> None:
    try:
        check_code(claim.task, claim.code)
        outcome = outcome_of(claim.task, claim.fingerprint)
    except CodeChanged:
        store.release(owner)
        raise
    except Stopped:
        store.release(owner)
    except ValueError as error:
        store.fail(claim.id, str(error), owner)
    else:
        store.finish(claim.id, outcome)


def outcome_of(task: Task, fingerprint: str) -> CellOutcome:
    """Compute a task on the data that its cell was planned for. Raise ValueError if the data have changed."""
    rows = rows_of(task.protocol.set(task.dataset))
    check_fingerprint(rows, fingerprint)
    return compute(task, rows)


def owner_name(pid: int) -> str:
    """Return a name for a process of this machine that a later process with the same number does not share."""
    return f"{socket.gethostname()}/{pid}/{psutil.Process(pid).create_time():.2f}"


def pid_of(owner: str) -> int:
    return int(owner.rsplit("/", 2)[1])


def has_died(owner: str) -> bool:
    """Return whether a process is known to have ended; always False for processes on other machines."""
    if owner.rsplit("/", 2)[0] != socket.gethostname():
        return False
    pid = pid_of(owner)
    try:
        return owner_name(pid) != owner or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _live(path: str, owner: str, ended: threading.Event) -> None:
    """Renew the lease of the current cell until `ended` is set."""
    with Store(path) as store:
        while not ended.wait(LEASE / 3):
            with suppress(StoreProblem):  # the next renewal may succeed
                store.renew(owner)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
