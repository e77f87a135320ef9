"""The choices about a table: target, columns, classes, treatment of missing values and categories; also as JSON, and as
differences from the proposal to fit into an address."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Literal, Self, get_args

from mdcore.data.preparation import SCALING, ScalingName
from mdcore.data.splitting import GROUPS, RANDOM, SEED, TEST, Kind
from mdcore.data.tables.cells import as_numbers, as_texts
from mdcore.data.tables.kinds import LEGAL, USABLE, Column
from mdcore.data.tables.problems import MOST_DIGITS, DataProblem, NeedsChoice, read_json
from mdcore.data.tables.proposals import propose_groups
from mdcore.data.tables.reading import Table

Missing = Literal["drop", "impute", "indicator"]
Encoding = Literal["one-hot", "pooled", "target", "ordinal", "drop"]
Dates = Literal["parts", "elapsed"]

MISSING_WAYS: Mapping[str, str] = {
    "drop": "leave out rows with a missing value",
    "impute": "median for numbers, most frequent level for categories",
    "indicator": "median and an indicator column for numbers, a separate level for categories",
}
ENCODING_WAYS: Mapping[str, str] = {
    "one-hot": "one column of 0 and 1 for every level",
    "pooled": "one-hot, with all levels of less than 1 % of the rows in one column",
    "target": "one-hot, but with many levels (above 30, or above 10 with fewer than 40 rows each) each level's share "
    "of the classes, cross-fitted",
    "ordinal": "one column of 0, 1, 2, ... in the order of the levels",
    "drop": "leave out categories",
}
DATE_WAYS: Mapping[str, str] = {
    "parts": "year, month, day of the week, hour",
    "elapsed": "days since 1970",
}
MANY = 30  # levels: more are many in any table
SEVERAL = 10  # levels: more are many in a table with fewer rows than ROWS_PER_LEVEL for each
ROWS_PER_LEVEL = 40
MOST_KEPT = 9
MOST_CLASSES = 100
REST = "(rest)"  # sorts before letters and digits, so that the class opposed to the rest comes last and is +1


@dataclass(frozen=True)
class Choices:
    """All choices about a table.

    `kinds` gives "numeric", "category" or "date" for every column; a numeric target is divided into two classes at
    `threshold`. `classes` lists 2 to 9 classes to keep, as texts; an empty tuple keeps all. `positive` is the positive
    class; if empty, `propose_positive` chooses it. With `rest`, it is opposed to all other classes kept. `scheme` is
    how rows are split, and `along` the column with the groups or times, which is then not a feature.
    """

    target: str
    kinds: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...] = ()
    missing: Missing = "impute"
    encoding: Encoding = "one-hot"
    dates: Dates = "parts"
    scaling: ScalingName = "standard"
    classes: tuple[str, ...] = ()
    positive: str = ""
    rest: bool = False
    threshold: float | None = None
    test: float = TEST.default
    seed: int = 0
    scheme: Kind = RANDOM
    along: str = ""

    def __post_init__(self) -> None:
        where = "choices"
        SCALING.check(self.scaling, where)
        TEST.check(self.test, where)
        SEED.check(self.seed, where)
        for key, figures in self._faults():
            raise DataProblem(key, where, **figures)

    def _faults(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what is wrong with the choices, and the figures."""
        for name, kind in self.kinds:
            if kind not in LEGAL:
                yield "illegal kind", {"column": name, "kind": kind, "legal": LEGAL}
        ways = {"missing": Missing, "encoding": Encoding, "dates": Dates, "scheme": Kind}
        for field, legal in ((field, get_args(way)) for field, way in ways.items()):
            if getattr(self, field) not in legal:
                yield "illegal choice", {"field": field, "value": getattr(self, field), "legal": legal}
        if self.threshold is not None and not math.isfinite(self.threshold):
            yield "infinite threshold", {"value": self.threshold}
        if (self.scheme == RANDOM) != (not self.along):
            yield "scheme without its column", {"scheme": self.scheme, "along": self.along}
        if self.along == self.target:
            yield "target splits", {"target": self.target}
        if self.target in self.dropped:
            yield "target is dropped", {"target": self.target}
        kept = len(set(self.classes))
        if kept and not 2 <= kept <= MOST_KEPT:
            yield "number of classes kept", {"kept": kept, "most": MOST_KEPT}
        if kept and self.positive and self.positive not in self.classes:
            yield "positive class left out", {"name": self.positive, "classes": self.classes}

    def kind(self, column: str) -> str:
        """Return the kind that a column is used as; columns not listed are categories."""
        return self._kind_of.get(column, "category")

    @cached_property
    def _kind_of(self) -> dict[str, str]:
        return dict(self.kinds)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls.from_fields(read_json(text, "choices", "text"))

    @classmethod
    def from_fields(cls, given: Any) -> Self:
        """Return the choices from a mapping of fields to JSON values, after checking each."""
        known = {field.name for field in fields(cls)}
        if not isinstance(given, dict) or not {"target", "kinds"} <= set(given) <= known:
            raise DataProblem("fields of choices", "choices", known=sorted(known))
        for name, value in given.items():
            if not _fits(name, value):
                raise DataProblem("type of a choice", "choices", field=name, value=value)
        return cls(**{name: _frozen(value) for name, value in given.items()})


def _fits(name: str, value: Any) -> bool:
    """Return whether a value has the type of a field; `Choices` checks whether it is legal."""
    if name == "kinds":
        return _is_list(value) and all(_is_list(pair) and len(pair) == 2 and _are_texts(pair) for pair in value)
    if name in ("dropped", "classes"):
        return _is_list(value) and _are_texts(value)
    if name in ("threshold", "test", "seed"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number or (name == "threshold" and value is None)
    return isinstance(value, bool if name == "rest" else str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if _is_list(value) else value


def propose(table: Table, target: str | None = None) -> Choices:
    """Return the proposed choices for a table: the given or guessed target, without columns of unusable kinds, split by
    groups if there are any."""
    goal = table.column(target if target is not None else table.target.value)
    kinds = [
        (column.name, "numeric" if column.numbers and not (column is goal and column.classes) else _other_kind(column))
        for column in table.columns
    ]
    dropped = [column.name for column in table.columns if column.kind not in USABLE and column is not goal]
    groups = propose_groups(table, goal.name)
    many = any(c.kind == "category" and has_many_levels(c.distinct, table.n) and c is not goal for c in table.columns)
    return Choices(
        goal.name,
        tuple(kinds),
        tuple(name for name in dropped if groups is None or name != groups.value),
        encoding="target" if many else "one-hot",
        scheme=RANDOM if groups is None else GROUPS,
        along="" if groups is None else groups.value,
    )


def has_many_levels(levels: int, rows: int) -> bool:
    """Return whether a category has so many levels that one column for each drowns the other columns.

    Measured on tables of 200 to 1,500 rows: with fewer than 40 rows a level, one-hot columns cost a kernel machine 1 to
    18 points, and shares of the classes at most 3.
    """
    return levels > MANY or (levels > SEVERAL and levels * ROWS_PER_LEVEL > rows)


def _other_kind(column: Column) -> str:
    return "date" if column.kind == "date" else "category"


def label_texts(table: Table, choices: Choices) -> Any:
    """Return the label of every row as a text, before any class is left out, as a pandas Series; NaN if missing.

    Raise NeedsChoice for a numeric target without a threshold.
    """
    column = table.column(choices.target)
    values, category = table.frame[column.name], choices.kind(column.name) == "category"
    cells = as_texts(values) if category else as_numbers(values, table.decimal)
    if not category and cells.isna().all() and column.missing < table.n:
        raise DataProblem("no label is a number", f"{table.name}, target {column.name!r}")
    if cells.isna().all():
        raise DataProblem("no labels", f"{table.name}, target {column.name!r}")
    if category:
        return cells
    if choices.threshold is not None:
        low, high = f"<= {choices.threshold:g}", f"> {choices.threshold:g}"
        return cells.map(lambda value: low if value <= choices.threshold else high, na_action="ignore")
    median = float(cells.median())
    where = f"{table.name}, target"
    raise NeedsChoice(
        "numbers, not classes", where, choice="threshold", offer=median, column=column.name, distinct=column.distinct
    )


def class_counts(table: Table, choices: Choices) -> dict[str, int]:
    """Return the number of rows in each class of the target, before any is left out: numbers first, then texts."""
    counts = Counter(label_texts(table, choices).dropna())
    return {name: counts[name] for name in sorted(counts, key=class_order)}


def most_frequent(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the labels that can be classes, in their order: the MOST_CLASSES most frequent, or all if fewer."""
    kept = {name for name, _ in Counter(counts).most_common(MOST_CLASSES)}
    return {name: count for name, count in counts.items() if name in kept}


def class_order(name: str) -> tuple[bool, float, str]:
    """Return a sort key for the order in which scikit-learn sorts labels: whole numbers by value, texts by letter."""
    whole = is_whole(name)
    return (not whole, float(name) if whole else 0.0, name)


def is_whole(name: str) -> bool:
    """Return whether a label is a whole number that fits into 64 bits, in the form in which Python writes it."""
    return len(name) <= MOST_DIGITS and name.removeprefix("-").isdecimal() and name.isascii() and str(int(name)) == name


def changes_from_proposal(table: Table, choices: Choices) -> str:
    """Return the target and every choice that differs from the proposal for that target, as JSON."""
    made, proposed = asdict(choices), asdict(propose(table, choices.target))
    different = {name: value for name, value in made.items() if value != proposed[name]}
    if "kinds" in different:
        different["kinds"] = [pair for pair in made["kinds"] if pair not in proposed["kinds"]]
    return json.dumps({"target": choices.target, **different}, ensure_ascii=False, separators=(",", ":"))


def apply_changes(table: Table, text: str) -> Choices:
    """Return the choices from a text of `changes_from_proposal`; raise DataProblem if they do not fit the table."""
    given = read_json(text, "choices", "link")
    if not isinstance(given, dict) or not isinstance(given.get("target"), str):
        raise DataProblem("no target is named", "choices")
    proposed = asdict(propose(table, given["target"]))
    with suppress(TypeError, ValueError):  # `from_fields` refuses anything but a list of pairs
        given["kinds"] = list((dict(proposed["kinds"]) | dict(given.get("kinds", ()))).items())
    choices = Choices.from_fields(proposed | given)
    for name in (*choices.dropped, *dict(choices.kinds)):
        table.column(name)
    return choices
