"""The questions below the leaderboard. Each opens on its button, one at a time, and only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from mdcore.basics.text import fixed, in_sentence, percent, short, steady
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
    class_records,
    fitting_scores,
    majority_row,
    margin_axis,
    sentence,
    unit_notes,
)
from mdcore.study import margin_summary as margins_of
from mdcore.study import summary as scores_of
from mdcore.study.differences import EQUIVALENT, family
from mdcore.study.scores import EXPLAINED
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.costs import what_if
from mdcore.ui.pages.compare.data import show_data
from mdcore.ui.pages.compare.details import downloads, pictures, single_rows
from mdcore.ui.pages.compare.learning_curve import show_growth
from mdcore.ui.pages.compare.score import score_of
from mdcore.ui.pages.compare.take_away import take_model
from mdcore.ui.pages.compare.why import why
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.exporting import export_menu
from mdcore.ui.shared.term_table import METHOD, NUMBER, WHOLE, WITH_SPREAD, Column, term_table
from mdcore.ui.shared.terms import show_terms
from mdcore.ui.shared.words import plain

IN_A_ROW = 4
ALWAYS = ("splits", "n_fit", "seconds")  # other columns are shown only if one of their values is above 0
PAIRED_NOTE = (
    "p plain and p corrected are for single pairs: of twenty pairs that do not differ, about one falls below 0.05 by "
    "chance. p Holm allows for testing all pairs. Methods that almost surely differ by at most one point are "
    "practically equal."
)
COUNT = "{:,.0f}".format
THREE_PLACES = partial(fixed, decimals=3)
EXTRA = {
    "splits": Column("Splits", "Splits done.", text=COUNT),
    "n_fit": Column("Rows fitted", "The number of training rows that the method was fitted on.", text=COUNT),
    "gap": Column(
        "Gap, at most",
        "The relative duality gap of the problem solved, the largest of the splits; none without a certificate.",
        text=partial(short, digits=2),
    ),
    "exact_gap": Column(
        "Exact gap, at most",
        "Of kernel methods that see all rows through landmarks: the relative distance to the optimum of the exact "
        "kernel problem is at most this, on the first split. Above 100 % it is vacuous: use more landmarks.",
        text=percent,
    ),
    "seconds": Column(
        "Fit, s", "From the prepared rows to the model, kernel matrix included; mean over splits.", text=steady
    ),
    "selection_seconds": Column("Choosing, s", "Cross-validation; mean over the splits.", text=steady),
    "not_converged": Column("Not converged", "Fits that stopped before they converged.", text=COUNT),
    "failed": Column("Failed", "Splits on which the method could not be fitted.", text=COUNT),
}
WIDE = partial(st.column_config.Column, width=240)  # two long names
PAIRS = {
    "pair": Column("Pair", "The first method minus the second, on the same splits.", WIDE, pinned=True),
    "mean": Column("Difference", f"Of the scores on each split. {WITH_SPREAD}", text=THREE_PLACES, spread="deviation"),
    "interval": Column("Interval for all pairs", "95 % for all differences at once (Bonferroni), corrected."),
    "record": Column("Win / tie / loss", "Splits on which the first is better, equal, worse."),
    "corrected": Column(
        "p corrected",
        "Corrected resampled t-test, which accounts for the rows that splits share: prefer this one.",
        text=steady,
    ),
    "holm": Column("p Holm", "The corrected p, adjusted for all pairs tested together.", text=steady),
    "plain": Column("p plain", "Paired t-test, as in the papers.", text=steady),
    "neither": Column(
        "No difference", f"Probability that they differ by at most one point: {EQUIVALENT:g}.", text=percent
    ),
}
CLASSES = {
    "name": METHOD,
    "class": Column("Class", "A value of the target.", pinned=True),
    "precision": Column("Precision", "Share of the rows predicted as this class that belong to it.", text=percent),
    "recall": Column("Recall", "Share of the rows of this class that are predicted as it.", text=percent),
    "tested": Column("Tested", "Test rows of this class, over all splits.", text=COUNT),
    "predicted": Column("Predicted", "Test rows predicted as this class, over all splits.", text=COUNT),
}
CONFUSION = {
    "predicted": "The class that the method predicts for a test row.",
    "true": "The class that the row has in the data. Everything off the diagonal is an error.",
}
PART = Column("Rows", "Training rows, which the method is fitted to, or test rows, which it has not seen.", pinned=True)
UNIT = Column(
    "Unit", "What a margin of one is: only margins in the same unit can be compared, and distances only in one space."
)
OF_MARGINS = {
    "mean": "The average of the margins.",
    "variance": "The mean squared distance of the margins from their mean.",
    "semivariance": "The mean of the squared shortfall below the mean: margins above it do not count.",
    "min": "The margin of the row that is nearest to the boundary, or furthest on the wrong side.",
}


def score_table(comparison: Comparison) -> None:
    rows = [*scores_of(comparison), majority_row(comparison)]
    columns: dict[str, Column] = {"name": METHOD}
    columns |= {
        name: Column(SCORES[name], f"{EXPLAINED[name]} {WITH_SPREAD}", text=THREE_PLACES, spread=f"{name}_sd")
        for name in fitting_scores(comparison.y)
    }
    columns |= {name: column for name, column in EXTRA.items() if name in ALWAYS or any(row[name] > 0 for row in rows)}
    term_table(rows, columns)


def classes(job: ComparisonJob, comparison: Comparison) -> None:
    """Show precision and recall of every class, and how often each class is taken for another."""
    records = class_records(comparison)
    rows = [{**record, "name": comparison.names[record["method"]]} for record in records]
    term_table(rows, CLASSES)
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
    columns = {"method": METHOD, "split": Column("Split", "Its number, counted from 1.", WHOLE)}
    settings = [setting for key in comparison.keys for setting in comparison.plan.candidate(key).method.params]
    for name in dict.fromkeys(name for row in rows for name in row if name not in columns):
        said = [setting.help for setting in settings if setting.name == name]
        columns[name] = Column(name, " ".join(dict.fromkeys(said)) or "A parameter of the method.", NUMBER)
    return columns


def paired(job: ComparisonJob, comparison: Comparison) -> None:
    for note in job.notes:
        if not note.prominent:
            st.caption(plain(sentence(note)))
    score = score_of(comparison)
    st.markdown("## All scores")
    score_table(comparison)
    _parameters(comparison)
    show_growth(job, comparison)
    st.markdown(f"## Tests of every pair by {plain(in_sentence(SCORES[score]))}")
    if not comparison.complete:
        st.info("There are no tests before all planned splits are done: they would depend on when one looks.")
        return
    found = family(comparison, score)
    if not found:
        st.info("A paired test needs two splits.")
        return
    st.caption(WHY_TWO_TESTS)
    rows = [
        {
            "pair": f"{comparison.title(d.first)} − {comparison.title(d.second)}",
            "interval": f"{fixed(d.low, 3)} to {fixed(d.high, 3)}",
            "mean": d.mean,
            "deviation": d.deviation,
            "record": f"{d.wins} / {d.ties} / {d.losses}",
            "corrected": d.corrected.p,
            "holm": d.adjusted,
            "plain": d.plain.p,
            "neither": d.practical.neither,
        }
        for d in found
    ]
    term_table(rows, PAIRS)
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
    columns = {"name": METHOD, "part": PART, "unit": UNIT}
    columns |= {
        name: Column(name.capitalize(), f"{meaning} {WITH_SPREAD}", text=steady, spread=f"{name}_sd")
        for name, meaning in OF_MARGINS.items()
    }
    term_table(margins_of(comparison, scale), columns)


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
