"""A worker process that computes the cells of a run until none is left: `python -m mdcore.papers.worker STORE RUN`.

It claims, computes and stores on its own. If it is killed, one leased cell remains. If its parent is killed, it
finishes its current cell and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mdcore.methods import METHODS
from mdcore.methods.tiny import fit_tiny
from mdcore.papers.code import CodeChanged, check_code
from mdcore.papers.evaluation import CellOutcome, Task, compute
from mdcore.papers.owners import owning
from mdcore.papers.sets import check_fingerprint, rows_of
from mdcore.papers.store import Claim, Store
from mdcore.papers.store_file import StoreProblem
from mdcore.solvers.budget import Stopped, stoppable

ENDS_THE_RUN = 3  # the exit status if every other worker would end for the same reason, which is printed


def main(argv: Sequence[str]) -> int:
    path, run = argv
    stop, parent = threading.Event(), os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the parent process, which stops this one
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        with owning(Path(path)) as owner, Store(path) as store, stoppable(stop.is_set):
            while not stop.is_set() and os.getppid() == parent and not store.standing(run).cancelled:
                claim = store.claim(run, owner)
                if claim is None:
                    break
                try:
                    store.record(claim, attempt(claim), owner)
                except (CodeChanged, Stopped):
                    store.release(owner)
                    raise
    except Stopped:
        pass
    except (StoreProblem, CodeChanged) as problem:
        print(problem)
        return ENDS_THE_RUN
    return 0


def attempt(claim: Claim) -> CellOutcome | str:
    """Return the outcome of a cell, or the reason why there is none.

    Raise CodeChanged if the cell was planned for other code.
    """
    check_code(claim.task, claim.code)
    _compile(claim.task.protocol.method(claim.task.method).estimator, claim.task.protocol.kernel)
    try:
        return outcome_of(claim.task, claim.fingerprint)
    except ValueError as error:
        return str(error)


def outcome_of(task: Task, fingerprint: str) -> CellOutcome:
    """Compute a task on the data that its cell was planned for. Raise ValueError if the data have changed."""
    rows = rows_of(task.protocol.set(task.dataset))
    check_fingerprint(rows, fingerprint)
    return compute(task, rows)


@cache
def _compile(estimator: str, kernel: str) -> None:
    """Fit a method once, so that no measured time contains a compilation."""
    if estimator in METHODS:
        fit_tiny([METHODS[estimator]], kernel)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
