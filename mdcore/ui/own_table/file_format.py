"""The format of a file: the visitor's settings and, below each, the detected value with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mdcore.data import Table
from mdcore.data.tables.cells import MISSING
from mdcore.data.tables.detection import DECIMALS, DELIMITERS
from mdcore.data.tables.encodings import ENCODINGS
from mdcore.data.tables.wording import reason
from mdcore.ui.shared.words import plain

HEADERS = {True: "names", False: "values"}
CHOICES: Mapping[str, tuple[str, Mapping[Any, str]]] = {
    "encoding": ("Encoding", ENCODINGS),
    "delimiter": ("Delimiter", DELIMITERS),
    "decimal": ("Decimal sign", DECIMALS),
    "header": ("First line", HEADERS),
}


HELPS = {
    "encoding": "How bytes encode characters. If it is wrong, accented letters look garbled.",
    "delimiter": "The character between two cells of a line.",
    "decimal": "The character between the integer part of a number and its decimals.",
    "header": "Whether the first line names the columns or is a row of data.",
}


def chosen_format(number: str) -> dict[str, Any]:
    """Return the format options that the visitor set; detected ones are omitted."""
    state = st.session_state
    chosen = {name: state.get(_key(label, number)) for name, (label, _) in CHOICES.items()}
    missing = state.setdefault(_key("missing", number), list(MISSING))
    ragged = "leave out" if state.get(_key("ragged", number)) else "refuse"
    return _chosen({**chosen, "missing": missing, "ragged": ragged})


def format_choices(number: str) -> dict[str, DeltaGenerator]:
    """Draw the format settings; return placeholders for the detected values."""
    columns = st.columns(len(CHOICES))
    for column, (name, (label, names)) in zip(columns, CHOICES.items(), strict=True):
        _choice(column, label, names, HELPS[name], number)
    notes = {name: column.empty() for name, column in zip(CHOICES, columns, strict=True)}
    st.multiselect(
        "Read as missing",
        MISSING,
        format_func=lambda spelling: spelling or "(empty)",
        accept_new_options=True,
        help="Cells with exactly one of these texts count as missing. You can type others.",
        key=_key("missing", number),
        persist_state="session",
    )
    notes["missing"] = st.empty()
    st.toggle(
        "Leave out lines with too many or too few cells",
        help="Off: the file is rejected, and the error names the first such line. On: they are dropped and counted.",
        key=_key("ragged", number),
        persist_state="session",
    )
    return notes


def set_format(number: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Set the widgets of a file to these options, before they are drawn; return the options as `chosen_format` will."""
    chosen: dict[str, Any] = {}
    for name, (label, names) in CHOICES.items():
        chosen[name] = options[name] if options[name] in names else None
        st.session_state[_key(label, number)] = chosen[name]
    st.session_state[_key("missing", number)] = list(options["missing"])
    st.session_state[_key("ragged", number)] = options["ragged"] == "leave out"
    return _chosen({**chosen, "missing": options["missing"], "ragged": options["ragged"]})


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without detected and default ones."""
    given = {name: options[name] for name in CHOICES if options[name] is not None}
    if set(options["missing"]) != set(MISSING):
        given["missing"] = tuple(options["missing"])
    if options["ragged"] == "leave out":
        given["ragged"] = "leave out"
    return given


def _key(label: str, number: str) -> str:
    return f"table {label} {number}"


def _choice(column: DeltaGenerator, label: str, names: Mapping[Any, str], help: str, number: str) -> Any:
    return column.selectbox(
        label,
        [None, *names],
        format_func=lambda value: "detect" if value is None else names[value],
        help=f"{help} The detected value is shown below, with the reason.",
        key=_key(label, number),
        persist_state="session",
    )


def show_detected(table: Table, notes: Mapping[str, DeltaGenerator]) -> str:
    """Show each detected value with its reason below its setting; return a one-line summary."""
    how = table.format
    assert how is not None, "a file has a format"
    found = {
        "encoding": (ENCODINGS.get(how.encoding.value, how.encoding.value), reason(how.encoding)),
        "delimiter": (DELIMITERS.get(how.delimiter.value, repr(how.delimiter.value)), reason(how.delimiter)),
        "decimal": (DECIMALS[how.decimal.value], reason(how.decimal)),
        "header": (HEADERS[how.header.value], reason(how.header)),
        "missing": ("found", reason(how.missing)),
    }
    for name, (value, why) in found.items():
        notes[name].caption(f"**{plain(value)}**: {plain(why)}")
    first = "names in the first line" if how.header.value else "no header"
    values = [found[name][0] for name in ("encoding", "delimiter", "decimal")]
    return plain(f"Read as {values[0]}, cells separated by {values[1]}, decimal sign {values[2]}, {first}.")
