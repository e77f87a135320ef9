"""The layout of the Sensitivity page: the controls, the job, and the picture of the points computed so far."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mdcore.basics.text import duration
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import Iterate, counted, paced
from mdcore.serving.jobs.settings import cluster_address
from mdcore.sweep import PointResult, Sweep, SweepTable, points, points_once
from mdcore.sweep.on_cluster import points_on
from mdcore.sweep.plan import cost_sequence
from mdcore.ui.frame import trim_top_padding
from mdcore.ui.pages.sensitivity.address import JOB, given, memory, remember
from mdcore.ui.pages.sensitivity.choose import choose_experiment, choose_sweep
from mdcore.ui.pages.sensitivity.pictures import draw, take_away
from mdcore.ui.shared.following import follow, job_on, offer_restart, show_course

NARROW = """<style>@media (max-width: 640px) {
  .stMainBlockContainer .stColumn { flex: 1 1 calc(50% - 1rem); min-width: calc(50% - 1rem); }
  .stMainBlockContainer .stColumn:not(:has(.stElementContainer)) { display: none; }
  .js-plotly-plot .modebar { display: none; }
}</style>"""  # short inputs side by side, so that the picture stays on a phone's screen; no buttons on its title


MAX_AUTOMATIC_FITS = 2000  # fits up to which a sweep is computed at once; a larger one starts with a preview
PREVIEW_POINTS = 81  # points of a preview: 9 × 9
LONG = 120.0  # seconds from which ways to shorten the sweep are shown


def sensitivity_page() -> None:
    trim_top_padding()
    st.html(NARROW)
    now, view = given()
    top = st.container()  # the picture is above its controls
    try:
        chosen = choose_sweep(choose_experiment(now), view, top)
        needs = 0.0 if cluster_address() else chosen.sweep.experiment.bytes
    except ValueError as error:
        st.error(str(error))
        return
    remember(chosen)
    if memory().refused:
        st.error(memory().refused)
    sweep = _shown(chosen.sweep)
    shown = replace(chosen, sweep=sweep)
    job = job_on(sweep, JOB, _computed(sweep, preview=sweep != chosen.sweep), needs=needs)

    def picture(running: bool) -> None:
        _progress(job, running)
        if sweep != chosen.sweep:
            _offer_whole(job, sweep, chosen.sweep)
        look = memory().look if sweep == memory().whole else None
        table = look.refined(sweep, job.items) if look else SweepTable(sweep, job.items)
        draw(table, shown, running, look)
        if table.complete and not table.problems():
            take_away(table, shown)

    with top:
        follow(job, picture)


def _shown(asked: Sweep) -> Sweep:
    """Return the sweep to compute: a coarser preview of a large sweep, until all points are requested."""
    return asked if asked.size <= MAX_AUTOMATIC_FITS or asked == memory().whole else asked.preview(PREVIEW_POINTS)


def _offer_whole(job: Job[PointResult], shown: Sweep, asked: Sweep) -> None:
    """Show the size of the preview and of the whole sweep with its estimated duration, and a button that requests
    it."""
    pace = job.seconds_a_step
    time = f", about {duration(pace * asked.size)}" if pace else ""
    repeats = f", 1 of {asked.repeats} repeats" if asked.repeats > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Compute all points",
            icon=":material/grid_on:",
            help="You can choose fewer points or repeats below the picture to save time.",
        ):
            memory().whole, memory().look = asked, SweepTable(shown, job.items)
            st.rerun()
        seen = f"A first look: {_grid(shown)} of {_grid(asked)} points{repeats}."
        st.caption(f"{seen} All of them take {asked.size:,} fits{time}.")


def _grid(sweep: Sweep) -> str:
    return " × ".join(map(str, sweep.shape))


def _computed(sweep: Sweep, preview: bool) -> Iterate[PointResult]:
    """Return the work of a sweep; that of a preview is always done, because its time is the estimate for the whole."""
    address = cluster_address()
    if address:
        return counted(sweep.size, lambda: points_on(address, sweep))
    return paced(lambda: cost_sequence(sweep), lambda: (points if preview else points_once)(sweep))


def _progress(job: Job[PointResult], running: bool) -> None:
    show_course(JOB, running, "fits")
    if running and (job.seconds_left or 0.0) > LONG:
        st.caption("To shorten it: fewer points, fewer repeats, fewer methods, or fewer rows.")
    offer_restart(JOB, "fits")
