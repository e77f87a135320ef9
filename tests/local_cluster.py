"""A dask cluster on this machine: a scheduler and two worker processes, started as from a shell."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import psutil

from tests.waiting import PATIENCE


@contextmanager
def local_cluster(place: Path) -> Iterator[tuple[str, list[psutil.Popen]]]:
    """Yield the address of the scheduler, and the workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"

    def start(*arguments: str) -> psutil.Popen:
        log = (place / f"{arguments[0]}.log").open("a")
        return psutil.Popen([sys.executable, "-m", *arguments], stdout=log, stderr=log, env=os.environ)

    scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(place))
    workers = [start("distributed.cli.dask_worker", address, *options) for _ in range(2)]
    try:
        from distributed import Client

        with Client(address, timeout=PATIENCE, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        with patch("mdcore.cluster.CONNECT_TIMEOUT", PATIENCE):
            yield address, workers
    finally:
        for process in (*workers, scheduler):
            if process.is_running():
                process.kill()
            process.wait()
