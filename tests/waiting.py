"""Waiting for conditions, with room for a machine that is busy with other work."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0  # seconds after which a condition counts as never met; no test measures time
PAUSE = 0.02  # seconds between two looks


def until(condition: Callable[[], object]) -> None:
    """Return as soon as the condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never became true"
        time.sleep(PAUSE)
