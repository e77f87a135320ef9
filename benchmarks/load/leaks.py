"""Leaks after a hundred sessions: `python -m benchmarks.load.leaks`.

The server runs in this process, so that Python's allocations can be traced. One visitor of each kind warms it up; then
two cohorts connect, work and leave. After the session timeout, no session may be left, and the traced heap must be back
at its size after the warm-up.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import socket
import sys
import threading
import time
import tracemalloc

import psutil
from streamlit.runtime import Runtime
from streamlit.web import cli

from benchmarks.load.session import SCENARIOS, session
from mdcore.ui.workarounds.reaper import PERIOD
from tests.browser.server import free_port

KEPT = 5  # seconds during which a disconnected session may reconnect
CHANGES = 3
AT_ONCE = 5
MB = 2**20


async def visit(address: str, number: int, turn: asyncio.Semaphore) -> None:
    async with turn, session(address, number, SCENARIOS[number % len(SCENARIOS)]) as visitor:
        await visitor.open()
        for _ in range(CHANGES):
            await visitor.change()


async def cohort(address: str, sessions: int) -> None:
    turn = asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:
        for number in range(sessions):
            group.create_task(visit(address, number, turn))


def live() -> int:
    """Return the number of sessions that the server holds, connected or not."""
    manager = Runtime.instance()._session_mgr
    return len(manager.list_active_sessions()) + len(manager._session_storage._cache)  # type: ignore[attr-defined]


def heap() -> float:
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / MB


def watch(port: int, sessions: int) -> None:
    address = f"http://localhost:{port}"
    while not Runtime.exists() or not _answers(port):
        time.sleep(0.1)
    sizes = []
    for number in (len(SCENARIOS), sessions, sessions):
        asyncio.run(cohort(address, number))
        begun = time.monotonic()
        while live():
            time.sleep(0.2)
        gone = time.monotonic() - begun
        time.sleep(PERIOD + 1.0)  # until the server has noticed that no session is left
        sizes.append(heap())
        resident = psutil.Process().memory_info().rss / MB
        print(
            f"{number} sessions: all released {gone:.0f} s after the last one left; traced heap {sizes[-1]:.1f} MB, "
            f"resident {resident:.0f} MB",
            flush=True,
        )
    print(f"live sessions: {live()}; traced heap: {100 * (sizes[-1] / sizes[0] - 1):+.1f} %", flush=True)
    os._exit(0)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) == 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.load.leaks", description=__doc__)
    parser.add_argument("--sessions", type=int, default=100)
    chosen = parser.parse_args()
    port = free_port()
    tracemalloc.start()
    threading.Thread(target=watch, args=(port, chosen.sessions), daemon=True).start()
    given = ["--server.port", str(port), "--server.disconnectedSessionTTL", str(KEPT)]
    sys.argv = ["streamlit", "run", "app.py", *given]
    cli.main()


if __name__ == "__main__":
    main()
