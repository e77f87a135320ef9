"""Explanations: the columns that a model needs, and the changes that would flip the prediction of a row."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import streamlit as st

from mdcore.basics.shown_table import Column
from mdcore.basics.text import count, label_text, listed, short, steady
from mdcore.figures.importance import importance_figure
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.study import LEARNERS, SCORES, Comparison
from mdcore.study.column_model import model_of, weights
from mdcore.study.counterfactual import STEPS, counterfactual
from mdcore.study.importance import SHUFFLES, Importances, importances, steps
from mdcore.study.time_and_memory import memory_of
from mdcore.ui.pages.compare.controls import CONTROLS, choose_method, score_of
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.following import Slot, follow, job_on
from mdcore.ui.shared.session import cached_for
from mdcore.ui.shared.term_table import in_words, term_table
from mdcore.ui.shared.words import plain

PLACE = Slot[Job[Importances]](CONTROLS.key("importance job"))
MODEL = CONTROLS.key("model explained")
MOST = 25  # the most blocks of columns drawn
MOST_NAMED = 6  # needed columns
ALL_DIGITS = 17  # enough to distinguish any two numbers
WEIGHTS = {
    "column": Column(
        "Prepared column", "A column as the model uses it: numbers scaled, a category as columns of 0 and 1."
    ),
    "weight": Column("Weight", "How much f increases when the prepared column increases by 1.", "number"),
}
CHANGES = in_words(
    {
        "column": "A column of the data, before preparation.",
        "now": "The row's value there.",
        "would have to be": "A value that, together with the others listed, takes the row towards the other side.",
    }
)


def why(job: ComparisonJob, comparison: Comparison) -> None:
    """Show the importance of columns over the splits, the weights of a linear model, and the explanation of one row."""
    data = job.sample.data
    score = score_of(comparison)
    key = choose_method("why method", comparison, comparison.keys_done)
    if comparison.plan.nystroem and not comparison.plan.candidate(key).method.kernels:
        st.info("Nystroem features are not columns: compare without them to see what columns do.")
        return
    subject, work = (comparison.fingerprint, job.plan, key, score), partial(importances, data, comparison, key, score)
    needs = memory_of(data, job.plan, len(data.y))
    explaining = job_on(subject, PLACE, counted(steps(data, comparison, key), work), needs=needs)
    follow(explaining, lambda running: _columns(explaining, score, LEARNERS[key].color))
    result = comparison.of(key)[0]
    found = weights(data, comparison, result)
    if found:
        with st.expander("Weights of the linear model, first split"):
            term_table([dict(zip(WEIGHTS, pair, strict=True)) for pair in found], WEIGHTS)
    _one_row(job, comparison, key)


def _columns(explaining: Job[Importances], score: str, color: str) -> None:
    if not explaining.items:
        st.caption(plain(explaining.problem) if explaining.problem else "Shuffling one column after another.")
        return
    found = explaining.items[-1]
    st.markdown(plain(sentence(found)))
    words = "The loss in the score, and the shift of the margin curve, when a column is shuffled."
    plot(importance_figure(found.columns[:MOST], SCORES[score], color), words)
    more = f" The first {MOST} of {len(found.columns)}." if len(found.columns) > MOST else ""
    st.caption(
        f"Each column, together with strongly correlated ones, is shuffled {SHUFFLES} times among the test rows of "
        f"{count(found.splits, 'split')}; the lines are standard deviations over the splits.{more}"
    )


def sentence(found: Importances) -> str:
    """Return which columns are needed or, before all splits are done, on how many the picture rests."""
    if not found.complete:
        return f"After {found.splits} of {count(found.planned, 'split')}. The needed columns are named at the end."
    needed = [one.name for one in found.columns if one.needed]
    rest = len(found.columns) - len(needed)
    if not needed:
        return "No column is shown to be needed: fitted again without any one of them, the method may do as well."
    named = listed(needed, most=MOST_NAMED)
    left_out = "it" if len(needed) == 1 else "any one of them"
    others = f" For {'the other' if rest == 1 else f'each of the other {rest}'} this is not established."
    worse = f"Fitted again without {left_out}, the method ranks the test rows worse (smaller AUC)."
    return f"Needed: {named}. {worse}{others if rest else ''}"


def _one_row(job: ComparisonJob, comparison: Comparison, key: str) -> None:
    st.markdown("## What would change the prediction of a row?")
    data, rows = job.sample.data, job.sample.rows
    row = st.number_input(
        "Row",
        min_value=0,
        max_value=len(data.y) - 1,
        value=0,
        step=1,
        key=CONTROLS.key("why row"),
        width=240,
        help="Counted from 0 among the rows compared. The model is that of the first split.",
    )
    result = comparison.of(key)[0]
    model = cached_for(MODEL, (comparison.fingerprint, job.plan, key), lambda: model_of(data, comparison, result))
    found = counterfactual(data, model, int(row))
    name, side = comparison.names[key], "wrong" if found.before <= 0 else "right"
    unit = "functional margin" if key in comparison.with_margins else "log-odds"
    label = label_text(data.y[int(row)])
    st.markdown(plain(f"Row {rows[int(row)]}, class {label}: {name} is {side}, {unit} {steady(found.before)}."))
    steps = [
        dict(zip(CHANGES, (change.column, *distinct_texts(change.current, change.needed)), strict=True))
        for change in found.changes
    ]
    term_table(steps, CHANGES)
    if found.crosses:
        fewer = " No smaller set of columns was found that does so." if len(steps) > 1 else ""
        st.caption(f"Then it would be {steady(found.margin)}, and the prediction would change.{fewer}")
    else:
        st.caption(
            f"Even then it would be {steady(found.margin)}, and the prediction would stay. At most {STEPS} columns are "
            "changed together."
        )


def distinct_texts(now: Any, then: Any) -> tuple[str, str]:
    """Return the texts of two cells of a column: numbers have three digits, or as many as it takes for the texts to
    differ."""
    written = ((cell_text(now, digits), cell_text(then, digits)) for digits in range(3, ALL_DIGITS + 1))
    return next((pair for pair in written if pair[0] != pair[1]), (str(now), str(then)))


def cell_text(value: Any, digits: int) -> str:
    """Format a cell; whole numbers have no fraction, even if gaps made the column floating-point."""
    if not isinstance(value, float) or math.isnan(value):
        return label_text(value)
    return label_text(int(value)) if value.is_integer() else short(value, digits)
