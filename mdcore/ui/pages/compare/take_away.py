"""The final model, fitted on all rows: downloads of the model, its card and its script, and scores for new rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import streamlit as st

from mdcore.data import DataProblem
from mdcore.data.tables.scoring import new_inputs, read_alike
from mdcore.export.model import audit, card, model_file, model_script, scored_csv
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.progress import counted
from mdcore.study import Comparison, Data, Plan, fitting_score, sentence
from mdcore.study.final import Final, final_model
from mdcore.study.time_and_memory import memory_of
from mdcore.ui.pages.compare.controls import CONTROLS, choose_method
from mdcore.ui.shared.following import Slot, begin, follow, job_at, show_course
from mdcore.ui.shared.words import explain, plain
from mdcore.ui.workarounds.sessions import visitor

PLACE = Slot[Job[Final]](CONTROLS.key("final model"))


def take_model(job: ComparisonJob, comparison: Comparison) -> None:
    """Ask for a method, fit it on all rows, and offer the model."""
    st.markdown("## The model, fitted on all rows")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = choose_method(
            "final method",
            comparison,
            comparison.keys_done,
            "Its parameters are chosen as in every split, on all rows.",
        )
        subject = (comparison.fingerprint, job.plan, key)
        st.button("Fit on all rows", icon=":material/model_training:", on_click=_fit, args=(job, subject))
    fitting = job_at(PLACE)
    if fitting is not None and fitting.subject == subject:
        follow(fitting, lambda running: show_course(PLACE, running, "models", at_work="Fitting on all rows"))
        if fitting.items and not fitting.running:
            _files(job, comparison, fitting.items[0])


def _fit(job: ComparisonJob, subject: tuple[str, Plan, str]) -> None:
    work = counted(1, partial(_final, job.sample.data, job.plan, subject[2]))
    needs = memory_of(job.sample.data, job.plan, len(job.sample.data.y))
    begin(PLACE, lambda: Job(subject, work, visitor(), needs=needs))


def _final(data: Data, plan: Plan, key: str) -> Iterator[Final]:
    yield final_model(data, plan, key)


def _files(job: ComparisonJob, comparison: Comparison, final: Final) -> None:
    sample = job.sample
    content = model_file(final)
    words = card(final, comparison, fitting_score(comparison.y), sample.facts, [sentence(note) for note in job.notes])
    code = model_script(comparison, final.key, sample.code)
    with st.container(horizontal=True):
        for label, held, name, kind, help_text in (
            ("Model (skops)", content, "model.skops", "application/octet-stream", "A scikit-learn pipeline."),
            ("Card (Markdown)", words, "model-card.md", "text/markdown", "Data, splits, scores, parameters, versions."),
            (
                "Script (Python)",
                code,
                "model.py",
                "text/x-python",
                "Fits the same model again and scores a file.",
            ),
        ):
            st.download_button(label, held, name, kind, icon=":material/download:", on_click="ignore", help=help_text)
    with st.expander("What is in the file"):
        st.caption(
            "Loading it runs no code from the file. Besides numbers and the types that skops trusts by default, it "
            "contains these types, which must be named as trusted when it is loaded:"
        )
        st.code("\n".join(audit(content)))
    if sample.own is not None:
        _score(job, final)


def _score(job: ComparisonJob, final: Final) -> None:
    """Score a new file, with the same checks of columns and categories as for the table."""
    own = job.sample.own
    assert own is not None
    given = st.file_uploader(
        "Score a new file",
        key=CONTROLS.key("new file"),
        help="Rows with the same columns; the target may be missing. It stays in this session.",
    )
    if given is None:
        return
    try:
        new = read_alike(given.getvalue(), given.name, own.table)
        rows, notes = new_inputs(own.table, own.choices, new)
        text = scored_csv(final, rows)
    except DataProblem as problem:
        explain(problem)
        return
    for note in notes:
        st.warning(plain(note))
    st.download_button(
        f"Scores of {len(rows):,} rows (CSV)",
        text,
        "scored.csv",
        "text/csv",
        icon=":material/table:",
        on_click="ignore",
        help="For each row: the class by the sign of f, the value of f, the margin and the probability, in full "
        "precision. If errors cost differently, set a threshold on f or on the probability.",
    )
