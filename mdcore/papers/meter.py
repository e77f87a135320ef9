"""The progress of a run in words: for the page, and for a terminal or a log file."""

from __future__ import annotations

import time
from typing import TextIO

from mdcore.basics.text import duration
from mdcore.papers.cost import cost_of
from mdcore.papers.run_plan import RunPlan
from mdcore.papers.store import RunStanding, Store

TERMINAL_INTERVAL = 1.0  # seconds between two updates on a terminal
FILE_INTERVAL = 30.0  # seconds between two lines in a file


def progress_text(store: Store, plan: RunPlan, standing: RunStanding) -> str:
    """Return the counts of cells, and the time left: the seconds of the remaining cells, divided by the number of cells
    in progress."""
    text = f"{standing.done:,} of {standing.total:,} cells"
    if standing.failed:
        text += f", {standing.failed:,} failed"
    if not standing.left:
        return text
    failed = store.in_state("failed")
    seconds = cost_of(store, (cell for cell in plan.cells if cell.id not in failed)).seconds
    if seconds is None:
        return f"{text}, time left unknown so far"
    return f"{text}, about {duration(seconds / max(1, standing.leased))} left"


class Meter:
    """A callback that prints the progress, updating one line on a terminal, else in a line now and then."""

    def __init__(self, store: Store, plan: RunPlan, out: TextIO) -> None:
        self._store, self._plan, self._out = store, plan, out
        self._live = out.isatty()
        self._printed_at = float("-inf")

    def __call__(self, standing: RunStanding) -> None:
        now = time.monotonic()
        if now - self._printed_at < (TERMINAL_INTERVAL if self._live else FILE_INTERVAL) and standing.left:
            return
        self._printed_at = now
        text = progress_text(self._store, self._plan, standing)
        print(f"\r{text:<78}" if self._live else text, end="" if self._live else "\n", file=self._out, flush=True)

    def end(self) -> None:
        if self._live:
            print(file=self._out, flush=True)
