"""The jobs of a session, each stored under a key called its slot, and the fragment that follows one: progress, time
left and cancel button."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import streamlit as st

from mdcore.basics.text import duration
from mdcore.serving.jobs.job import REFRESH, Job
from mdcore.serving.jobs.pool import POOL
from mdcore.serving.jobs.progress import Iterate
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.sessions import is_connected, visitor

T = TypeVar("T")
J = TypeVar("J", bound=Job[Any])

POOL.is_present = is_connected


class Slot(str, Generic[J]):
    """The key under which a session stores its job of one type."""


def job_at(slot: Slot[J]) -> J | None:
    """Return the latest job in a slot, or None."""
    job: J | None = st.session_state.get(slot)
    return job


def begin(slot: Slot[J], job: Callable[[], J]) -> J:
    """Start a job in a slot, cancelling the job that was there."""
    before = job_at(slot)
    if before is not None:
        before.cancel()
    made = st.session_state[slot] = job()
    return made


def job_on(subject: Hashable, slot: Slot[Job[T]], iterate: Iterate[T], *, needs: float) -> Job[T]:
    """Return the job in a slot if its subject is the same; otherwise cancel it and start another."""
    job = job_at(slot)
    if job is None or job.subject != subject:
        job = begin(slot, lambda: Job(subject, iterate, visitor(), needs=needs))
    return job


def forget(slot: str) -> None:
    """Remove the job from a slot, so that the next call of `job_on` starts a new one."""
    st.session_state.pop(slot, None)


def follow(job: Job[Any] | None, draw: Callable[[bool], object]) -> None:
    """Call `draw(running)` repeatedly while the job runs, then rerun the whole page once."""
    begun_running = job is not None and job.running

    @st.fragment(run_every=REFRESH if begun_running else None)
    def part() -> None:
        running = job is not None and job.running
        draw(running)
        if begun_running and not running:
            st.rerun()

    part()


def show_progress(slot: Slot[J], unit: str, *, at_work: str = "", cancel: str = "Cancel") -> None:
    """Show progress, time left and a cancel button for the job in a slot; `unit` names its steps."""
    job = job_at(slot)
    assert job is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, f"{_state(job, unit, at_work)}. You can visit other pages meanwhile.")
        st.button(
            cancel, icon=":material/stop:", key=f"cancel {slot}", on_click=job.cancel, help="Results so far are kept."
        )


def show_course(slot: Slot[J], running: bool, unit: str, *, at_work: str = "", cancel: str = "Cancel") -> bool:
    """Show the progress of the job in a slot while it runs, and afterwards the reason if it failed; return whether it
    has ended otherwise."""
    job = job_at(slot)
    assert job is not None
    if running:
        show_progress(slot, unit, at_work=at_work, cancel=cancel)
    elif job.problem:
        st.error(plain(job.problem))
    return not running and not job.problem


def offer_restart(slot: Slot[J], unit: str) -> bool:
    """Return whether the job in a slot was cancelled by its visitor before its end; if so, say it and offer to start
    the job anew."""
    job = job_at(slot)
    assert job is not None
    if job.running or job.problem or not job.cancelled or job.share == 1.0:
        return False
    made, total = job.steps
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.warning(f"Cancelled after {made:,} of {total:,} {unit}." if total else "Cancelled before it began.")
    if button.button("Start again", key=f"restart {slot}", help="Computes everything from the beginning."):
        forget(slot)
        st.rerun()
    return True


def waiting_text(ahead: int, lacks_memory: bool, whose: str) -> str:
    """Return what a job waits for, and how many are `ahead` of it."""
    return f"Waiting for {'memory' if lacks_memory else 'a free place'}: {ahead} ahead of {whose}"


def _state(job: Job[Any], unit: str, at_work: str) -> str:
    made, total = job.steps
    left = job.seconds_left
    if job.waiting_for:
        return waiting_text(job.waiting_for, job.lacks_memory, "yours")
    if not total:
        return at_work or "Preparing"
    done = at_work or f"{made:,} of {total:,} {unit}"
    if left is None:
        return done
    if not job.is_late:
        return f"{done}, about {duration(left)} left"
    return f"{done}, more than {duration(left)} left" if left >= 1.0 else f"{done}, longer than estimated"
