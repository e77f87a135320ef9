"""Owners of cells: processes that compute, known by a name, alive as long as they renew their leases."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from mdcore.papers.store import LEASE, Store
from mdcore.papers.store_file import StoreProblem


@contextmanager
def owning(path: Path) -> Iterator[str]:
    """Yield the name of this process, and renew the leases of its cells meanwhile."""
    owner, ended = owner_name(os.getpid()), threading.Event()

    def renew() -> None:
        with Store(path) as store:
            while not ended.wait(LEASE / 3):
                with suppress(StoreProblem):  # the next renewal may succeed
                    store.renew(owner)

    threading.Thread(target=renew, daemon=True).start()
    try:
        yield owner
    finally:
        ended.set()


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
