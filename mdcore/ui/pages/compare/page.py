"""The layout of the Compare page: the answer at the top, the form at the left, the leaderboard and its questions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import parse_qsl

import streamlit as st

from mdcore.basics.text import count, label_text, listed
from mdcore.experiment.query import METHOD_LIMIT
from mdcore.methods.one_versus_rest import PAIRS
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.comparisons.sample import Sample
from mdcore.study import LEARNERS, Comparison, Plan
from mdcore.study.search import WAY
from mdcore.ui.frame import trim_top_padding
from mdcore.ui.own_table.reading import choose_table
from mdcore.ui.pages.compare.answer import (
    STYLE,
    show_answer,
    show_board,
    show_curves,
    show_data,
    show_data_headline,
    show_warnings,
)
from mdcore.ui.pages.compare.choose import catalogue_sample, choose_plan, left_out, table_sample
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.duration import end_estimate, show_estimate, split_seconds
from mdcore.ui.pages.compare.questions import show_questions
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
from mdcore.ui.shared.following import Slot, begin, follow, job_at, show_progress
from mdcore.ui.shared.session import PLAYGROUND
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.page_address import show_address
from mdcore.ui.workarounds.sessions import visitor

JOB = Slot[ComparisonJob](CONTROLS.key("job"))


def compare_page() -> None:
    """Draw the page; data of the catalogue are compared at once, a visitor's own when Compare is pressed."""
    trim_top_padding()
    st.html(STYLE)
    start_from_link_or_stage()
    top = st.container()
    form, results = st.columns([5, 13], gap="medium")
    with form:
        sample, plan = _choose()
    _remember(sample, plan)
    job = job_at(JOB)
    with top:
        _headline(job, sample)
    with results:
        _results(job, sample, _has_changed(job, sample, plan))


def _choose() -> tuple[Sample | None, Plan | None]:
    """Return the chosen data and plan; show the error if they are invalid."""
    try:
        sample = _choose_sample()
        if sample is not None:
            return sample, choose_plan(sample, partial(_run_bar, sample))
    except ValueError as error:
        st.error(plain(str(error)))
        sample = None
    _run_bar(sample, None)
    return sample, None


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


def _keep_up(sample: Sample | None, plan: Plan | None) -> None:
    """Compare catalogue data as they are now chosen, once; end a comparison of catalogue data that is no longer asked
    for."""
    job = job_at(JOB)
    if sample is not None and plan is not None and sample.own is None:
        if job is None or _has_changed(job, sample, plan):
            _start(sample, plan)
    elif job is not None and job.running and job.sample.own is None:
        job.cancel()


def _run_bar(sample: Sample | None, plan: Plan | None) -> None:
    """Start what is compared at once; draw the button, which is the main one if it has something to do, and how long
    that takes."""
    _keep_up(sample, plan)
    job = job_at(JOB)
    running, changed = job is not None and job.running and not job.cancelled, _has_changed(job, sample, plan)
    due = job is None or changed or not job.comparison.complete
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Compare",
            type="primary" if due and not running else "secondary",
            icon=":material/play_arrow:",
            disabled=running or plan is None,
            on_click=_start,
            args=(sample, plan),
            help="Data of the catalogue are compared at once. Results already computed with the same data, splits and "
            "parameters are reused.",
        )
        if sample is not None and plan is not None and due and not running:
            with st.container(gap=None, width="stretch"):
                show_estimate(sample, plan)
    if memory().problem:
        st.error(plain(memory().problem))


def _start(sample: Sample | None, plan: Plan | None) -> None:
    if sample is None or plan is None:  # pressed just before the button was disabled
        return
    before = job_at(JOB)
    earlier, known = before.comparison if before else None, split_seconds(sample, plan)
    memory().problem = ""
    end_estimate()
    try:
        begin(JOB, lambda: ComparisonJob(sample, plan, earlier, visitor(), known))
    except ValueError as error:
        memory().problem = str(error)


def _headline(job: ComparisonJob | None, sample: Sample | None) -> None:
    """Draw the answer so far, or what the data show before there is one, and beside it the notes that weigh most."""
    if job is None or _is_of_other_data(job, sample):
        show_data_headline(sample)
        return
    follow(job, lambda running: _answer_of(job, sample))
    show_warnings(job.notes)


def _answer_of(job: ComparisonJob, sample: Sample | None) -> None:
    comparison = job.comparison
    if comparison.keys_done:
        show_answer(comparison)
    else:
        show_data_headline(job.sample)


def _results(job: ComparisonJob | None, sample: Sample | None, changed: bool) -> None:
    if job is None:
        show_data(sample)
    elif job.running and not job.cancelled:
        follow(job, lambda running: _so_far(job, changed))
    elif _is_of_other_data(job, sample):
        show_data(sample)
        _earlier(job)
    elif job.running:
        follow(job, lambda running: _so_far(job, changed))
    else:
        _finished(job, changed)


def _so_far(job: ComparisonJob, changed: bool) -> None:
    comparison = job.comparison
    if changed:
        st.info(
            f"Your choices have changed. The earlier comparison, on {plain(job.sample.title)}, still runs: cancel it "
            "to compare what you have chosen now."
        )
    show_progress(JOB, "fits", at_work="" if job.share < 1 else "Looking for leaks and drift")
    if comparison.keys_done:
        show_board(comparison)
    else:
        show_data(job.sample)


def _earlier(job: ComparisonJob) -> None:
    """Draw the results of other data than those chosen now, for those who want to return to them."""
    if job.comparison.keys_done:
        with st.expander(f"The earlier comparison, on {plain(job.sample.title)}", icon=":material/history:"):
            show_answer(job.comparison, place="earlier answer")
            show_board(job.comparison)


def _finished(job: ComparisonJob, changed: bool) -> None:
    comparison = job.comparison
    if job.problem:
        st.error(plain(f"{job.problem} The results so far are below."))
    elif job.cancelled and not comparison.complete:
        done, planned = len(comparison.outcomes), len(comparison.keys) * job.plan.repeats
        st.warning(f"Stopped after {done} of {planned} results. Press Compare to continue.")
    if changed:
        st.info("Your choices have changed. These results are of the earlier ones: press Compare to update them.")
    if not comparison.keys_done:
        if comparison.outcomes:
            show_board(comparison)
        show_data(job.sample)
        return
    with st.container(key="ghost" if changed else "current"):
        show_board(comparison)
        show_curves(comparison)
    show_questions(job, comparison, partial(_stage_button, job, comparison))


def _stage_button(job: ComparisonJob, comparison: Comparison) -> None:
    """Draw the button that opens the first split on the stage, where the same model is drawn live."""
    first = {key: comparison.of(key)[0].params for key in comparison.with_margins[:METHOD_LIMIT]}
    if not first:
        return
    params = {key: {name: found[name] for name, _ in job.plan.candidate(key).params} for key, found in first.items()}
    query = stage_query(job.sample, job.plan, params)
    clicked = st.button(
        "Open on the stage",
        icon=":material/open_in_new:",
        help=f"The first split with its parameters, live; the first {METHOD_LIMIT} methods.{_of_how_many(job.sample)}"
        f"{' It gives every row the same weight.' if job.plan.balanced else ''}{_of_pairs(comparison, list(first))}",
    )
    if clicked:
        st.switch_page(PLAYGROUND, query_params=parse_qsl(query))


def _of_pairs(comparison: Comparison, keys: Sequence[str]) -> str:
    """Return a note on the methods that have a model for each pair of classes, which the stage does not draw; or ""."""
    paired = [LEARNERS[key].name for key in keys if comparison.of(key)[0].params.get(WAY) == PAIRS]
    if not paired:
        return ""
    has = "has" if len(paired) == 1 else "have"
    return f" It sets each class against the rest, where {listed(paired)} {has} a model for each pair of classes here."


def _of_how_many(sample: Sample) -> str:
    """Return a note that the stage draws a sample of a large table, or ""."""
    n = dict(sample.experiment.data.options).get("n") if sample.own else None
    return f" It draws a sample of {n:,} of your {len(sample.data.y):,} rows, with its own split." if n else ""


def _is_of_other_data(job: ComparisonJob, sample: Sample | None) -> bool:
    """Return whether a job's data are others than those chosen: without any, whether they are from elsewhere."""
    if sample is None:
        return (job.sample.own is not None) != bool(st.session_state[WHERE] == OWN)
    return job.sample.is_other_than(sample)


def _has_changed(job: ComparisonJob | None, sample: Sample | None, plan: Plan | None) -> bool:
    """Return whether something else than the job's comparison is chosen."""
    if job is None or sample is None or plan is None:
        return False
    return job.plan != plan or job.sample.is_other_than(sample)
