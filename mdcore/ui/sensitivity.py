"""The sensitivity page: what is chosen, the job that computes it, and the picture of what there is so far."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mdcore.digits import short
from mdcore.experiment import Experiment
from mdcore.figures import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure
from mdcore.query import OPENING, parse_query
from mdcore.sweep import MEASURES, Result, Sweep, Table, disagreements, kinks, points
from mdcore.sweep.plan import Place
from mdcore.sweep.rank import CRITERIA
from mdcore.ui.drawing import plot
from mdcore.ui.frame import close_up
from mdcore.ui.jobs import Job
from mdcore.ui.own import own_sources
from mdcore.ui.scrubber import scrubber
from mdcore.ui.sensitivity_controls import STEPS, Chosen, axis_label, choose_experiment, choose_sweep, read_view
from mdcore.ui.session import PLAYGROUND

QUERY = "sensitivity query"
JOB = "sensitivity job"
KINKS = "sensitivity kinks"
REFUSED = "sensitivity refused address"
TOUCHED = "sensitivity controls"
KEPT = {QUERY, JOB, KINKS, REFUSED, TOUCHED, STEPS}  # of this page in the session, beside its controls
NARROW = """<style>@media (max-width: 640px) {
  .stMainBlockContainer .stColumn { flex: 1 1 calc(50% - 1rem); min-width: calc(50% - 1rem); }
}</style>"""  # short inputs side by side, so that the picture is not pushed off a phone
REFRESH = 0.5  # seconds between two looks at a sweep that is under way


def sensitivity_page() -> None:
    close_up()
    st.html(NARROW)
    now, view = _given()
    try:
        chosen = choose_sweep(choose_experiment(now), view)
    except ValueError as error:
        st.error(str(error))
        return
    _remember(chosen)
    if REFUSED in st.session_state:
        st.error(st.session_state[REFUSED])
    job = _job(chosen.sweep)
    _live(job, chosen)


def _given() -> tuple[Experiment, dict[str, str]]:
    """The state of the URL, else that of the last visit in this session, else the opening."""
    if _travelled():
        st.session_state[STEPS] = st.session_state.get(STEPS, 0) + 1
    query = urlencode(st.query_params.to_dict()) or st.session_state.get(QUERY, "")
    try:
        experiment = Experiment.from_query(query, own_sources())
        return experiment, read_view(parse_query(query), experiment)
    except ValueError as error:
        st.session_state[REFUSED] = f"The address cannot be read: {error} This is the opening example instead."
        return Experiment.from_query(OPENING), {}


def _travelled() -> bool:
    """Whether the browser went back or forward: another address than was written last, and no control was touched."""
    address = st.query_params.to_dict()
    if not address or QUERY not in st.session_state or address == parse_query(st.session_state[QUERY]):
        return False
    now = _controls()
    return all(now.get(key, value) == value for key, value in st.session_state[TOUCHED].items())


def _controls() -> dict[Any, Any]:
    """What the page's controls hold."""
    return {
        key: value for key, value in st.session_state.items() if str(key).startswith("sensitivity") and key not in KEPT
    }


def _remember(chosen: Chosen) -> None:
    """Keep the state in the session and in the address; what was wrong with an address is said until a change."""
    if REFUSED in st.session_state and st.session_state.get(QUERY, chosen.query) != chosen.query:
        del st.session_state[REFUSED]
    st.session_state[QUERY] = chosen.query
    st.session_state[TOUCHED] = _controls()
    wanted = parse_query(chosen.query)
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _job(sweep: Sweep) -> Job[Result]:
    """The job of this sweep, begun if there is none; one of another sweep ends."""
    job: Job[Result] | None = st.session_state.get(JOB)
    if job is None or job.subject != sweep:
        if job is not None:
            job.cancel()
        job = st.session_state[JOB] = Job(sweep, sweep.size, lambda: points(sweep))
    return job


def _live(job: Job[Result], chosen: Chosen) -> None:
    """The picture, looked at again and again while the job is running."""
    begun_running = job.running

    @st.fragment(run_every=REFRESH if begun_running else None)
    def picture() -> None:
        running = job.running
        _progress(job, running)
        _draw(Table(chosen.sweep, job.items), chosen, running)
        if begun_running and not running:
            st.rerun()

    picture()


def _progress(job: Job[Result], running: bool) -> None:
    if running:
        bar, button = st.columns([6, 1], vertical_alignment="center")
        bar.progress(job.share, f"{len(job.items)} of {job.total} fits looked at; you may leave the page meanwhile")
        button.button("Cancel", on_click=job.cancel, help="Stops the sweep; what is there stays.")
    elif job.problem:
        st.error(job.problem)
    elif job.cancelled and len(job.items) < job.total:
        text, button = st.columns([6, 1], vertical_alignment="center")
        text.warning(f"Cancelled after {len(job.items)} of {job.total} fits.")
        if button.button("Start again", help="Computes the whole sweep from the beginning."):
            del st.session_state[JOB]
            st.rerun()


def _draw(table: Table, chosen: Chosen, running: bool) -> None:
    for reason, count in table.problems().items():
        st.warning(f"{count} points cannot be computed: {reason}")
    if not any(result.statistics for result in table.results):
        st.info("The first points are being computed." if running else "There is no point to show.")
        return
    if chosen.picture == "table":
        _numbers(table)
    elif chosen.picture == "path":
        scrubber(chosen.sweep)
    elif len(table.sweep.axes) == 2:
        _missing(table, chosen.statistic, (chosen.method,))
        _say_unconverged(table, (chosen.method,), "Crosses")
        figure = heatmap_figure(table, chosen.method, chosen.statistic)
        _chart_with_link(table, figure, f"Heatmap of {MEASURES[chosen.statistic].title}")
    elif chosen.picture == "curves":
        _missing(table, chosen.statistic, table.methods)
        _say_unconverged(table, table.methods, "Hollow points")
        title = MEASURES[chosen.statistic].title
        bends = {} if running else _kinks(chosen.sweep)
        _chart_with_link(table, sweep_figure(table, chosen.statistic, bends), f"Curves of {title}")
    elif chosen.picture == "terms":
        _say_unconverged(table, (chosen.method,), "Hollow points")
        _chart_with_link(table, terms_figure(table, chosen.method), "Terms of the objective")
    elif chosen.picture == "sides":
        _sides(table, chosen.method)
    else:
        _ranking(table)


def _kinks(sweep: Sweep) -> dict[str, NDArray[np.float64]]:
    """Where the solutions that can be followed exactly bend; kept for the session's last sweep."""
    subject = replace(sweep, repeats=1, threshold=0.0)
    held = st.session_state.get(KINKS)
    if held is None or held[0] != subject:
        found = {method: kinks(subject, method) for method in sweep.experiment.methods}
        held = st.session_state[KINKS] = subject, {method: bends for method, bends in found.items() if len(bends)}
    return dict(held[1])


def _missing(table: Table, statistic: str, methods: tuple[str, ...]) -> None:
    """Say why a curve is not there."""
    if statistic.startswith("test.") and table.sweep.experiment.data.test == 0.0:
        st.info("No examples are kept for testing: raise the share `test` in the sidebar.")
    elif statistic == "loo_bound":
        without = [table.name(method) for method in methods if _empty(table, method, statistic)]
        if without:
            st.caption(f"{', '.join(without)} has no leave-one-out bound of its own.")


def _say_unconverged(table: Table, methods: tuple[str, ...], marks: str) -> None:
    names = [table.name(method) for method in methods if table.unconverged(method).any()]
    if names:
        st.caption(f"{marks}: the solver ended before it had converged ({', '.join(names)}).")


def _empty(table: Table, method: str, statistic: str) -> bool:
    values = table.values(method, statistic)
    return bool((values != values).all())


def _chart_with_link(table: Table, figure: object, alt: str) -> None:
    """A figure whose points open the stage."""
    above = st.container(height=48, border=False)
    event = plot(figure, alt, key="sensitivity chart", on_select="rerun", selection_mode="points")
    picked = [point for point in event["selection"]["points"] if "customdata" in point]
    with above:
        if picked:
            _link(table, tuple(int(at) for at in picked[0]["customdata"][: len(table.sweep.axes)]))
        else:
            st.caption("Click a point to open the stage there.")


def _link(table: Table, place: Place) -> None:
    sweep = table.sweep
    where = ", ".join(
        f"{axis_label(axis.key, sweep.experiment)} = {short(value)}"
        for axis, value in zip(sweep.axes, sweep.values_at(place), strict=True)
    )
    query = sweep.experiment_at(place).to_query()
    label, icon = f"Open the stage at {where}", ":material/open_in_new:"
    if not sweep.experiment.data.own:
        st.link_button(label, f"./?{query}", icon=icon, help="In a new tab.")
    elif st.button(label, icon=icon, help="In this tab: your table lives in this session only."):
        st.switch_page(PLAYGROUND, query_params=parse_query(query))


def _sides(table: Table, method: str) -> None:
    try:
        sides = table.sides(method)
    except ValueError as error:
        st.info(f"{error} Choose a parameter of a method or of the kernel.")
        return
    changing = sides.changing()
    if not len(changing.rows):
        st.info(f"No example changes side: {table.name(method)} judges all {len(sides.rows)} alike along the path.")
        return
    plot(sides_figure(table, method, changing), "Examples that change side", key="sensitivity sides")
    st.caption("First seed. Rows in the order in which they first change side; training and test examples alike.")


def _ranking(table: Table) -> None:
    if len(table.methods) < 2:
        st.info("A ranking needs two methods at least: add one in the sidebar.")
        return
    criteria = [key for key in CRITERIA if not _empty(table, table.methods[0], key)]
    plot(ranking_figure(table, criteria), "Best method by each criterion", key="sensitivity ranking")
    found = disagreements(table, criteria)
    places = len({item.place for item in found})
    total = table.sweep.shape[0]
    st.markdown(
        f"At **{places} of {total}** points two of the three criteria order some pair of methods in opposite ways, by "
        "the medians over the repeats."
    )
    if found:
        rows = [
            {
                axis_label(table.sweep.axes[0].key, table.sweep.experiment): table.sweep.values_at(item.place)[0],
                "better": table.name(item.winner),
                "than": table.name(item.loser),
                "by": MEASURES[item.first].title,
                "but worse by": MEASURES[item.second].title,
            }
            for item in found
        ]
        st.dataframe(pd.DataFrame(rows), hide_index=True)


def _numbers(table: Table) -> None:
    frame = pd.DataFrame(table.records())
    titles = {key: measure.title for key, measure in MEASURES.items()}
    titles |= {axis.key: axis_label(axis.key, table.sweep.experiment) for axis in table.sweep.axes}
    names = {method: table.name(method) for method in table.methods}
    st.dataframe(frame.replace({"method": names}).rename(columns=titles), hide_index=True)
    st.download_button(
        "Download as CSV",
        frame.to_csv(index=False),
        "sensitivity.csv",
        "text/csv",
        help="A row for each method at each point of each repeat.",
    )
