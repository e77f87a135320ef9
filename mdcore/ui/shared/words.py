"""Words of others, file names and cells, as they stand: Streamlit's texts are Markdown."""

from __future__ import annotations

import re

import streamlit as st

from mdcore.data import DataProblem

_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$~:&])")


def plain(text: str) -> str:
    """Return the text with every mark of Markdown escaped."""
    return _MARKS.sub(r"\\\1", text)


def explain(problem: DataProblem) -> None:
    """Show what is wrong, where, and what to do."""
    st.error(
        f"**{plain(problem.where)}**: {plain(problem.what)}\n\n{plain(problem.todo)}", icon=":material/error_outline:"
    )
