"""What the page shows first: the answer of a comparison in two sentences, what a reader should know beside them, the
leaderboard and the margin curves; before there is one, the data."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mdcore.basics.shown_table import Column
from mdcore.basics.text import fixed, gap_words, in_sentence, percent
from mdcore.figures import board_html, data_headline, data_picture_html, margin_panels_html
from mdcore.methods.one_versus_rest import REST
from mdcore.serving.comparisons.sample import Sample
from mdcore.study import (
    SCORES,
    Comparison,
    Contrast,
    Note,
    basis,
    board,
    headline,
    held_out_curves,
    off_axis_notes,
    sentence,
    unit_notes,
)
from mdcore.study.data_picture import DataPicture, data_picture
from mdcore.study.search import WAY
from mdcore.study.shown_tables import METHOD
from mdcore.study.wording import CONDITIONS
from mdcore.ui.pages.compare.controls import CONTROLS, choose_score, score_of
from mdcore.ui.shared.drawing import draw
from mdcore.ui.shared.session import cached_for
from mdcore.ui.shared.term_table import term_table
from mdcore.ui.shared.words import plain

STYLE = """<style>
[class*="st-key-headline"] p { font-size: 1rem; text-wrap: pretty; }
[class*="st-key-headline"] strong {
  margin-right: 0.6rem; font-size: clamp(1.3rem, 2.2vw, 1.9rem); font-weight: 600; line-height: 1.2;
}
.st-key-ghost, .stMainBlockContainer:has(.st-key-ghost) .st-key-headline { opacity: 0.6; }
</style>"""

SHAPES = (
    "Each method and split has a kernel or γ of its own, and measures distances in a space of its own. These have no "
    "common unit: compare the shapes of the curves, and how many examples lie at or below 0."
)

PICTURE = CONTROLS.key("data picture")


def show_answer(comparison: Comparison, place: str = "headline") -> None:
    """Show the verdict and what it rests on, or how far the comparison is."""
    found = board(comparison, score_of(comparison))
    with st.container(key=place):
        st.markdown(f"**{plain(headline(found))}** {plain(basis(found))}")


def show_board(comparison: Comparison) -> None:
    """Show the leaderboard, the choice of its score, and what went wrong."""
    draw(board_html(board(comparison, choose_score(comparison))), CONTROLS.key("leaderboard"))
    _show_gaps(comparison)
    for reason, methods in _reasons(comparison).items():
        st.warning(plain(f"{', '.join(methods)}: {reason}"))


def show_curves(comparison: Comparison) -> None:
    """Show the curve of held-out margins of every method, and what must be known about their units."""
    if not comparison.with_margins:
        return
    unit = "" if comparison.one_ruler else ", in units of the mean size of the method’s training margins"
    st.markdown(
        f"**How many held-out examples have at most this margin{unit}?** :small[per cent; median of the splits, band "
        "from the 10 to the 90 % quantile]"
    )
    draw(margin_panels_html(held_out_curves(comparison), comparison.names), CONTROLS.key("margin curves"))
    for note in unit_notes(comparison, "geometric") if comparison.one_ruler else [*off_axis_notes(comparison), SHAPES]:
        st.caption(plain(note))


def _show_gaps(comparison: Comparison) -> None:
    """Show the duality gaps of methods fitted through landmarks, and their distance to the exact kernel problem."""
    first = {name: comparison.of(key)[:1] for key, name in comparison.names.items()}
    spanned = {name: one for name, found in first.items() for one in found if one.landmarks and one.split == 0}
    if spanned:
        rows = max(result.n_fit for result in spanned.values())
        gaps = "; ".join(f"{name}: {gap_words(result.gap, result.exact_gap)}" for name, result in spanned.items())
        rest = any(result.params.get(WAY) == REST for result in spanned.values())
        largest = ", of one versus the rest the largest of its models" if rest else ""
        where = f"Gaps on the first split{largest}"
        st.caption(plain(f"All {rows:,} training rows are used through landmarks. {where}: {gaps}."))


def _reasons(comparison: Comparison) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for failure in comparison.failures:
        methods = found.setdefault(failure.reason, [])
        if comparison.names[failure.key] not in methods:
            methods.append(comparison.names[failure.key])
    return found


def show_warnings(notes: Sequence[Note]) -> None:
    for note in notes:
        if note.prominent:
            st.warning(plain(sentence(note)))
            if len(note.contrasts) > 1:
                with st.expander("Every method under both conditions"):
                    _contrasts(note.contrasts)


def _contrasts(found: Sequence[Contrast]) -> None:
    first = found[0]
    score = in_sentence(SCORES[first.score])
    term_table(
        [
            {
                "method": one.method,
                "planned": float(one.planned.mean()),
                "other": float(one.other.mean()),
                "gap": 100.0 * one.gap,
                "noise": 100.0 * one.noise,
            }
            for one in found
        ],
        {
            "method": METHOD,
            "planned": Column(CONDITIONS[first.as_planned].capitalize(), f"Mean {score} as planned.", text=percent),
            "other": Column(
                CONDITIONS[first.otherwise].capitalize(), f"Mean {score} under the other condition.", text=percent
            ),
            "gap": Column(
                "Difference, points",
                "The first minus the second, ± its standard error over overlapping splits.",
                text=lambda points: fixed(points, 1),
                spread="noise",
            ),
        },
    )


def show_data_headline(sample: Sample | None) -> None:
    with st.container(key="headline"):
        if sample is None:
            st.markdown("**Choose data: the answer appears here.**")
            return
        told = "Press Compare for an answer." if sample.own else "The first results appear in a moment."
        st.markdown(f"**{plain(data_headline(_picture(sample)))}** {plain(f'{sample.title}. {told}')}")


def show_data(sample: Sample | None) -> None:
    """Show the picture of the data; nothing without data, as the form then says what to choose."""
    if sample is not None:
        draw(data_picture_html(_picture(sample)), CONTROLS.key("picture of the data"))


def _picture(sample: Sample) -> DataPicture:
    found: DataPicture = cached_for(PICTURE, (sample.facts, sample.code), lambda: data_picture(sample.data))
    return found
