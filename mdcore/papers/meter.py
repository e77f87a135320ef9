"""A progress display for a run: one updated line on a terminal, occasional lines when the output goes to a file."""

from __future__ import annotations

import time
from typing import TextIO

from mdcore.basics.text import duration
from mdcore.papers.cost import cost_left
from mdcore.papers.store import RunStanding, Store

TERMINAL_INTERVAL = 1.0  # seconds between two updates on a terminal
FILE_INTERVAL = 30.0  # seconds between two lines in a file


class Meter:
    """A callback that prints the progress at most every TERMINAL_INTERVAL or FILE_INTERVAL seconds."""

    def __init__(self, store: Store, run: str, out: TextIO) -> None:
        self._store, self._run, self._out = store, run, out
        self._live = out.isatty()
        self._printed_at = float("-inf")

    def __call__(self, standing: RunStanding) -> None:
        now = time.monotonic()
        if now - self._printed_at < (TERMINAL_INTERVAL if self._live else FILE_INTERVAL) and standing.left:
            return
        self._printed_at = now
        text = f"{standing.done} of {standing.total} cells{self._failed(standing)}{self._time_left(standing)}"
        print(f"\r{text:<78}" if self._live else text, end="" if self._live else "\n", file=self._out, flush=True)

    def end(self) -> None:
        if self._live:
            print(file=self._out, flush=True)

    def _failed(self, standing: RunStanding) -> str:
        return f", {standing.failed} failed" if standing.failed else ""

    def _time_left(self, standing: RunStanding) -> str:
        """Return the estimated time left: the seconds of the remaining cells, divided by the number of cells in
        progress."""
        if not standing.left:
            return ""
        seconds = cost_left(self._store, self._run).seconds
        if seconds is None:
            return ", time left unknown so far"
        return f", about {duration(seconds / max(1, standing.leased))} left"
