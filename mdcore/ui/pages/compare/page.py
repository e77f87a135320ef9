"""The layout of the Compare page: form, progress, results."""

from __future__ import annotations

from urllib.parse import parse_qsl

import streamlit as st

from mdcore.query import METHOD_LIMIT
from mdcore.study import Comparison, Plan, sentence
from mdcore.text import count, label_text
from mdcore.ui.frame import trim_top_padding
from mdcore.ui.own_table.reading import choose_table
from mdcore.ui.pages.compare.choose import catalogue_sample, choose_plan, left_out, table_sample, work_of
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.duration import end_estimate, show_estimate, split_seconds
from mdcore.ui.pages.compare.job import ComparisonJob
from mdcore.ui.pages.compare.sample import Sample
from mdcore.ui.pages.compare.sections import SECTIONS, score_table, show_headline
from mdcore.ui.pages.compare.state import (
    CATALOGUE,
    OWN,
    WHERE,
    address_of,
    from_stage_button,
    memory,
    stage_query,
    start_from_link_or_stage,
)
from mdcore.ui.shared.exporting import export_menu
from mdcore.ui.shared.following import begin, follow, job_at, show_progress
from mdcore.ui.shared.session import PLAYGROUND
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.page_address import show_address
from mdcore.ui.workarounds.sessions import visitor

JOB = CONTROLS.key("job")


def compare_page() -> None:
    """Draw the form at the left and the results at the right."""
    trim_top_padding()
    start_from_link_or_stage()
    form, answer = st.columns([9, 16], gap="medium")
    with form:
        sample, plan = _choose()
    _remember(sample, plan)
    with answer:
        job: ComparisonJob | None = job_at(JOB)
        changed = _has_changed(job, sample, plan)
        _answer(job, changed)
        _run_bar(sample, plan)
        if job is not None and not job.running:
            _results(job, changed)


def _choose() -> tuple[Sample | None, Plan | None]:
    """Return the chosen data and plan; show the error if they are invalid."""
    try:
        sample = _choose_sample()
        return sample, None if sample is None else choose_plan(sample)
    except ValueError as error:
        st.error(plain(str(error)))
        return None, None


def _answer(job: ComparisonJob | None, changed: bool) -> None:
    """Draw the headline and the most important warnings; `changed` means that the choices are no longer the job's."""
    if job is None:
        show_headline(None)
    elif job.running:
        follow(job, lambda running: _so_far(job, changed))
    else:
        show_headline(job.comparison)
        for note in job.notes:
            if note.prominent:
                st.warning(plain(sentence(note)))


def _choose_sample() -> Sample | None:
    st.session_state.setdefault(WHERE, CATALOGUE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        where = st.segmented_control(
            "Data",
            [CATALOGUE, OWN],
            required=True,
            key=WHERE,
            help="Your own data stay in this session's memory: they are not stored, and nobody else can see them.",
            persist_state="session",
        )
        from_stage_button()
    sample = table_sample(choose_table) if where == OWN else catalogue_sample()
    if sample is not None:
        counts = ", ".join(f"{plain(label_text(label))}: {number:,}" for label, number in sample.classes)
        size = f"{count(len(sample.data.y), 'row')}, {count(sample.data.X.shape[1], 'column')}"
        st.caption(f"{plain(sample.note)} {size}. Classes: {counts}.")
        if left_out(sample):
            st.caption("Edits made on the stage are left out: your table is compared as it is.")
    return sample


def _remember(sample: Sample | None, plan: Plan | None) -> None:
    """Set the page's URL to the current choices; to an empty query if the table has no address."""
    own = st.session_state[WHERE] == OWN
    if own or (sample is not None and plan is not None):
        query = "" if sample is None or plan is None else address_of(sample, plan)
        show_address("compare", query, step=False)


def _run_bar(sample: Sample | None, plan: Plan | None) -> None:
    job: ComparisonJob | None = job_at(JOB)
    running = job is not None and job.running
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Compare",
            type="primary",
            icon=":material/play_arrow:",
            disabled=running or plan is None,
            on_click=_start,
            args=(sample, plan),
            help="Results already computed with the same data, splits and parameters are reused.",
        )
        if sample is not None and plan is not None:
            with st.container(gap=None, width="stretch"):
                st.caption(work_of(sample, plan))
                if not running:
                    show_estimate(sample, plan)
    if memory().problem:
        st.error(plain(memory().problem))


def _start(sample: Sample | None, plan: Plan | None) -> None:
    if sample is None or plan is None:  # pressed just before the button was disabled
        return
    before: ComparisonJob | None = job_at(JOB)
    earlier, known = before.comparison if before else None, split_seconds(sample, plan)
    memory().problem = ""
    end_estimate()
    try:
        begin(JOB, lambda: ComparisonJob(sample, plan, earlier, visitor(), known))
    except ValueError as error:
        memory().problem = str(error)


def _so_far(job: ComparisonJob, changed: bool) -> None:
    comparison = job.comparison
    if changed:
        st.info(
            f"Your choices have changed. The earlier comparison, on {plain(job.sample.title)}, still runs: cancel it "
            "to compare what you have chosen now."
        )
    if comparison.keys_done:
        show_headline(comparison)
    show_progress(JOB, "fits", at_work="" if job.share < 1 else "Looking for leaks and drift")
    if comparison.outcomes:
        score_table(comparison)


def _results(job: ComparisonJob, changed: bool) -> None:
    comparison = job.comparison
    if job.problem:
        st.error(plain(f"{job.problem} The results so far are below."))
    elif job.cancelled and comparison.outcomes and not comparison.complete:
        done = len(comparison.outcomes)
        st.warning(
            f"Stopped after {done} of {len(comparison.keys) * job.plan.repeats} results. Press Compare to continue."
        )
    if changed:
        st.info(f"Your choices have changed. These results are from the earlier run on {plain(job.sample.title)}.")
    if not comparison.keys_done:
        if comparison.outcomes:
            score_table(comparison)
        else:
            st.info("Nothing was finished. Press Compare to start again.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.session_state.setdefault(CONTROLS.key("section"), next(iter(SECTIONS)))
        section = st.segmented_control(
            "Results",
            list(SECTIONS),
            required=True,
            key=CONTROLS.key("section"),
            help="Scores; tests, leaks and drift; margins, rows and pictures; files to keep.",
            persist_state="session",
            wrap=True,
        )
        _stage_button(job, comparison)
        export_menu("comparison", (), "Files of the comparison are under Take it away.")
    SECTIONS[str(section)](job, comparison)


def _stage_button(job: ComparisonJob, comparison: Comparison) -> None:
    """Draw the button that opens the first split on the stage, where the same model is drawn live."""
    params = {
        key: {name: result.params[name] for name, _ in job.plan.candidate(key).params}
        for key in comparison.with_margins
        for result in comparison.of(key)[:1]
    }
    if not params:
        return
    query = stage_query(job.sample, job.plan, params)
    clicked = st.button(
        "Open on the stage",
        icon=":material/open_in_new:",
        help=f"The first split with its parameters, live; the first {METHOD_LIMIT} methods.{_of_how_many(job.sample)}"
        f"{' It gives every row the same weight.' if job.plan.balanced else ''}",
    )
    if clicked:
        st.switch_page(PLAYGROUND, query_params=parse_qsl(query))


def _of_how_many(sample: Sample) -> str:
    """Return a note that the stage draws a sample of a large table, or ""."""
    n = dict(sample.experiment.data.options).get("n") if sample.own else None
    return f" It draws a sample of {n:,} of your {len(sample.data.y):,} rows, with its own split." if n else ""


def _has_changed(job: ComparisonJob | None, sample: Sample | None, plan: Plan | None) -> bool:
    """Return whether something else than the job's comparison is chosen."""
    if job is None or sample is None or plan is None:
        return False
    return (job.plan, job.sample.facts, job.sample.code) != (plan, sample.facts, sample.code)
