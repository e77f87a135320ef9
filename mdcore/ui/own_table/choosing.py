"""The choices about a table, each shown with the proposal and its reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mdcore.basics.shown_table import Column as Head
from mdcore.basics.text import count
from mdcore.data import (
    SCALING,
    SEED,
    TEST,
    Choices,
    DataProblem,
    NeedsChoice,
    Table,
    class_counts,
    propose,
    select,
)
from mdcore.data.splitting import GROUPS, RANDOM, TIME, Kind
from mdcore.data.tables.columns import DATE_WAYS, ENCODING_WAYS, MISSING_WAYS, MOST_KEPT, most_frequent
from mdcore.data.tables.kinds import Column
from mdcore.data.tables.pipeline import by_classes
from mdcore.data.tables.proposals import RULE, propose_groups, propose_positive
from mdcore.data.tables.wording import reason, why
from mdcore.ui.shared.controls import Controls
from mdcore.ui.shared.session import cached_for
from mdcore.ui.shared.term_table import term_table
from mdcore.ui.shared.words import plain

CUT, EACH = "Cut in two at a threshold", "Every number is a class"
MOST_NAMED = 6
CLASSES = {
    "class": Head("class", "A value of the target column."),
    "rows": Head("rows", "The number of rows with this value."),
    "share": Head("share", "The percentage of rows with this value.", "bar"),
}
SPLITS: dict[Kind, str] = {RANDOM: "At random", GROUPS: "By groups", TIME: "By time"}
CHECKED = "table checked"  # the cached problem of the latest table and choices


def choose_choices(table: Table, key: str, start: Choices | None) -> Choices | None:
    """Return the choices made about a table; None while a question is open.

    `key` is unique to the table. `start` replaces the proposed choices. Raise DataProblem if the choices are unusable.
    """
    choices = _choose_target(table, key, start)
    if choices is None:
        return None
    counts = class_counts(table, choices)
    choices = _choose_split(table, choices, f"{key} {choices.target}")
    with st.expander("Columns, classes, preparation", icon=":material/tune:"):
        choices = _choose_columns(table, choices, " ".join([key, choices.target, *filter(None, [choices.along])]))
        choices = _choose_classes(choices, counts, f"{key} {choices.target} {choices.threshold}")
        choices = _choose_ways(table, choices, key)
    _show_left_out(table, choices)
    problem = cached_for(CHECKED, (table, choices), lambda: _problem_of(table, choices))
    if problem is not None:
        raise problem
    return choices


def _problem_of(table: Table, choices: Choices) -> DataProblem | None:
    """Return the problem with the choices, or None."""
    try:
        select(table, choices)
    except DataProblem as problem:
        return problem
    return None


def _choose_target(table: Table, key: str, start: Choices | None) -> Choices | None:
    """Return the initial choices for the chosen target; None while the meaning of its numbers is open."""
    names = [column.name for column in table.columns]
    target = st.selectbox(
        "Target",
        names,
        index=names.index(start.target if start else table.target.value),
        key=f"{key} target",
        help="The column that holds the classes.",
        persist_state="session",
    )
    st.caption(plain(f"Proposed: {table.target.value}, {reason(table.target)}."))
    lost = table.column(target).missing
    if lost > table.n / 2:
        there = f"Only {table.n - lost:,} of {table.n:,} rows have a value there"
        st.warning(f"{there}: the others are left out.", icon=":material/info:")
    proposed = propose(table, target)
    begun = start if start and start.target == target else proposed
    if proposed.kind(target) == "category":
        return begun
    try:
        class_counts(table, proposed)
    except NeedsChoice as question:
        return _answer(begun, question, f"{key} {target}")
    return begun


def _answer(begun: Choices, question: NeedsChoice, key: str) -> Choices | None:
    st.warning(f"{plain(question.what)} {plain(question.todo)}", icon=":material/help:")
    answer = st.segmented_control(
        "What are these numbers?",
        [CUT, EACH],
        default=CUT if begun.threshold is not None else EACH if begun.kind(begun.target) == "category" else None,
        key=f"{key} meaning",
        persist_state="session",
    )
    if answer is None:
        return None
    kinds = {**dict(begun.kinds), begun.target: "category" if answer == EACH else "numeric"}
    if answer == EACH:
        return replace(begun, kinds=tuple(kinds.items()), threshold=None)
    threshold = st.number_input(
        "Threshold",
        value=question.offer if begun.threshold is None else begun.threshold,
        format="%g",
        key=f"{key} threshold",
        help="Values up to it are one class, values above it the other. The median is suggested.",
        persist_state="session",
    )
    return replace(begun, kinds=tuple(kinds.items()), threshold=float(threshold))


def _choose_split(table: Table, proposed: Choices, key: str) -> Choices:
    """Ask whether rows are split at random, by groups, or by time."""
    left, right = st.columns(2)
    scheme: Kind = left.selectbox(
        "Splits",
        list(SPLITS),
        index=list(SPLITS).index(proposed.scheme),
        format_func=SPLITS.__getitem__,
        help="By groups: rows of one group, such as one patient, stay in the same part. By time: every test row is "
        "later than every training row.",
        key=f"{key} scheme",
        persist_state="session",
    )
    if scheme == RANDOM:
        return replace(proposed, scheme=RANDOM, along="")
    among = [c.name for c in table.columns if c.name != proposed.target and _can_order(c, scheme)]
    if not among:
        left.caption("No column fits: groups need a column without gaps, time a column of dates or numbers.")
        return replace(proposed, scheme=RANDOM, along="")
    along = right.selectbox(
        "Group" if scheme == GROUPS else "Time",
        among,
        index=among.index(proposed.along) if proposed.along in among else 0,
        help="This column is then not used as a feature.",
        key=f"{key} {scheme} along",
        persist_state="session",
    )
    groups = propose_groups(table, proposed.target)
    if scheme == GROUPS and groups is not None and groups.value == along:
        st.caption(plain(f"Proposed: {groups.value}, {reason(groups)}."))
    dropped = tuple(name for name in proposed.dropped if name != along)
    return replace(proposed, scheme=scheme, along=along, dropped=dropped)


def _can_order(column: Column, scheme: str) -> bool:
    fits = column.numbers or column.kind == "date" if scheme == TIME else column.kind != "constant"
    return fits and not column.missing


def _show_left_out(table: Table, choices: Choices) -> None:
    told = [f"{name} ({table.column(name).kind}: {why(table.column(name))})" for name in choices.dropped]
    if told:
        more = f", and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
        st.caption(plain(f"Left out: {'; '.join(told[:MOST_NAMED])}{more}."))


def _choose_columns(table: Table, proposed: Choices, key: str) -> Choices:
    """Ask which columns are left out, and which numeric columns are categories."""
    others = [column for column in table.columns if column.name not in (proposed.target, proposed.along)]
    left, right = st.columns(2)
    dropped = left.multiselect(
        "Left out",
        [column.name for column in others],
        default=[name for name in proposed.dropped if name != proposed.along],
        key=f"{key} dropped",
        help="Suggested: columns that number the rows, never change, or hold dates or free text.",
        persist_state="session",
    )
    codes = right.multiselect(
        "Numbers that are categories",
        [column.name for column in others if column.numbers],
        default=[column.name for column in others if column.numbers and proposed.kind(column.name) == "category"],
        key=f"{key} codes",
        help="Columns of codes, such as 1 = red, 2 = green, whose order and distances have no meaning.",
        persist_state="session",
    )
    meant = {column.name: "category" if column.name in codes else "numeric" for column in others if column.numbers}
    kinds = {**dict(proposed.kinds), **meant}
    return replace(proposed, dropped=tuple(dropped), kinds=tuple(kinds.items()))


def _choose_classes(choices: Choices, found: dict[str, int], key: str) -> Choices:
    """Ask which classes are kept, which is positive, and whether it is compared with all others together."""
    counts, total = most_frequent(found), sum(found.values())
    if len(counts) < len(found):
        st.caption(f"Showing the {len(counts)} most frequent of {len(found):,} labels.")
    left, right = st.columns(2)
    kept = left.multiselect(
        f"Classes kept: 2 to {MOST_KEPT}, or none chosen for all {len(found):,}",
        list(counts),
        default=[name for name in choices.classes if name in counts],
        max_selections=MOST_KEPT,
        help="Rows of the other classes are left out, before the split.",
        key=f"{key} classes",
        persist_state="session",
    )
    among = [name for name in counts if name in kept] or list(counts)
    proposed = propose_positive({name: counts[name] for name in among})
    with right:
        positive = st.selectbox(
            "Positive class",
            among,
            index=among.index(choices.positive if choices.positive in among else proposed.value),
            key=f"{key} positive {among}",
            help=f"The class that precision, recall and F1 refer to. {RULE}",
            persist_state="session",
        )
        st.caption(plain(f"Proposed: {proposed.value}, {reason(proposed)}."))
        rest = len(among) > 2 and st.toggle(
            "Against all others together", value=choices.rest, key=f"{key} rest", persist_state="session"
        )
    listed = [{"class": name, "rows": count, "share": 100 * count / total} for name, count in counts.items()]
    with left:
        term_table(listed, CLASSES, height=min(36 * (len(counts) + 1) + 2, 218))
    return replace(choices, classes=tuple(kept), positive=positive or "", rest=rest)


def _choose_ways(table: Table, choices: Choices, key: str) -> Choices:
    """Ask how missing values, categories, dates and scales are treated, and how rows are split; disable what the table
    does not need."""
    columns = [column for _ in range(3) for column in st.columns(2)]

    def is_date(column: Column) -> bool:
        return choices.kind(column.name) == "date"

    used = [c for c in table.columns if c.name not in (choices.target, *choices.dropped)]
    gaps, names = any(c.missing for c in used), any(choices.kind(c.name) == "category" for c in used)
    dates = _way(columns[5], "Dates", DATE_WAYS, choices.dates, key, there=any(map(is_date, used)))
    missing = _way(columns[0], "Missing values", MISSING_WAYS, choices.missing, key, there=gaps)
    encoding = _way(columns[1], "Categories", ENCODING_WAYS, choices.encoding, key, there=names)
    controls = Controls(key)
    with columns[2]:
        scaling = controls.ask(SCALING, first=choices.scaling)
    with columns[3]:
        test = controls.ask(TEST, first=float(choices.test), label="Test share")
    with columns[4]:
        seed = controls.ask(SEED, first=choices.seed)
    changed: dict[str, Any] = {"missing": missing, "encoding": encoding, "scaling": scaling, "dates": dates}
    chosen = replace(choices, **changed, test=float(test), seed=int(seed))
    many = by_classes(table, chosen)
    if many:
        told = ", ".join(f"{name} ({count(table.column(name).distinct, 'level')})" for name in many)
        st.caption(plain(f"With so many levels, encoded by each level's share of the classes: {told}."))
    return chosen


def _way(column: Any, label: str, ways: Any, proposed: str, key: str, *, there: bool) -> str:
    chosen: str = column.selectbox(
        label,
        list(ways),
        index=list(ways).index(proposed),
        key=f"{key} {label}",
        help="; ".join(f"**{name}**: {way}" for name, way in ways.items()) + ". Fitted on training rows only.",
        disabled=not there,
        placeholder="not needed",
        persist_state="session",
    )
    return chosen
