"""The path scrubber on a page: computed in the background, drawn in the browser, saved as a file."""

from __future__ import annotations

import streamlit as st

from mdcore.methods import METHODS
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.serving.stage.scrubber_export import scrubber_html
from mdcore.serving.stage.scrubber_scene import pack_path
from mdcore.sweep import RunOrReason, Sweep, axis_params, walk
from mdcore.sweep.plan import Place
from mdcore.ui.shared.following import Slot, follow, job_on, offer_restart, show_course
from mdcore.ui.shared.session import cached_for
from mdcore.ui.workarounds.components import component

JOB = Slot[Job[tuple[Place, str, RunOrReason]]]("scrubber job")
MESSAGE = "scrubber message"


def scrubber(sweep: Sweep) -> None:
    """Draw the path of a sweep over one parameter, for the seed of its experiment."""
    total = len(sweep.axes[0].values) * len(sweep.experiment.methods)
    job = job_on((sweep.experiment, sweep.axes), JOB, counted(total, lambda: walk(sweep)), needs=sweep.experiment.bytes)
    follow(job, lambda running: show_course(JOB, running, "fits"))
    if job.running or job.problem or offer_restart(JOB, "fits"):
        return
    message = cached_for(MESSAGE, job.subject, lambda: pack_path(sweep, job.items))  # cached, and therefore sent once
    component("scrubber")(key="scrubber", data=message, height="content")
    names = ", ".join(METHODS[method].name for method in sweep.experiment.methods)
    symbol = axis_params(sweep.experiment)[sweep.axes[0].key].symbol
    st.download_button(
        "Save as one HTML file",
        lambda: scrubber_html(message, f"Margin Lab: {names} along {symbol}"),
        "path.html",
        "text/html",
        help="Boundary, histogram and curves with their slider and play button; works without a server or network.",
    )
