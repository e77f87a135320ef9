"""Text from outside, such as file names and cells, shown literally: Streamlit renders its texts as Markdown."""

from __future__ import annotations

import re

import streamlit as st

from mdcore.data import DataProblem

_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$~:&])")


def plain(text: str) -> str:
    """Return the text with all Markdown characters escaped."""
    return _MARKS.sub(r"\\\1", text)


def explain(problem: DataProblem) -> None:
    """Show a problem with the data as an error: where it is, what is wrong, and what to do."""
    st.error(
        f"**{plain(problem.where)}**: {plain(problem.what)}\n\n{plain(problem.todo)}", icon=":material/error_outline:"
    )
