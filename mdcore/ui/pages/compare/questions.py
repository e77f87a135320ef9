"""The questions below the leaderboard. Each opens on its button, one at a time, and only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mdcore.basics.shown_table import Column
from mdcore.basics.text import in_sentence
from mdcore.experiment.query import SCALE
from mdcore.figures import band_figure, confusion_figure
from mdcore.margins.distribution import PARTS
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.study import (
    SCORES,
    WHY_TWO_TESTS,
    Comparison,
    band,
    board,
    fitting_scores,
    margin_axis,
    sentence,
    unit_notes,
)
from mdcore.study.shown_tables import METHOD, class_table, margin_table, pair_table, score_table
from mdcore.ui.pages.compare.answer import show_data
from mdcore.ui.pages.compare.controls import CONTROLS, score_of
from mdcore.ui.pages.compare.costs import what_if
from mdcore.ui.pages.compare.details import downloads, pictures, single_rows
from mdcore.ui.pages.compare.learning_curve import show_growth
from mdcore.ui.pages.compare.take_away import take_model
from mdcore.ui.pages.compare.why import why
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.exporting import export_menu
from mdcore.ui.shared.term_table import show_table, term_table
from mdcore.ui.shared.terms import show_terms
from mdcore.ui.shared.words import plain

IN_A_ROW = 4
PAIRED_NOTE = (
    "p plain and p corrected are for single pairs: of twenty pairs that do not differ, about one falls below 0.05 by "
    "chance. p Holm allows for testing all pairs. Methods that almost surely differ by at most one point are "
    "practically equal."
)
CONFUSION = {
    "predicted": "The class that the method predicts for a test row.",
    "true": "The class that the row has in the data. Everything off the diagonal is an error.",
}


def classes(job: ComparisonJob, comparison: Comparison) -> None:
    """Show precision and recall of every class, and how often each class is taken for another."""
    show_table(class_table(comparison))
    st.markdown("## Predicted and true classes, all splits together")
    done = [line.key for line in board(comparison, score_of(comparison)).methods]
    for start in range(0, len(done), IN_A_ROW):
        for column, key in zip(st.columns(IN_A_ROW), done[start : start + IN_A_ROW], strict=False):
            with column:
                plot(confusion_figure(comparison, key), f"Confusion matrix of {comparison.names[key]}.")
    show_terms(CONFUSION, "chart")


def _parameters(comparison: Comparison) -> None:
    if any(comparison.plan.is_tuned(candidate) for candidate in comparison.plan.candidates):
        with st.expander("Parameters chosen in each split"):
            chosen = [
                {"method": comparison.names[key], "split": result.split + 1, **result.params}
                for key in comparison.keys
                for result in comparison.of(key)
            ]
            term_table(chosen, _chosen_columns(chosen, comparison))


def _chosen_columns(rows: list[dict[str, Any]], comparison: Comparison) -> dict[str, Column]:
    """Return columns for method, split and every parameter of the methods, with the help texts of their records."""
    columns = {"method": METHOD, "split": Column("Split", "Its number, counted from 1.", "whole")}
    settings = [setting for key in comparison.keys for setting in comparison.plan.candidate(key).method.params]
    for name in dict.fromkeys(name for row in rows for name in row if name not in columns):
        said = [setting.help for setting in settings if setting.name == name]
        columns[name] = Column(name, " ".join(dict.fromkeys(said)) or "A parameter of the method.", "number")
    return columns


def paired(job: ComparisonJob, comparison: Comparison) -> None:
    for note in job.notes:
        if not note.prominent:
            st.caption(plain(sentence(note)))
    score = score_of(comparison)
    st.markdown("## All scores")
    show_table(score_table(comparison, fitting_scores(comparison.y)))
    _parameters(comparison)
    show_growth(job, comparison)
    st.markdown(f"## Tests of every pair by {plain(in_sentence(SCORES[score]))}")
    if not comparison.complete:
        st.info("There are no tests before all planned splits are done: they would depend on when one looks.")
        return
    found = pair_table(comparison, score)
    if not found.rows:
        st.info("A paired test needs two splits.")
        return
    st.caption(WHY_TWO_TESTS)
    show_table(found)
    st.caption(PAIRED_NOTE)


def margins(job: ComparisonJob, comparison: Comparison) -> None:
    left, right = st.columns(2)
    with left:
        scale = CONTROLS.ask(SCALE)
    with right:
        st.session_state.setdefault(CONTROLS.key("parts"), list(PARTS))
        parts = st.pills(
            "Rows",
            PARTS,
            selection_mode="multi",
            key=CONTROLS.key("parts"),
            help="Training margins are solid, test margins dashed.",
            persist_state="session",
        )
    t = margin_axis(comparison, scale)
    bands = {(key, part): band(comparison, key, part, scale, t) for key in comparison.with_margins for part in parts}
    plot(
        band_figure(comparison, bands, scale),
        "Cumulative margins of each method, median over the splits and bands.",
    )
    st.caption("Lines are medians over the splits; at each t the band covers the middle 80 % of the splits.")
    for note in unit_notes(comparison, scale):
        st.caption(plain(note))
    show_table(margin_table(comparison, scale))


LOOKS = {"Classes": classes, "Rows": single_rows, "Views": pictures, "Margins": margins}


def failures(job: ComparisonJob, comparison: Comparison) -> None:
    """Show where the methods fail: class by class, row by row, in a plane, or over all margins."""
    st.session_state.setdefault(CONTROLS.key("look"), next(iter(LOOKS)))
    look = st.segmented_control(
        "Look at",
        list(LOOKS),
        required=True,
        key=CONTROLS.key("look"),
        help="Precision and recall; single rows, the hardest first; pictures of single models; margin distributions.",
        persist_state="session",
    )
    LOOKS[str(look)](job, comparison)


def the_data(job: ComparisonJob, comparison: Comparison) -> None:
    show_data(job.sample)


def take_away(job: ComparisonJob, comparison: Comparison) -> None:
    """Offer the comparison as files, and one fitted model."""
    downloads(job, comparison, score_of(comparison))
    take_model(job, comparison)


QUESTIONS = {
    "Where does it fail?": failures,
    "Why?": why,
    "What if errors cost differently?": what_if,
    "Is it real?": paired,
    "What are the data?": the_data,
    "Take it away": take_away,
}


def show_questions(job: ComparisonJob, comparison: Comparison, draw_more: Callable[[], object]) -> None:
    """Draw a button for each question, and the answer to the one that is open; `draw_more` draws further buttons."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = st.segmented_control(
            "Further questions",
            list(QUESTIONS),
            key=CONTROLS.key("question"),
            help="Each opens below, one at a time; press it again to close it.",
            label_visibility="collapsed",
            persist_state="session",
            wrap=True,
        )
        draw_more()
        export_menu("comparison", (), "Files of the comparison are under Take it away.")
    if asked:
        QUESTIONS[asked](job, comparison)
