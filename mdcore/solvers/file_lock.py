"""A lock between processes: a file that one of them holds until it lets go or ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

PAUSE = 0.05  # seconds between two tries
TRIES = 1200  # after which nobody waits any longer: whoever holds it may have been put to sleep


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of this file; go on without it where it cannot be had."""
    with ExitStack() as held:
        with suppress(OSError):
            _wait_for(held.enter_context(path.open("wb")))
        yield


def _wait_for(file: IO[bytes]) -> None:
    if sys.platform == "win32":
        return
    for _ in range(TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        else:
            return
