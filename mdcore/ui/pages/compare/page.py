"""Layout and course of the page: choose, run, watch, look."""

from __future__ import annotations

from urllib.parse import parse_qsl

import streamlit as st

from mdcore.query import METHOD_LIMIT
from mdcore.study import Comparison, Plan
from mdcore.ui.frame import close_up
from mdcore.ui.own_table.reading import choose_table
from mdcore.ui.pages.compare.ask import key_of
from mdcore.ui.pages.compare.choose import catalogue_sample, choose_plan, left_out, table_sample, work_of
from mdcore.ui.pages.compare.job import ComparisonJob
from mdcore.ui.pages.compare.sample import Sample
from mdcore.ui.pages.compare.sections import SECTIONS, score_table, short_text
from mdcore.ui.pages.compare.state import (
    CATALOGUE,
    OWN,
    WHERE,
    address_of,
    from_stage_button,
    stage_query,
    start_from_link_or_stage,
)
from mdcore.ui.shared.following import begin, follow, job_at, show_progress
from mdcore.ui.shared.page_address import show_address
from mdcore.ui.shared.session import PLAYGROUND
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.sessions import visitor

JOB = key_of("job")
PROBLEM = key_of("problem")


def compare_page() -> None:
    close_up()
    start_from_link_or_stage()
    st.title("Compare")
    st.caption("Methods side by side on repeated splits of the same data, every step fitted on training rows alone.")
    try:
        sample = _choose_sample()
        plan = choose_plan(sample) if sample is not None else None
    except ValueError as error:
        st.error(plain(str(error)))
        sample = plan = None
    _remember(sample, plan)
    _run_bar(sample, plan)
    job: ComparisonJob | None = job_at(JOB)
    if job is None:
        if plan is not None:
            st.info("Press Compare: scores, paired tests, margin curves and single rows appear here as they come.")
        return
    st.divider()
    if job.running:
        follow(job, lambda running: _so_far(job))
    else:
        _results(job, changed=sample is not None and plan is not None and not _same(job, sample, plan))


def _choose_sample() -> Sample | None:
    st.session_state.setdefault(WHERE, CATALOGUE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        where = st.segmented_control(
            "Data",
            [CATALOGUE, OWN],
            required=True,
            key=WHERE,
            help="Your own data stay in this session: they are neither stored nor seen by anyone else.",
            persist_state="session",
        )
        from_stage_button()
    sample = table_sample(choose_table) if where == OWN else catalogue_sample()
    if sample is not None:
        counts = ", ".join(f"{plain(label)}: {count:,}" for label, count in sample.classes)
        st.caption(
            f"{plain(sample.note)} {len(sample.data.y):,} rows, {sample.data.X.shape[1]} columns. Classes: {counts}."
        )
        if left_out(sample):
            st.caption("What was edited by hand on the stage is left out: your table is compared as it is.")
    return sample


def _remember(sample: Sample | None, plan: Plan | None) -> None:
    """Keep the address that of what is chosen, or empty where the data are one's own."""
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
            help="What was computed before with the same data, splits and parameters is kept.",
        )
        if sample is not None and plan is not None:
            st.caption(work_of(sample, plan), width="stretch")
    if PROBLEM in st.session_state:
        st.error(plain(st.session_state[PROBLEM]))


def _start(sample: Sample, plan: Plan) -> None:
    earlier: ComparisonJob | None = job_at(JOB)
    st.session_state.pop(PROBLEM, None)
    try:
        begin(JOB, lambda: ComparisonJob(sample, plan, earlier.comparison if earlier else None, visitor()))
    except ValueError as error:
        st.session_state[PROBLEM] = str(error)


def _so_far(job: ComparisonJob) -> None:
    show_progress(JOB, "fits")
    comparison = job.comparison
    if comparison.outcomes:
        score_table(comparison)


def _results(job: ComparisonJob, *, changed: bool) -> None:
    comparison = job.comparison
    if job.problem:
        st.error(plain(f"{job.problem} What was done is below."))
    elif job.cancelled and not comparison.complete:
        done = len(comparison.outcomes)
        st.warning(
            f"Stopped after {done} of {len(comparison.keys) * job.plan.repeats} results. Compare goes on from there."
        )
    if changed:
        st.info(f"The choices above have changed. These are the results of {plain(job.sample.title)} as it was run.")
    if not comparison.keys_done:
        if comparison.outcomes:
            score_table(comparison)
        else:
            st.info("Nothing was finished. Press Compare to begin again.")
        return
    st.markdown(f"**{plain(job.sample.title)}**: {short_text(comparison)}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.session_state.setdefault(key_of("section"), "Scores")
        section = st.segmented_control(
            "Results",
            list(SECTIONS),
            required=True,
            key=key_of("section"),
            help="Scores; paired tests; margin distributions; single rows; pictures of single models; files to keep.",
            persist_state="session",
            wrap=True,
        )
        _stage_button(job, comparison)
    SECTIONS[str(section)](job, comparison)


def _stage_button(job: ComparisonJob, comparison: Comparison) -> None:
    """The first split is the one that the stage draws: there, the same model stands in a live picture."""
    params = {
        key: {name: result.params[name] for name, _ in job.plan.candidate(key).params}
        for key in comparison.keys
        for result in comparison.of(key)[:1]
    }
    query = stage_query(job.sample, job.plan, params)
    clicked = st.button(
        "Open on the stage",
        icon=":material/open_in_new:",
        help=f"The first split with its parameters, live; the first {METHOD_LIMIT} methods.{_of_how_many(job.sample)}",
    )
    if clicked:
        st.switch_page(PLAYGROUND, query_params=parse_qsl(query))


def _of_how_many(sample: Sample) -> str:
    """Of a large table the stage draws a sample."""
    n = dict(sample.experiment.data.options).get("n") if sample.own else None
    return f" Of your {len(sample.data.y):,} rows it draws a sample of {n:,}, split by itself." if n else ""


def _same(job: ComparisonJob, sample: Sample, plan: Plan) -> bool:
    return job.plan == plan and job.sample.facts == sample.facts and job.sample.code == sample.code
