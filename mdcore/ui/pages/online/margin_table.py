"""Table 1 of the PUMMA paper as an experiment: data set, settings, progress, table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from mdcore.basics.text import fixed, percent, short, steady
from mdcore.data import SCALING
from mdcore.experiment import Experiment
from mdcore.export.data_code import experiment_definition
from mdcore.export.online import margin_table_recipe
from mdcore.methods import METHODS
from mdcore.papers.margin_table import (
    MOST_BYTES,
    MOST_ROWS,
    MarginTable,
    Reached,
    TablePlan,
    margin_table,
    records,
    whole_set,
)
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import Progress
from mdcore.ui.own_table.session_tables import sources
from mdcore.ui.shared.controls import Controls
from mdcore.ui.shared.exporting import NOTEBOOK, PYTHON, File, csv_button, export_menu
from mdcore.ui.shared.following import Slot, begin, follow, job_at, show_course
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.term_table import in_words, term_table
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.sessions import visitor

JOB = Slot[Job[MarginTable]]("margin table job")
CONTROLS = Controls("margin table")
SOURCE = CONTROLS.key("source")
FIRST = "breast-cancer"
TERMS = {
    "learner": "The page Methods says what each one corrects. The first row is a batch solver: it sees all examples.",
    "time (s)": "Seconds until it stopped, on this machine.",
    "10²γ′": "A hundred times the margin reached, in the space of the soft margin: the smallest y⟨w, x⟩ / ‖w‖.",
    "of largest": "That margin as a share of the largest possible margin, which the batch solver certifies.",
    "updates": "Corrections made: examples whose margin was too small.",
    "epochs": "Passes through all examples.",
    "ended": "Whether the last epoch made no update: nothing was left to correct.",
}


@dataclass
class MarginTableState:
    """The section's state besides its controls: `scaled` is the source for which the scaling was set."""

    scaled: str = ""


@dataclass(frozen=True)
class Asked:
    """The subject of a job, and the code that loads its data, as its file may be gone from the folder later."""

    plan: TablePlan
    title: str
    scaling: str
    code: str


def table_section() -> None:
    """Draw the section with the results of the session's job so far."""
    st.subheader("The paper's Table 1: time and margin on a whole set", divider="gray")
    st.markdown(
        "Learners on all examples of a set, without a split, each until an epoch makes no update. The 2-norm soft "
        "margin is the same for all: λ is added to the square of every example, so that any two classes are separable. "
        "The table compares the computation time and the margin γ′ reached in that space with the largest possible "
        "margin, certified by a batch solver; the paper used SVM-light. Times are for this machine and these "
        "implementations."
    )
    job = job_at(JOB)

    def draw(running: bool) -> None:
        _controls(job, running)
        if job is not None and job.items:
            _numbers(job, running)

    follow(job, draw)


def _controls(job: Job[MarginTable] | None, running: bool) -> None:
    experiment = _choose_data()
    plan = _settings()
    if st.button("Run the table", type="primary", disabled=running, help="A few seconds for some hundred examples."):
        data = experiment.data
        asked = Asked(plan, data.record.title, data.scaling, experiment_definition(experiment))
        begin(JOB, lambda: Job(asked, partial(tables, plan, experiment), visitor(), needs=MOST_BYTES))
        st.rerun()
    if job is None:
        st.caption("No table has been computed yet. λ and δ are those of the paper.")
        return
    rows = job.items[-1].rows if job.items else ()
    if show_course(JOB, running, "learners", at_work=_at_work(rows), cancel="Cancel the table"):
        _ended(job)


def tables(plan: TablePlan, experiment: Experiment, progress: Progress) -> Iterator[MarginTable]:
    """Yield the growing table, and report the number of learners that have stopped, with the batch solver as the
    first."""
    for table in margin_table(plan, whole_set(experiment)):
        progress(1 + sum(row.stopped for row in table.rows), 1 + len(plan.learners))
        yield table


def _choose_data() -> Experiment:
    """Return the chosen data without a split, scaled as on the stage unless the visitor chose another scaling."""
    known = sources()
    if CONTROLS.get(SOURCE, FIRST) not in known:
        CONTROLS.set(SOURCE, FIRST)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    name = left.selectbox(
        "Data set",
        list(known),
        format_func=lambda key: known[key].title,
        key=SOURCE,
        help=f"With two classes. A set of more than {MOST_ROWS:,} examples is reduced to a stratified random sample of "
        "that size. The paper's adult sets have columns of 0 and 1: choose scaling none for them.",
        persist_state="session",
    )
    source = known[name]
    remembered = state_of(MarginTableState)
    if remembered.scaled != name:
        CONTROLS.put(SCALING, source.scaling)
        remembered.scaled = name
    with right, st.popover("Options of the set", icon=":material/tune:"):
        chosen = {option.name: CONTROLS.ask(option, name) for option in source.options}
        chosen |= {"test": 0, "scaling": CONTROLS.ask(SCALING)}
    return Experiment.on(source).with_values(chosen)


def _settings() -> TablePlan:
    chosen: dict[str, Any] = {}
    for place, setting in zip(st.columns(len(TablePlan.settings)), TablePlan.settings, strict=True):
        with place:
            chosen[setting.name] = CONTROLS.ask(setting, label=setting.symbol)
    return TablePlan(**chosen)


def _ended(job: Job[MarginTable]) -> None:
    learners = len(_asked(job).plan.learners)
    stopped = sum(row.stopped for row in job.items[-1].rows) if job.items else 0
    if stopped < learners:
        st.warning(f"Cancelled when {stopped} of {learners} learners had stopped.")
    else:
        st.caption("Complete.")


def _asked(job: Job[MarginTable]) -> Asked:
    assert isinstance(job.subject, Asked)
    return job.subject


def _at_work(rows: tuple[Reached, ...]) -> str:
    if not rows:
        return "The largest margin"
    return f"{METHODS[rows[-1].method].name}, epoch {rows[-1].epochs:,}"


def _numbers(job: Job[MarginTable], running: bool) -> None:
    asked, table = _asked(job), job.items[-1]
    plan = asked.plan
    rows = [_largest_row(table), *(_row(table, row, running) for row in table.rows)]
    term_table(rows, in_words(TERMS), height="content", key="margin table")
    csv_button(records(table), "margins.csv", "A row for the batch solver and for each learner.")
    if sum(row.stopped for row in table.rows) == len(plan.learners):
        _take_away(asked)
    n, d = table.shape
    size = f"{n:,} examples" if n == table.total else f"a sample of {n:,} of {table.total:,} examples"
    st.caption(
        plain(f"{asked.title}: {size}, {d:,} features, scaling {asked.scaling}")
        + f"; λ = {short(plan.soft)}, δ = {short(plan.delta)}, MICRA's β = {short(plan.beta)} R and "
        f"η = {short(plan.eta)}, R = {steady(table.radius)}. {_certificate(table)} Margins are measured in the space "
        "of the soft margin, without the bias. ROMMA and MICRA learn the bias as the weight of an extra feature −R, so "
        "ROMMA's guarantee is a share of a different margin, which may be smaller. “Ended”: the last epoch made no "
        "update."
    )


def _take_away(asked: Asked) -> None:
    recipe, words = margin_table_recipe(asked.plan, asked.code), f"Time and margin on {asked.title}."
    files = [
        File("Python script", "margin-table.py", PYTHON, recipe.script),
        File("Notebook", "margin-table.ipynb", NOTEBOOK, lambda: recipe.notebook(words)),
    ]
    export_menu("margin table", files, "The script and the notebook measure their own times.", charts=False)


def _certificate(table: MarginTable) -> str:
    gap = table.largest.gap
    if gap is None:
        return f"Largest margin: {table.largest.reason}."
    return f"The largest margin is certified to a relative gap of {short(gap, 2)}."


def _largest_row(table: MarginTable) -> dict[str, str]:
    margin = table.largest.margin
    return {
        "learner": "largest margin (batch)",
        "time (s)": steady(table.seconds),
        "10²γ′": "unknown" if margin is None else fixed(100.0 * margin, 2),
        "of largest": "" if margin is None else percent(1.0),
        "updates": "",
        "epochs": "",
        "ended": "unknown" if margin is None else "certified",
    }


def _row(table: MarginTable, row: Reached, running: bool) -> dict[str, str]:
    share = table.share(row)
    return {
        "learner": METHODS[row.method].name,
        "time (s)": steady(row.seconds),
        "10²γ′": fixed(100.0 * row.margin, 2),
        "of largest": "unknown" if share is None else percent(share),
        "updates": f"{row.updates:,}",
        "epochs": f"{row.epochs:,}",
        "ended": _end(row, running),
    }


def _end(row: Reached, running: bool) -> str:
    if row.stopped:
        return "yes" if row.ended else "no, stopped"
    return "running" if running else "no, cancelled"
