"""A part of a page that follows a job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mdcore.ui.jobs import Job

REFRESH = 0.5  # seconds between two looks


def watch(job: Job[Any] | None, draw: Callable[[bool], None]) -> None:
    """Draws, and is told whether the job is running: again and again while it is, and once when it has ended."""
    begun_running = job is not None and job.running

    @st.fragment(run_every=REFRESH if begun_running else None)
    def part() -> None:
        running = job is not None and job.running
        draw(running)
        if begun_running and not running:
            st.rerun()

    part()
