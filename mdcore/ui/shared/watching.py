"""The job of a session on a subject, and the part of a page that follows it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

import streamlit as st

from mdcore.ui.shared.jobs import Job

T = TypeVar("T")

REFRESH = 0.5  # seconds between two looks


def job_on(subject: Hashable, place: str, total: int, iterate: Callable[[], Iterator[T]]) -> Job[T]:
    """The session's job at a place, if it is about this subject; else it ends and another begins."""
    job: Job[T] | None = st.session_state.get(place)
    if job is None or job.subject != subject:
        if job is not None:
            job.cancel()
        job = st.session_state[place] = Job(subject, total, iterate)
    return job


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
