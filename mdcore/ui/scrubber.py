"""The path scrubber on a page: computed in the background, drawn in the browser, kept as a file."""

from __future__ import annotations

import streamlit as st

from mdcore.methods import METHODS
from mdcore.sweep import Outcome, Sweep, axis_params, walk
from mdcore.sweep.plan import Place
from mdcore.ui.jobs import Job
from mdcore.ui.scrubber_export import scrubber_html
from mdcore.ui.scrubber_scene import pack_path

JOB = "scrubber job"
MESSAGE = "scrubber message"
REFRESH = 0.5

_SCRUBBER = st.components.v2.component("mdcore.scrubber", js="scrubber.js", isolate_styles=False)


def scrubber(sweep: Sweep) -> None:
    """The path of a sweep over one parameter, for its own seed."""
    job = _job(sweep)
    if job.running:
        _wait(job)
        return
    if job.problem:
        st.error(job.problem)
        return
    message = _message(sweep, job)
    _SCRUBBER(key="scrubber", data=message, height="content")
    names = ", ".join(METHODS[method].name for method in sweep.experiment.methods)
    symbol = axis_params(sweep.experiment)[sweep.axes[0].key].symbol
    st.download_button(
        "Keep as one HTML file",
        lambda: scrubber_html(message, f"Margin Lab: {names} along {symbol}"),
        "path.html",
        "text/html",
        help="Boundary, histogram and curves with their slider and play button; works without server and network.",
    )


def _job(sweep: Sweep) -> Job[tuple[Place, str, Outcome]]:
    subject = sweep.experiment, sweep.axes
    job: Job[tuple[Place, str, Outcome]] | None = st.session_state.get(JOB)
    if job is None or job.subject != subject:
        if job is not None:
            job.cancel()
        total = len(sweep.axes[0].values) * len(sweep.experiment.methods)
        job = st.session_state[JOB] = Job(subject, total, lambda: walk(sweep))
    return job


@st.fragment(run_every=REFRESH)
def _wait(job: Job[tuple[Place, str, Outcome]]) -> None:
    if not job.running:
        st.rerun()
    st.progress(job.share, "The path is computed ahead, each fit from the one before")


def _message(sweep: Sweep, job: Job[tuple[Place, str, Outcome]]) -> bytes:
    """Packed once for each path; the component is not sent what it has."""
    held = st.session_state.get(MESSAGE)
    if held is None or held[0] != job.subject:
        held = st.session_state[MESSAGE] = job.subject, pack_path(sweep, job.items)
    return bytes(held[1])
