"""The layout of the Tables page: controls, cost, progress, results."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from mdcore.basics.text import count, duration
from mdcore.papers.cost import Cost, cost_of
from mdcore.papers.meter import progress_text
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.published import published
from mdcore.papers.report import report
from mdcore.papers.run_plan import RunPlan, TableRequest, plan_run
from mdcore.papers.sets import Rows
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableReport
from mdcore.serving.jobs.pool import THREADS
from mdcore.ui.frame import trim_top_padding
from mdcore.ui.pages.tables import runner
from mdcore.ui.pages.tables.choose import CONTROLS, choose, memory, query_of
from mdcore.ui.pages.tables.sections import SECTIONS, show_table
from mdcore.ui.pages.tables.take_away import take_away
from mdcore.ui.shared.following import waiting_text
from mdcore.ui.shared.words import plain

REFRESH_PERIOD = 1.0  # seconds between two refreshes during a run
SECTION = CONTROLS.key("section")


def tables_page() -> None:
    trim_top_padding()
    st.caption(
        "The papers' tables, rerun beside the printed figures. Runs are shared on this server: anyone can watch them, "
        "and finished cells are never computed again."
    )
    try:
        request, here = choose()
        if request is not None:
            _course(request, here)
    except ValueError as error:
        st.error(plain(str(error)))


def _course(request: TableRequest, here: Mapping[str, Rows]) -> None:
    plan = plan_run(request, here)
    with Store.view(runner.store_path()) as store:
        now = {each.run: each for each in runner.under_way(store)}
        _bar(plan, now, cost_of(store, plan.cells))
        _notes(plan.table)
        if plan.run in now:
            _watch(plan)
        else:
            _results(store, plan)


def _bar(plan: RunPlan, now: Mapping[str, runner.UnderWay], cost: Cost) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run" if cost.cells else "Done",
            type="primary",
            icon=":material/play_arrow:",
            disabled=plan.run in now or not cost.cells,
            on_click=_start,
            args=(plan,),
            help="Continues where an earlier run ended. Waits while the server is busy with others.",
        )
        st.caption(_price(cost), width="stretch")
    problem, memory().problem = memory().problem, ""
    if problem:
        st.error(plain(problem))
    for other in now.values():
        if other.run != plan.run:
            _mention(other)
    if plan.run not in now and (words := runner.problem(plan.run)):
        st.error(f"The run ended early: {plain(words)}")


def _mention(other: runner.UnderWay) -> None:
    table = other.request.protocol
    state = "Waiting for its turn" if other.before else "Under way on this server"
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.info(f"{state}: {plain(table.name)} on {plain(', '.join(other.request.datasets))}.")
    button.link_button("Watch it", f"tables?{query_of(other.request)}")


def _price(cost: Cost) -> str:
    if not cost.cells:
        return "All chosen cells are already computed."
    work = f"{count(cost.cells, 'cell')} to compute, {count(cost.fits, 'fit')}"
    if cost.seconds is None:
        return f"{work}; the time left is estimated once the first are done."
    return f"{work}: about {duration(cost.seconds / THREADS)} on {THREADS} of this server's processors."


def _start(plan: RunPlan) -> None:
    try:
        runner.start(plan)
    except ValueError as error:
        memory().problem = str(error)


def _notes(table: TableProtocol) -> None:
    with st.expander("What the paper says, and what it leaves open"):
        st.markdown(f"{plain(table.source)}, {plain(table.place)}.")
        st.markdown("\n".join(f"- {plain(note)}" for note in table.notes))


@st.fragment(run_every=REFRESH_PERIOD)
def _watch(plan: RunPlan) -> None:
    """Show the results so far; rerun the whole page when the run ends."""
    with Store.view(runner.store_path()) as store:
        now = next((each for each in runner.under_way(store) if each.run == plan.run), None)
        if now is None:
            st.rerun()
        standing = store.standing(plan.run)
        text = progress_text(store, plan, standing)
        made = report(store, plan.table, plan)
    if now.before:
        text = waiting_text(now.before, now.lacks_memory, "this one")
    with st.container(horizontal=True, vertical_alignment="center"):
        share = (standing.done + standing.failed) / max(1, standing.total)
        st.progress(share, f"{text}. You can leave and come back.")
        st.button(
            "Cancel", icon=":material/stop:", on_click=runner.cancel, args=(plan.run,),
            help="Ends the run for everyone who watches it; finished cells are kept.",
        )  # fmt: skip
    show_table(made)


def _results(store: Store, plan: RunPlan) -> None:
    made = report(store, plan.table, plan)
    if not any(entry.n for entry in made.in_order):
        _published(plan.request)
        return
    standing = store.standing(plan.run)
    if standing.cancelled and standing.left:
        st.warning(f"Cancelled after {standing.done:,} of {standing.total:,} cells. Press Run to continue.")
    _sections(store, made)


def _published(request: TableRequest) -> None:
    """Show the published results of what is chosen, until there are some of this server."""
    made = published().table(request.paper, request.table).part(request.datasets, request.methods)
    if any(entry.n for entry in made.in_order):
        st.info("Press Run to fill the table on this server. Until then, it shows the published results.")
        show_table(made)
    else:
        st.info("Press Run: the table fills as cells are finished.")


def _sections(store: Store, made: TableReport) -> None:
    st.session_state.setdefault(SECTION, next(iter(SECTIONS)))
    with st.container(horizontal=True, vertical_alignment="center"):
        section = st.segmented_control(
            "Results", list(SECTIONS), required=True, key=SECTION, persist_state="session", wrap=True,
            label_visibility="collapsed",
        )  # fmt: skip
        take_away(store, made)
    SECTIONS[str(section)](store, made)
