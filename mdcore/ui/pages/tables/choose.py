"""The page's controls for the part of a table to rerun, and its URL."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from urllib.parse import urlencode

import streamlit as st

from mdcore.papers.protocol import TableProtocol, known, papers, protocol, tables_of
from mdcore.papers.run_plan import TableRequest
from mdcore.papers.sets import Rows, local_sets
from mdcore.spec import Interval, Param, Slider
from mdcore.ui.shared.controls import Controls
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.page_address import show_address

FIRST = ("ldm-2014", 3)
FEW = 3  # the default number of data sets and of splits: a run of seconds
SPLITS = Param("splits", "splits", FEW, Interval(1, 1000), Slider(1, 100), "The number of random splits.", integer=True)
CONTROLS = Controls("tables")


@dataclass
class TablesState:
    """The page's state besides its controls.

    `address_read` is True once the URL has been read. `wanted` has the data sets and methods named in the URL until
    their controls are drawn. `problem` is the reason why a run could not start.
    """

    address_read: bool = False
    wanted: dict[str, list[str]] = field(default_factory=dict)
    problem: str = ""


def memory() -> TablesState:
    """Return the page's state in the visitor's session."""
    return state_of(TablesState)


def choose() -> tuple[TableRequest | None, dict[str, Rows]]:
    """Return the request, or None if nothing is chosen, and the table's data sets that are available."""
    _begin_from_address()
    paper_at, table_at, splits_at = st.columns([3, 3, 2], vertical_alignment="bottom")
    paper = paper_at.selectbox(
        "Paper", papers(), format_func=_paper_name, key=CONTROLS.key("paper"), persist_state="session"
    )
    numbers = tables_of(paper)
    if st.session_state.get(CONTROLS.key("table")) not in numbers:
        st.session_state[CONTROLS.key("table")] = 3 if 3 in numbers else numbers[0]
    number = table_at.selectbox(
        "Table", numbers, format_func=lambda n: f"Table {n}: {protocol(paper, n).what}", key=CONTROLS.key("table"),
        persist_state="session",
    )  # fmt: skip
    table = protocol(paper, number)
    here = local_sets(table)
    datasets = _datasets(table, here)
    methods = _methods(table)
    most = max((table.sets[name].splits for name in datasets), default=math.inf)
    in_paper = f"The paper uses {most}. " if datasets else ""
    with splits_at:
        splits = CONTROLS.ask(
            SPLITS, most=most, help=f"{SPLITS.help} {in_paper}Finished splits are kept when you ask for more."
        )
    if not datasets or not methods:
        st.info("Choose at least one data set and one method.")
        return None, here
    request = TableRequest(paper, number, tuple(datasets), tuple(methods), splits)
    show_address("tables", query_of(request), step=False)
    return request, here


def query_of(request: TableRequest) -> str:
    values = {"paper": request.paper, "table": request.table, "splits": request.splits}
    lists = {"datasets": ",".join(request.datasets), "methods": ",".join(request.methods)}
    return urlencode(values | lists, safe=",")


def _datasets(table: TableProtocol, here: dict[str, Rows]) -> list[str]:
    small = sorted(here, key=lambda name: here[name].dataset.n * here[name].dataset.d)[:FEW]
    chosen = st.multiselect(
        "Data sets",
        list(here),
        format_func=lambda name: _set_name(here[name]),
        key=_chosen(table, "datasets", [name for name in here if name in small], list(here)),
        persist_state="session",
        help="A star marks a set whose shape differs from the printed one.",
    )
    left_out = {name: entry.unavailable for name, entry in table.sets.items() if entry.unavailable}
    absent = [name for name in table.sets if name not in here and name not in left_out]
    if absent:
        st.caption(
            f"{len(absent)} of the table's {len(table.sets)} sets are not on this machine: {plain(', '.join(absent))}. "
            "Set MARGIN_LAB_DATA to a folder of CSV files to add those that it contains."
        )
    for name, why in left_out.items():
        st.caption(plain(f"{name} cannot be rerun: {why}."))
    return [name for name in here if name in chosen]


def _methods(table: TableProtocol) -> list[str]:
    compared = [key for key in table.methods if any(method == key for _, method in table.printed)]
    chosen = st.multiselect(
        "Methods",
        compared,
        format_func=lambda key: table.methods[key].label,
        key=_chosen(table, "methods", compared, compared),
        persist_state="session",
    )
    return [key for key in compared if key in chosen]


def _chosen(table: TableProtocol, what: str, first: list[str], legal: list[str]) -> str:
    """Return the key of a control, initialised with the names in the URL, or else with `first`."""
    key = CONTROLS.key(f"{what} {table.paper} {table.table}")
    wanted = memory().wanted.pop(what, None)
    if wanted is not None:
        st.session_state[key] = [name for name in legal if name in wanted]
    st.session_state.setdefault(key, first)
    return key


def _begin_from_address() -> None:
    """Set the controls from the URL, once per session; show the error if it is invalid."""
    if memory().address_read:
        return
    memory().address_read = True
    given = st.query_params.to_dict()
    st.session_state[CONTROLS.key("paper")], st.session_state[CONTROLS.key("table")] = FIRST
    if "paper" not in given:
        return
    try:
        table = protocol(given["paper"], int(given.get("table", FIRST[1])))
        for name, all_of_them, what in (("datasets", table.sets, "data set"), ("methods", table.methods, "method")):
            if given.get(name):
                wanted = [known(each, all_of_them, f"{table.name}: {what}") for each in given[name].split(",")]
                memory().wanted[name] = wanted
        if "splits" in given:
            st.session_state[CONTROLS.key("splits")] = int(SPLITS.parse(given["splits"], "the address"))
    except ValueError as error:
        st.error(f"The address cannot be used: {plain(str(error))}")
        return
    st.session_state[CONTROLS.key("paper")], st.session_state[CONTROLS.key("table")] = table.paper, table.table


def _paper_name(paper: str) -> str:
    table = protocol(paper, tables_of(paper)[0])
    return f"{table.title}: {table.source}"


def _set_name(rows: Rows) -> str:
    return f"{rows.name}{'*' if rows.differs else ''}, {rows.dataset.n:,} × {rows.dataset.d}"
