"""The layout of the Tables page: controls, cost, progress, results."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from mdcore.basics.text import duration
from mdcore.papers.cost import Cost, cost_left
from mdcore.papers.protocol import protocol
from mdcore.papers.report import TableReport, TableRequest, report
from mdcore.papers.sets import Rows
from mdcore.papers.store import Store
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


def _course(request: TableRequest, here: dict[str, Rows]) -> None:
    now = {each.run: each for each in runner.under_way()}
    run, cost = runner.price(request, here)
    _bar(request, here, now, run, cost)
    _notes(request)
    if run in now:
        _watch(run, request)
    else:
        _results(run, request)


def _bar(
    request: TableRequest, here: dict[str, Rows], now: Mapping[str, runner.UnderWay], run: str, cost: Cost
) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run" if cost.cells else "Done",
            type="primary",
            icon=":material/play_arrow:",
            disabled=run in now or not cost.cells,
            on_click=_start,
            args=(request, here),
            help="Continues where an earlier run ended. Waits while the server is busy with others.",
        )
        st.caption(_price(cost.cells, cost.fits, cost.seconds), width="stretch")
    problem, memory().problem = memory().problem, ""
    if problem:
        st.error(plain(problem))
    for other in now.values():
        if other.run != run:
            _mention(other)
    if run not in now and (words := runner.problem(run)):
        st.error(f"The run ended early: {plain(words)}")


def _mention(other: runner.UnderWay) -> None:
    table = protocol(other.request.paper, other.request.table)
    state = "Waiting for its turn" if other.before else "Under way on this server"
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.info(f"{state}: {plain(table.name)} on {plain(', '.join(other.request.datasets))}.")
    button.link_button("Watch it", f"tables?{query_of(other.request)}")


def _price(cells: int, fits: int, seconds: float | None) -> str:
    if not cells:
        return "All chosen cells are already computed."
    work = f"{cells:,} cells are to be computed, {fits:,} fits"
    if seconds is None:
        return f"{work}; the time left is estimated once the first are done."
    return f"{work}: about {duration(seconds / THREADS)} on {THREADS} of this server's processors."


def _start(request: TableRequest, here: dict[str, Rows]) -> None:
    try:
        runner.start(request, here)
    except ValueError as error:
        memory().problem = str(error)


def _notes(request: TableRequest) -> None:
    table = protocol(request.paper, request.table)
    with st.expander("What the paper says, and what it leaves open"):
        st.markdown(f"{plain(table.source)}, {plain(table.place)}.")
        st.markdown("\n".join(f"- {plain(note)}" for note in table.notes))


@st.fragment(run_every=REFRESH_PERIOD)
def _watch(run: str, request: TableRequest) -> None:
    """Show the results so far; rerun the whole page when the run ends."""
    now = next((each for each in runner.under_way() if each.run == run), None)
    if now is None:
        st.rerun()
    with Store(runner.store_path()) as store:
        standing, cost = store.standing(run), cost_left(store, run)
        made = report(store, protocol(request.paper, request.table), run)
    left = f", about {duration(cost.seconds / max(1, standing.leased))} left" if cost.seconds else ""
    failed = f", {standing.failed} failed" if standing.failed else ""
    text = f"{standing.done:,} of {standing.total:,} cells{failed}{left}"
    if now.before:
        text = waiting_text(now.before, now.lacks_memory, "this one")
    with st.container(horizontal=True, vertical_alignment="center"):
        share = (standing.done + standing.failed) / max(1, standing.total)
        st.progress(share, f"{text}. You can leave and come back.")
        st.button(
            "Cancel", icon=":material/stop:", on_click=runner.cancel, args=(run,),
            help="Ends the run for everyone who watches it; finished cells are kept.",
        )  # fmt: skip
    show_table(made)


def _results(run: str, request: TableRequest) -> None:
    with Store(runner.store_path()) as store:
        standing = store.standing(run)
        if not standing.done:
            st.info("Press Run: the table fills as cells are finished.")
            return
        made = report(store, protocol(request.paper, request.table), run)
        if standing.cancelled and standing.left:
            st.warning(f"Cancelled after {standing.done:,} of {standing.total:,} cells. Press Run to continue.")
        _sections(store, made)


def _sections(store: Store, made: TableReport) -> None:
    st.session_state.setdefault(SECTION, next(iter(SECTIONS)))
    with st.container(horizontal=True, vertical_alignment="center"):
        section = st.segmented_control(
            "Results", list(SECTIONS), required=True, key=SECTION, persist_state="session", wrap=True,
            label_visibility="collapsed",
        )  # fmt: skip
        take_away(store, made)
    SECTIONS[str(section)](store, made)
