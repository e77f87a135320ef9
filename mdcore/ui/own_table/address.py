"""The origin of a table as text for the URL. An uploaded file has none."""

from __future__ import annotations

import os
from dataclasses import dataclass

import streamlit as st

from mdcore.data import Choices, DataProblem, Table
from mdcore.data.sources.folder import PREFIX, VARIABLE, folder_files
from mdcore.data.sources.papers import PAPER_SETS
from mdcore.data.tables.columns import apply_changes
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.words import plain

UPLOAD, FOLDER, OPENML, PAPERS = "Upload", "Data folder", "OpenML", "The papers' sets"
PLACE = "table place"
FOLDER_NAME, OPENML_NAME, PAPER = "table folder", "table openml name", "table paper"
OPENML_PREFIX, PAPER_PREFIX = "openml:", "paper:"


@dataclass
class LinkedTable:
    """The table that a link named last, and the link's choices as text."""

    address: str = ""
    choices: str = ""


def table_address() -> str:
    """Return the address of the table now chosen, or "" if it has none."""
    state, place = st.session_state, st.session_state.get(PLACE)
    if place == FOLDER and state.get(FOLDER_NAME):
        return f"{PREFIX}{state[FOLDER_NAME]}"
    if place == OPENML and state.get(OPENML_NAME, "").strip():
        return f"{OPENML_PREFIX}{state[OPENML_NAME].strip()}"
    if place == PAPERS and state.get(PAPER):
        return f"{PAPER_PREFIX}{state[PAPER].paper}:{state[PAPER].name}"
    return ""


def take_table_address(text: str, choices: str) -> None:
    """Select the table of an address, with the choices made about it; raise ValueError if the address is unknown."""
    state = st.session_state
    papers = {f"{PAPER_PREFIX}{entry.paper}:{entry.name}": entry for entry in PAPER_SETS}
    if text in papers:
        state[PLACE], state[PAPER] = PAPERS, papers[text]
    elif text.startswith(OPENML_PREFIX) and len(text) > len(OPENML_PREFIX):
        state[PLACE], state[OPENML_NAME] = OPENML, text.removeprefix(OPENML_PREFIX)
    elif os.environ.get(VARIABLE) and text in folder_files():
        state[PLACE], state[FOLDER_NAME] = FOLDER, text.removeprefix(PREFIX)
    else:
        known = "a file of the data folder (folder:name), of OpenML (openml:number) or a paper's set (paper:...)"
        raise ValueError(f"There is no table {text!r} here; a link can name {known}.")
    linked = state_of(LinkedTable)
    linked.address, linked.choices = text, choices


def linked_choices(table: Table) -> Choices | None:
    """Return the choices in the link that led to this table; None if there are none or they do not apply."""
    linked = state_of(LinkedTable)
    if not linked.choices or linked.address != table_address():
        return None
    try:
        return apply_changes(table, linked.choices)
    except DataProblem as problem:
        st.warning(plain(f"The choices in the link do not apply. {problem}"))
        return None
