"""The score by which the methods are compared, as the visitor chose it."""

from __future__ import annotations

import streamlit as st

from mdcore.study import SCORES, Comparison, fitting_score
from mdcore.study.scores import EXPLAINED
from mdcore.ui.pages.compare.controls import CONTROLS

SCORE = CONTROLS.key("score")


def score_of(comparison: Comparison) -> str:
    """Return the chosen score; by default the one that suits the class frequencies."""
    return str(st.session_state.setdefault(SCORE, fitting_score(comparison.y)))


def choose_score() -> str:
    """Ask for the score by which methods are compared."""
    return str(
        st.selectbox(
            "Score",
            list(SCORES),
            format_func=SCORES.__getitem__,
            key=SCORE,
            help="  \n".join(f"{SCORES[name]}: {text}" for name, text in EXPLAINED.items()),
            persist_state="session",
            width=240,
        )
    )


def forget_score() -> None:
    """Let the next comparison choose its score, as other data may call for another."""
    st.session_state.pop(SCORE, None)
