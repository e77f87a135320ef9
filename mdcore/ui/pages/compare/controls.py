"""The page's controls, whose values last as long as the session, and the score by which methods are compared."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mdcore.study import SCORES, Comparison, board, fitting_score, fitting_scores
from mdcore.study.scores import EXPLAINED
from mdcore.ui.shared.controls import Controls

CONTROLS = Controls("compare")


def score_of(comparison: Comparison) -> str:
    """Return the chosen score; by default the one that suits the class frequencies."""
    return str(st.session_state.setdefault(_key(comparison), fitting_score(comparison.y)))


def choose_score(comparison: Comparison) -> str:
    """Ask for the score by which methods are compared."""
    score_of(comparison)
    shown = fitting_scores(comparison.y)
    return str(
        st.selectbox(
            "Score",
            shown,
            format_func=SCORES.__getitem__,
            key=_key(comparison),
            help="  \n".join(f"{SCORES[name]}: {text}" for name, text in EXPLAINED.items() if name in shown),
            persist_state="session",
            label_visibility="collapsed",
            width=220,
        )
    )


def _key(comparison: Comparison) -> str:
    """Return the key of the control: data that call for another score do not take over an earlier choice."""
    return CONTROLS.key("score", fitting_score(comparison.y))


def choose_method(name: str, comparison: Comparison, among: Sequence[str], help: str = "") -> str:
    """Ask for one of some methods, best first: what is shown opens on the one that leads."""
    order = [line.key for line in board(comparison, score_of(comparison)).methods if line.key in among]
    return str(
        st.selectbox(
            "Method",
            order,
            format_func=comparison.names.__getitem__,
            key=CONTROLS.key(name, comparison.fingerprint[:8], order[0]),
            help=help or "The methods, best first.",
            width=240,
        )
    )
