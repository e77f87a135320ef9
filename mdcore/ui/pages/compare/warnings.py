"""What a reader of the answer should know beside it: the prominent notes, with the scores that they rest on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mdcore.basics.shown_table import Column
from mdcore.basics.text import fixed, in_sentence, percent
from mdcore.study import SCORES, Contrast, Note, sentence
from mdcore.study.shown_tables import METHOD
from mdcore.study.wording import CONDITIONS
from mdcore.ui.shared.term_table import term_table
from mdcore.ui.shared.words import plain


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
