"""The form in which a visitor chooses, reads and prepares a table, drawn by `choose_table`.

Tables are kept in the session state alone, so that no other session can reach them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from mdcore.basics.text import count
from mdcore.data import (
    SOURCES,
    Choices,
    DataProblem,
    OwnSource,
    Table,
    as_file,
    load_dataset,
    read_openml,
    read_table,
    table_of,
)
from mdcore.data.sources.folder import PREFIX, VARIABLE, folder_files, read_file
from mdcore.data.sources.papers import PAPER_SETS, PaperSet
from mdcore.data.tables.wording import sentence, why
from mdcore.serving.visits import OwnSources
from mdcore.ui.own_table.address import (
    FOLDER,
    FOLDER_NAME,
    OPENML,
    OPENML_NAME,
    PAPER,
    PAPERS,
    PLACE,
    UPLOAD,
    linked_choices,
)
from mdcore.ui.own_table.choosing import choose_choices
from mdcore.ui.own_table.file_format import chosen_format, format_choices, set_format, show_detected
from mdcore.ui.own_table.session_tables import forget
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.term_table import in_words, term_table
from mdcore.ui.shared.words import explain, plain
from mdcore.ui.workarounds.sessions import visitor
from mdcore.ui.workarounds.uploads import remove_upload

PREVIEW_ROWS, PREVIEW_COLUMNS = 200, 100
COLUMNS = {
    "column": "Its name in the table.",
    "kind": "How it is interpreted: as a number, a category, a date or an identifier. You can change this below.",
    "why": "The evidence for its kind.",
    "missing": "The number of rows without a value.",
    "different": "The number of different values.",
}
LARGE = 8 * 2**20  # bytes from which a file is read with a progress bar
PAPER_TITLES = {
    "ldm-2014": "LDM",
    "mcodm-2017": "mcODM",
    "msvmav-2022": "MSVM_Av",
    "mamc-2016": "MAMC",
    "pumma-2009": "PUMMA",
}


@dataclass(frozen=True, eq=False)
class Held:
    """A table read at a place: the request, the table, its number in this session, and the initial choices."""

    asked: Any
    table: Table
    number: int
    start: Choices | None = None


@dataclass(frozen=True)
class File:
    """An uploaded file; `number` is unique to the upload."""

    name: str
    content: bytes
    number: str


@dataclass
class Reading:
    """What a session has read: the uploaded file, the Held table of each place, and a counter of tables.

    `cancelled_file` is the name of the file whose reading was cancelled. `uploader` counts cancellations: each
    replaces the uploader by an empty one.
    """

    file: File | None = None
    cancelled_file: str = ""
    uploader: int = 0
    held: dict[str, Held] = field(default_factory=dict)
    count: int = 0


def choose_table() -> tuple[Table, Choices] | None:
    """Return the table and the choices about it; None while nothing usable is chosen, with the reason on the page."""
    st.session_state.setdefault(PLACE, UPLOAD)
    places = [UPLOAD, *([FOLDER] if os.environ.get(VARIABLE) else []), OPENML, PAPERS]
    place = str(
        st.segmented_control(
            "Source",
            places,
            required=True,
            help="A file of yours stays in this session; OpenML and the papers' sets are fetched from the network.",
            key=PLACE,
            persist_state="session",
        )
    )
    draw = {UPLOAD: _from_upload, FOLDER: _from_folder, OPENML: _from_openml, PAPERS: _from_papers}
    try:
        table = draw[place]()
        if table is None:
            return None
        _show(table)
        held = state_of(Reading).held[place]
        choices = choose_choices(table, f"table {held.number}", held.start or linked_choices(table))
        return None if choices is None else (table, choices)
    except DataProblem as problem:
        explain(problem)
        return None


def present(source: OwnSource, choices: Choices) -> None:
    """Make `choose_table` show the table of a source with these choices: at its place, or as an upload if it has
    none."""
    reading = state_of(Reading)
    held = reading.held
    place = next((name for name, one in held.items() if one.table is source.table), None)
    if place is None:
        table, number = as_file(source.table), f"file {_next_number()}"
        place, asked = UPLOAD, (number, tuple(set_format(number, dict(table.origin.options)).items()))
        assert table.content is not None, "as_file gives every table the content of a file"
        reading.file = File(table.name, table.content, number)
        state_of(OwnSources).keep(UPLOAD, source)
    else:
        table, asked = source.table, held[place].asked
    held[place] = Held(asked, table, _next_number(), choices)
    st.session_state[PLACE] = place


# Origins


def _from_upload() -> Table | None:
    uploaded = st.file_uploader(
        "A table as text: CSV, TSV or the like",
        key=_uploader(),
        on_change=_take_upload,
        help="Cells separated by commas, semicolons, tabs, bars or spaces, in any encoding. It stays in this session.",
    )
    file = state_of(Reading).file
    if file is None:
        if state_of(Reading).cancelled_file:
            st.warning(
                f"Reading {plain(state_of(Reading).cancelled_file)} was cancelled, and nothing was kept. To read it "
                "after all, choose it again."
            )
        st.info(
            "Choose a file. Its encoding, delimiter, decimal sign and target are detected, and you can change each."
        )
        return None
    name, content, number = file.name, file.content, file.number
    if uploaded is None:  # the uploader is empty after a visit to another page
        st.button(f"Forget {plain(name)}", icon=":material/delete:", on_click=_forget_upload)
    options, problem, table = chosen_format(number), None, None
    try:
        table = _table_at(UPLOAD, (number, tuple(options.items())), lambda: _read(content, name, options))
    except DataProblem as found:
        problem = found
    with st.expander("How the file is read", icon=":material/settings:", expanded=problem is not None):
        notes = format_choices(number)
    if problem is not None:
        raise problem
    assert table is not None
    st.caption(show_detected(table, notes))
    return table


def _read(content: bytes, name: str, options: Mapping[str, Any]) -> Table:
    """Read a file. A large one shows progress and a cancel button, which takes effect at the next progress report."""
    if len(content) < LARGE:
        return read_table(content, name, **options)
    place = st.empty()
    with place.container():
        bar = st.progress(0.0)
        st.button("Cancel", icon=":material/close:", on_click=_cancel_reading, args=(name,), key="cancel reading")

    def progress(share: float) -> None:
        bar.progress(
            min(share, 1.0), plain(f"Reading {name}: {100.0 * share:.0f} % of {len(content) / 2**20:,.0f} MiB")
        )

    progress(0.0)
    try:
        return read_table(content, name, **options, progress=progress)
    finally:
        place.empty()


def _take_upload() -> None:
    """Store the file's content: the uploader itself loses it when the visitor goes to another page."""
    uploaded, reading = st.session_state[_uploader()], state_of(Reading)
    reading.cancelled_file = ""
    if uploaded is None:
        _forget_upload()
    else:
        reading.file = File(uploaded.name, uploaded.getvalue(), uploaded.file_id)


def _uploader() -> str:
    return f"table upload {state_of(Reading).uploader}"


def _cancel_reading(name: str) -> None:
    """Drop a file while it is being read, and replace the uploader by an empty one."""
    _forget_upload()
    reading = state_of(Reading)
    reading.cancelled_file, reading.uploader = name, reading.uploader + 1


def _forget_upload() -> None:
    reading = state_of(Reading)
    if reading.file is not None:
        remove_upload(visitor().session, reading.file.number)
    reading.file = None
    reading.held.pop(UPLOAD, None)
    forget(UPLOAD)


def _from_folder() -> Table | None:
    names = [key.removeprefix(PREFIX) for key in folder_files()]
    name = st.selectbox("File", names, index=None, key=FOLDER_NAME, persist_state="session")
    return None if name is None else _table_at(FOLDER, name, lambda: read_file(PREFIX + name))


def _from_openml() -> Table | None:
    with st.form("table openml", border=False):
        wanted = st.text_input(
            "Name or number of a data set at openml.org",
            help="As shown on its page there, such as diabetes or 37. Fetched once, then kept on this machine.",
            key=OPENML_NAME,
            persist_state="session",
        )
        asked = st.form_submit_button("Fetch", icon=":material/download:")
    return _fetched(OPENML, wanted.strip(), asked)


def _from_papers() -> Table | None:
    entry = st.selectbox(
        "Data set",
        PAPER_SETS,
        index=None,
        format_func=_paper_line,
        help="The data sets of the papers' experiments, with the rows, columns and classes that the papers print.",
        key=PAPER,
        persist_state="session",
    )
    if entry is None:
        return None
    if entry.note:
        st.caption(plain(f"{entry.note[:1].upper()}{entry.note[1:]}."))
    if entry.catalogue_key in SOURCES:
        return _table_at(PAPERS, entry, lambda: table_of(load_dataset(entry.catalogue_key)))
    if entry.catalogue_key in folder_files():
        return _table_at(PAPERS, entry, lambda: read_file(entry.catalogue_key))
    if not entry.openml:
        raise DataProblem("no copy", entry.name)
    st.caption(
        "Names and numbers from OpenML are not checked here: compare the data with the paper's shape, "
        f"{entry.rows:,} rows and {entry.features:,} columns."
    )
    asked = st.button(f"Fetch {entry.openml} from OpenML", icon=":material/download:")
    return _fetched(PAPERS, str(entry.openml), asked)


def _paper_line(entry: PaperSet) -> str:
    shape = f"{entry.rows:,} × {entry.features:,}, {entry.classes} classes"
    where = f", OpenML {entry.openml}" if entry.openml else ""
    return f"{PAPER_TITLES[entry.paper]}, Table {entry.table}: {entry.name} ({shape}{where})"


def _fetched(place: str, wanted: str, asked: bool) -> Table | None:
    """Return a table from OpenML: fetched on request, and shown again while the same one is wanted."""
    if not asked:
        held = state_of(Reading).held.get(place)
        return held.table if held and held.asked == wanted else None
    with st.status("Asking OpenML") as status:
        try:
            table = _table_at(place, wanted, lambda: read_openml(wanted, lambda words: status.update(label=words)))
        except DataProblem:
            status.update(label="Nothing was fetched", state="error")
            raise
        status.update(label=f"Fetched {table.name}", state="complete")
    return table


def _table_at(place: str, asked: Any, read: Callable[[], Table]) -> Table:
    """Return the table of a place, reading it only if the request has changed."""
    held = state_of(Reading).held
    if place not in held or held[place].asked != asked:
        held.pop(place, None)  # frees the previous table before reading
        forget(place)
        held[place] = Held(asked, read(), _next_number())
    found: Table = held[place].table
    return found


def _next_number() -> int:
    reading = state_of(Reading)
    reading.count += 1
    return reading.count


# Results


def _show(table: Table) -> None:
    """Show what was found: size, notes, a preview and the columns."""
    missing = sum(column.missing for column in table.columns)
    st.markdown(
        f"**{plain(table.name)}**: {count(table.n, 'row')}, {count(len(table.columns), 'column')}, "
        + (f"{count(missing, 'missing value')}." if missing else "nothing missing.")
    )
    for note in table.notes:
        st.warning(plain(sentence(note)), icon=":material/info:")
    with st.expander("Rows and columns", icon=":material/table:"):
        _preview(table)


def _preview(table: Table) -> None:
    rows, columns = st.tabs(["Rows", "Columns"])
    with rows:
        st.dataframe(table.frame.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS], height=240)
        sizes = (("rows", PREVIEW_ROWS, table.n), ("columns", PREVIEW_COLUMNS, len(table.columns)))
        cut = [f"{most:,} of {size:,} {what}" for what, most, size in sizes if size > most]
        if cut:
            st.caption(f"The first {' and '.join(cut)}.")
    with columns:
        found = {
            "column": [column.name for column in table.columns],
            "kind": [column.kind for column in table.columns],
            "why": list(map(why, table.columns)),
            "missing": [column.missing for column in table.columns],
            "different": [column.distinct for column in table.columns],
        }
        term_table(pd.DataFrame(found), in_words(COLUMNS), height=240)
