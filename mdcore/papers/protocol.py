"""The papers' experiments as data: one file in `protocols/` for each paper, read into immutable values.

A file contains the tables as the paper prints them. Settings of a method apply to all tables of the paper unless a
table overrides them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Literal

from mdcore.data.sources.papers import PAPER_SETS, PaperSet

PaperParams = dict[str, Any]
GAP = re.compile(r"\s{2,}")
NOTHING = "-"


class Unknown(ValueError):
    """A name that does not exist; the message suggests the nearest existing name."""


@dataclass(frozen=True)
class Printed:
    """A printed value; `deviation` is None if the table has none."""

    mean: float
    deviation: float | None


@dataclass(frozen=True)
class TableMethod:
    """A column.

    `widths` are factors of the table's γ. `search` is over the full grid, or first over the widths, with the other
    parameters at their defaults, and then over the rest.
    """

    key: str
    label: str
    estimator: str
    fixed: PaperParams = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    widths: tuple[float, ...] = (1.0,)
    search: Literal["grid", "line"] = "grid"

    @property
    def choices(self) -> list[PaperParams]:
        """Every combination of the grid; the first parameter varies slowest."""
        return [self.fixed | dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]

    @property
    def alternatives(self) -> int:
        """Number of models fitted in each fold."""
        if self.search == "line":
            return len(self.widths) + len(self.choices)
        return len(self.widths) * len(self.choices)

    def fits(self, folds: int) -> int:
        return 1 + (folds * self.alternatives if self.alternatives > 1 else 0)


@dataclass(frozen=True)
class TableSet:
    """A row. `train` is the share or the number of training rows; `first` keeps only that many rows of the source.

    `unavailable` gives the reason why the set cannot be rerun, `beyond` why its full computation takes too long for
    RESULTS.md.
    """

    printed: PaperSet
    train: float | int
    splits: int
    options: PaperParams = field(default_factory=dict)
    first: int | None = None
    unavailable: str = ""
    beyond: str = ""

    @property
    def name(self) -> str:
        return self.printed.name


@dataclass(frozen=True)
class TableProtocol:
    """One table of a paper. `reference` is the method that the others are tested against.

    `page` is the page of the table, or None if unknown; `pages` is the page range of the paper, if known. `bias`: the
    kernels have a constant feature; methods with a bias parameter of their own always have it.
    """

    paper: str
    title: str
    source: str
    table: int
    section: str
    page: int | None
    pages: str
    what: str
    kernel: Literal["linear", "rbf"]
    gamma: str
    bias: bool
    folds: int
    percent: bool
    measure: Literal["accuracy", "margin"]
    reference: str
    notes: tuple[str, ...]
    methods: Mapping[str, TableMethod]
    sets: Mapping[str, TableSet]
    printed: Mapping[tuple[str, str], Printed]

    @property
    def name(self) -> str:
        return f"{self.title}, Table {self.table}"

    @property
    def place(self) -> str:
        """Place of the table in the paper."""
        if self.page is not None:
            return f"section {self.section}, page {self.page} of {self.pages}"
        if self.pages:
            return f"section {self.section}, on one of the pages {self.pages}"
        return f"section {self.section}, page not known"

    @property
    def unit(self) -> float:
        """Factor between a stored value and the printed unit."""
        return 100.0 if self.percent or self.measure == "margin" else 1.0

    @property
    def digits(self) -> int:
        return 2 if self.unit == 100.0 else 4 if self.paper == "msvmav-2022" else 3

    def method(self, key: str) -> TableMethod:
        return self.methods[known(key, self.methods, f"{self.name}: method")]

    def set(self, name: str) -> TableSet:
        return self.sets[known(name, self.sets, f"{self.name}: data set")]


def known(name: str, names: Any, what: str) -> str:
    """Return the entry of `names` that `name` stands for, ignoring case and treating spaces and underscores as hyphens.

    Raise Unknown if there is none.
    """
    plain = {_plain(each): str(each) for each in names}
    if _plain(name) in plain:
        return plain[_plain(name)]
    near = get_close_matches(_plain(name), list(plain), n=1, cutoff=0.4)
    hint = f" Did you mean {plain[near[0]]!r}?" if near else ""
    raise Unknown(f"{what} {name!r} does not exist.{hint} Available: {', '.join(plain.values())}.")


def _plain(name: str) -> str:
    return str(name).strip().lower().replace(" ", "-").replace("_", "-")


@cache
def papers() -> tuple[str, ...]:
    names = (entry.name for entry in files("mdcore.papers").joinpath("protocols").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def tables_of(paper: str) -> tuple[int, ...]:
    return tuple(sorted(int(number) for number in _read(known(paper, papers(), "paper"))["tables"]))


@cache
def protocol(paper: str, table: int) -> TableProtocol:
    """Return the protocol of a paper's table."""
    paper = known(paper, papers(), "paper")
    told = _read(paper)
    number = known(str(table), told["tables"], f"{told['title']}: table")
    own = told["tables"][number]
    columns, printed = _printed(own["printed"])
    methods = {key: _method(key, told["methods"][key] | own.get("methods", {}).get(key, {}), own) for key in columns}
    shapes = {entry.name: entry for entry in PAPER_SETS if entry.paper == paper}
    rows = dict.fromkeys(row for row, _ in printed)
    sets = {row: _set(shapes[row], told, own) for row in rows}
    return TableProtocol(
        paper=paper,
        title=told["title"],
        source=told["source"],
        table=int(number),
        section=own["section"],
        page=own.get("page"),
        pages=told.get("pages", ""),
        what=own["what"],
        kernel=own["kernel"],
        gamma=own.get("gamma", "1"),
        bias=own.get("bias", told.get("bias", True)),
        folds=told.get("folds", 0),
        percent=told.get("percent", False),
        measure=told.get("measure", "accuracy"),
        reference=own["reference"],
        notes=tuple(told["notes"]),
        methods=methods,
        sets=sets,
        printed=printed,
    )


@cache
def _read(paper: str) -> dict[str, Any]:
    text = files("mdcore.papers").joinpath("protocols", f"{paper}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _method(key: str, told: Mapping[str, Any], table: Mapping[str, Any]) -> TableMethod:
    widths = told.get("widths", table.get("widths", (1.0,)))
    return TableMethod(
        key=key,
        label=told["label"],
        estimator=told.get("estimator", key),
        fixed=dict(told.get("fixed", {})),
        grid={name: tuple(values) for name, values in told.get("grid", {}).items()},
        widths=tuple(float(width) for width in widths),
        search=told.get("search", "grid"),
    )


def _set(shape: PaperSet, told: Mapping[str, Any], table: Mapping[str, Any]) -> TableSet:
    own = told.get("sets", {}).get(shape.name, {})
    return TableSet(
        printed=shape,
        train=own.get("train", told.get("train", 1.0)),
        splits=own.get("splits", table.get("splits", told["splits"])),
        options=dict(own.get("options", {})),
        first=own.get("first"),
        unavailable=own.get("unavailable", ""),
        beyond=table.get("beyond", {}).get(shape.name, ""),
    )


def _printed(text: str) -> tuple[list[str], dict[tuple[str, str], Printed]]:
    """Return the columns of a printed table, and its values by row and column."""
    heading, *lines = text.strip().splitlines()
    columns = GAP.split(heading.strip())[1:]
    found: dict[tuple[str, str], Printed] = {}
    for line in lines:
        row, *cells = GAP.split(line.strip())
        for column, cell in zip(columns, cells, strict=True):
            if cell != NOTHING:
                mean, _, deviation = cell.partition("±")
                found[row, column] = Printed(float(mean), float(deviation) if deviation else None)
    return columns, found
