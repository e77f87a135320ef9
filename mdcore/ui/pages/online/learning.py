"""Figures 3 and 4 of the PUMMA paper as an experiment: settings, progress, charts, numbers."""

from __future__ import annotations

import math
from typing import Any, Literal

import streamlit as st

from mdcore.basics.text import count, percent, short, steady
from mdcore.export.online import learning_recipe
from mdcore.export.state import figures_document
from mdcore.figures import learning_figure
from mdcore.methods import METHODS
from mdcore.papers.learning_curves import SHARE, Curve, CurvesPlan, Learned, curves, learn, records
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.ui.shared.controls import Controls
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.exporting import HTML, NOTEBOOK, PYTHON, File, csv_button, export_menu
from mdcore.ui.shared.following import Slot, begin, follow, job_at, show_course
from mdcore.ui.shared.session import cached_for
from mdcore.ui.shared.term_table import in_words, term_table
from mdcore.ui.workarounds.sessions import visitor

JOB = Slot[Job[Learned]]("learning curves job")
CONTROLS = Controls("learning")
CURVES = "learning curves"
TERMS = {
    "learner": "The page Methods says what each one corrects, and when it stops.",
    "p": "The norm of the margin: |⟨w, x⟩ + b| over the q-norm of w, 1/p + 1/q = 1. 2 is the common distance.",
    "r": "How many of the k relevant entries must be +1 for the label +1. The smaller r, the larger the bias.",
    f"updates to {SHARE:g}": f"Corrections until the average margin was {SHARE:g} of the largest.",
    f"seconds to {SHARE:g}": "Learning time until then, on this machine.",
    "updates": "All corrections made, on average over the samples.",
    "seconds": "Total learning time, on average over the samples.",
    "margin": "The smallest margin at the end, in the p-norm: the average over the samples.",
    "of largest": "The same as a share of the largest possible margin.",
    "ended": "The share of runs whose last epoch made no update, because nothing was left to correct.",
}
PICTURES: dict[Literal["updates", "seconds"], str] = {"updates": "updates (Figure 3)", "seconds": "time (Figure 4)"}


def learning_section() -> None:
    """Draw the section with the results of the session's job so far."""
    st.subheader("The paper's Figures 3 and 4: which learner needs fewer updates, and less time?", divider="gray")
    st.markdown(
        "Vectors of −1 and +1, labelled +1 where at least r of the first k entries are +1: a sparse hyperplane, with a "
        "bias that grows as r falls. PUMMA, ROMMA and ALMA_p learn them in epochs, each set to reach "
        f"{SHARE:g} of the largest p-norm margin, for p = 2 and p = 2 ln n. Margin, updates and time are recorded "
        "after every epoch and averaged over samples. ROMMA exists for p = 2 only."
    )
    job = job_at(JOB)

    def draw(running: bool) -> None:
        _controls(job, running)
        if job is not None:
            _results(job, running)

    follow(job, draw)


def _controls(job: Job[Learned] | None, running: bool) -> None:
    plan = _settings()
    if st.button("Run", type="primary", disabled=running or plan is None, help="The paper's settings take a minute."):
        if plan is not None:
            begin(JOB, lambda: Job(plan, counted(plan.size, lambda: learn(plan)), visitor(), needs=plan.bytes))
        st.rerun()
    if job is None:
        st.caption("Nothing has been run yet. The settings are those of the paper.")
    elif show_course(JOB, running, "runs"):
        _ended(job)


def _results(job: Job[Learned], running: bool) -> None:
    """Draw complete rounds over all learners while the job runs, and everything when it has ended."""
    plan, items = job.subject, job.items
    assert isinstance(plan, CurvesPlan)
    whole = len(plan.cells)
    shown = len(items) // whole * whole if running else len(items)
    if not shown:
        return
    made = cached_for(CURVES, (plan, shown), lambda: curves(plan, items[:shown]))
    against, figures = _pictures(made)
    if len(items) == plan.size:
        _take_away(plan, against, figures)
    _numbers(made, plan)


def _settings() -> CurvesPlan | None:
    """Return the plan set by the controls; None, with the reason on the page, if they are inconsistent."""
    chosen: dict[str, Any] = {}
    for place, setting in zip(st.columns(len(CurvesPlan.settings)), CurvesPlan.settings, strict=True):
        with place:
            chosen[setting.name] = CONTROLS.ask(setting, label=setting.symbol)
    rs = tuple(r for r in CurvesPlan.rs if r <= chosen["k"])
    if chosen["k"] > chosen["features"]:
        st.error(f"relevant k must be at most the {chosen['features']} variables; got {chosen['k']}. Lower k.")
        return None
    return CurvesPlan(rs=rs, ps=(2.0, 2.0 * math.log(chosen["features"])), **chosen)


def _ended(job: Job[Learned]) -> None:
    made, total = job.steps
    if made < total:
        st.warning(f"Cancelled after {made} of {total} runs: averages are over those runs.")
    else:
        st.caption(f"All {made} of {total} runs made.")


def _pictures(made: list[Curve]) -> tuple[str, list[Any]]:
    against = st.segmented_control(
        "margin against", list(PICTURES), default="updates", format_func=PICTURES.__getitem__, key="learning against"
    )
    shown = against or "updates"
    ps = sorted({curve.p for curve in made})
    figures = [learning_figure([curve for curve in made if curve.p == p], shown) for p in ps]
    for p, figure, place in zip(ps, figures, st.columns(2), strict=False):
        with place:
            plot(figure, f"p-norm margin against {shown}, p = {short(p)}", key=f"learning {short(p)}")
    return shown, figures


def _take_away(plan: CurvesPlan, shown: str, figures: list[Any]) -> None:
    recipe, words = learning_recipe(plan, shown), f"The p-norm margin against {shown}."
    files = [
        File("Interactive figures (HTML)", "learning.html", HTML, lambda: figures_document(figures, words)),
        File("Python script", "learning.py", PYTHON, recipe.script),
        File("Notebook", "learning.ipynb", NOTEBOOK, lambda: recipe.notebook(words)),
    ]
    export_menu("learning", files, "The script and the notebook measure their own times.")


def _numbers(made: list[Curve], plan: CurvesPlan) -> None:
    rows = [_row(curve) for curve in made]
    term_table(rows, in_words(TERMS), height="content", key="learning numbers")
    csv_button(records(made), "learning.csv", "A row for each epoch of each curve: the numbers of both pictures.")
    st.caption(
        f"{plan.n} examples, {plan.features} variables, k = {plan.k}, {count(plan.repeats, 'sample')} from seed "
        f"{plan.seed}, at most {plan.epochs} epochs. Updates and time until the average margin is {SHARE:g} of the "
        "largest; “ended” is the share of runs whose last epoch made no update. Margins are those of the original "
        "space, so a learner with an extra feature for its bias may end below its goal."
    )


def _row(curve: Curve) -> dict[str, Any]:
    reached = curve.until()
    return {
        "learner": METHODS[curve.method].name,
        "p": short(curve.p),
        "r": curve.r,
        f"updates to {SHARE:g}": "not reached" if reached is None else f"{reached[0]:,.0f}",
        f"seconds to {SHARE:g}": "not reached" if reached is None else steady(reached[1]),
        "updates": f"{curve.updates[-1]:,.0f}",
        "seconds": steady(curve.seconds[-1]),
        "margin": steady(curve.margins[-1]),
        "of largest": percent(curve.margins[-1] / curve.largest),
        "ended": percent(curve.ended, 2),
    }
