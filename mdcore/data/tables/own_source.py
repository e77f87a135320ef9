"""A user's own table as a data source. It is in no catalogue: the data can be reached through the OwnSource only.

The key `own:<token>` stands for it in a query string. The table is passed along with the key, never looked up by it,
so that a query string reveals nothing to others but that there was a table.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from mdcore.basics.text import count
from mdcore.data.source import Source
from mdcore.data.splitting import SEED, stratified
from mdcore.data.tables.columns import Choices
from mdcore.data.tables.pipeline import Raw, Selection, raw, select
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.reading import Table
from mdcore.spec import Interval, Param, Setting, Slider

OWN = "own:"
LIVE_ROWS = 1000  # with more rows, an exact kernel method is too slow to follow a slider


@dataclass(frozen=True, eq=False)
class OwnSource(Source):
    """A table, the choices about it, and the selected rows. Instances are compared by identity."""

    table: Table
    choices: Choices
    chosen: Selection
    classes: int

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def own_source(table: Table, choices: Choices, key: str | None = None) -> OwnSource:
    """Return a table as a source, with an unguessable key if none is given.

    A source of more than LIVE_ROWS rows draws a stratified sample, with the size and the seed as options.
    """
    chosen = select(table, choices)
    rows = raw(table, choices, chosen)
    total, classes = len(rows.y), len(set(rows.y.tolist()))

    def make(n: int = total, seed: int = 0) -> Raw:
        return rows.sample(stratified(rows.y, n, seed)) if n < total else rows

    size = f"{count(total, 'row')}, {count(rows.X.shape[1], 'column')}, target {choices.target}"
    options: tuple[Setting, ...] = ()
    if total > LIVE_ROWS:
        size = f"a stratified random sample of n of its {size}"
        options = (_sample_size(total, 2 * classes), SEED)
    return OwnSource(
        key=key or OWN + secrets.token_urlsafe(16),
        title=f"Your table: {table.name}",
        summary=f"{table.name}: {size}. It is kept in this session only.",
        options=options,
        make=make,
        scaling=choices.scaling,
        planar=rows.X.shape[1] == 2 and all(choices.kind(name) == "numeric" for name in rows.X.columns),
        table=table,
        choices=choices,
        chosen=chosen,
        classes=classes,
    )


def table_not_loaded() -> DataProblem:
    """Return the error for the key of a table that is not in this session."""
    return DataProblem("table not loaded", "address")


def _sample_size(total: int, smallest: int) -> Param:
    return Param(
        name="n",
        symbol="n",
        default=LIVE_ROWS,
        legal=Interval(smallest, total),
        slider=Slider(max(100, smallest), min(total, 4 * LIVE_ROWS), step=10),
        help=f"Number of rows to use of the {total:,} in the table: a random sample, stratified by class. The time of "
        "a kernel method grows faster than n²; with many rows it uses landmarks, and only a sample of the rows while "
        "you drag a slider. To use more rows than the slider offers, type a number.",
        integer=True,
    )
