"""Learning curves over the number of training rows, computed in the background on request."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import streamlit as st

from mdcore.figures.comparison import growth_figure
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.study import SCORES, Comparison, Data
from mdcore.study.learning_curve import Growth, growths, verdict
from mdcore.study.time_and_memory import memory_of
from mdcore.ui.pages.compare.controls import CONTROLS, score_of
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.following import Slot, begin, follow, job_at, offer_restart, show_course
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.sessions import visitor

PLACE = Slot[Job[Growth]](CONTROLS.key("growth"))


def show_growth(job: ComparisonJob, comparison: Comparison) -> None:
    """Draw the button and then the learning curve of every method with a verdict."""
    score = score_of(comparison)
    subject = comparison.fingerprint, job.plan, score
    growing = job_at(PLACE)
    if growing is None or growing.subject != subject:
        st.button(
            "Would more rows help?",
            icon=":material/trending_up:",
            on_click=_begin,
            args=(subject, job.sample.data, comparison, score),
            help="Fits every method on an eighth, a quarter and half of the training rows too.",
        )
        return
    follow(growing, lambda running: _show(growing, comparison, score, running))


def _begin(subject: Hashable, data: Data, comparison: Comparison, score: str) -> None:
    work = counted(len(comparison.keys_done), partial(growths, data, comparison, score))
    needs = memory_of(data, comparison.plan, len(data.y))
    begin(PLACE, lambda: Job(subject, work, visitor(), needs=needs))


def _show(growing: Job[Growth], comparison: Comparison, score: str, running: bool) -> None:
    show_course(PLACE, running, "methods")
    offer_restart(PLACE, "methods")
    found = list(growing.items)
    if found:
        if not running:
            st.markdown(plain(verdict(comparison, found)))
        plot(
            growth_figure(comparison, found, SCORES[score]),
            "Score against the number of training rows, for each method.",
        )
