"""The estimated duration of a comparison, and ways to shorten it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import streamlit as st

from mdcore.basics.memory import free_memory
from mdcore.basics.text import duration
from mdcore.serving.comparisons.address import EQUAL, PAPERS, PARAMETERS
from mdcore.serving.comparisons.sample import Sample
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import THREADS
from mdcore.serving.jobs.progress import Progress
from mdcore.study import Data, Plan
from mdcore.study.run import SplitSeconds
from mdcore.study.time_and_memory import Estimate, estimate, memory_of_estimate
from mdcore.ui.pages.compare.choose import tune_equally
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.shared.following import Slot, follow, forget, job_at, job_on
from mdcore.ui.shared.words import plain

PLACE = Slot[Job[Estimate]](CONTROLS.key("estimate"))
LONG = 120.0  # seconds from which shorter alternatives are offered


def show_estimate(sample: Sample, plan: Plan) -> None:
    """Show the estimate, which small fits in the background provide."""
    subject, work = (sample.facts, sample.code, plan), partial(_estimate, sample.data, plan)
    job = job_on(subject, PLACE, work, needs=memory_of_estimate())
    follow(job, lambda running: _show(job, plan))


def split_seconds(sample: Sample, plan: Plan) -> SplitSeconds | None:
    """Return the estimated durations of the splits of this very comparison; None until they are known."""
    job = job_at(PLACE)
    known = job is not None and job.subject == (sample.facts, sample.code, plan) and bool(job.items)
    return job.items[0].splits if job is not None and known else None


def end_estimate() -> None:
    """Cancel an estimate under way: of each visitor one job runs at a time, so a comparison would wait for it."""
    job = job_at(PLACE)
    if job is not None and job.running:
        job.cancel()
        forget(PLACE)


def _estimate(data: Data, plan: Plan, progress: Progress) -> Iterator[Estimate]:
    yield estimate(data, plan, THREADS)


def _show(job: Job[Estimate], plan: Plan) -> None:
    if not job.items:
        st.caption(plain(job.problem) if job.problem else "Estimating the duration.")
        return
    found = job.items[0]
    st.caption(f"About {duration(found.seconds)}, {max(1.0, found.bytes / 2**20):,.0f} MiB at most.")
    if found.bytes > free_memory():
        st.warning("That is more memory than is free: set fewer exact rows, under Large data.")
    if found.seconds > LONG:
        _offer_less(plan)


def _offer_less(plan: Plan) -> None:
    ways = "fewer splits, fewer methods, or fewer exact rows (Large data)"
    if CONTROLS.value(PARAMETERS) == PAPERS:
        st.button(
            "Tune equally instead",
            icon=":material/compress:",
            on_click=tune_equally,
            help="The same few candidates for every method, in place of the papers' grids.",
        )
        ways = f"the same few candidates for every method, {ways}"
    elif CONTROLS.value(PARAMETERS) == EQUAL:
        ways = f"the default parameters, {ways}"
    st.caption(f"To shorten it: {ways}.")
