"""The results of all papers' tables as data: those of a store, and those of this package in results.json, from which
RESULTS.md is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from mdcore.papers.protocol import TableProtocol, papers, protocol, tables_of
from mdcore.papers.report import report
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableEntry, TableReport, Tally

LEFT_OUT = ("printed", "values", "cells", "n_train", "n_test")
STORED = [each.name for each in fields(TableEntry) if each.name not in LEFT_OUT]  # in the file
CONDITIONS = ("kernel", "gamma", "bias", "folds", "measure")  # those of the protocol that hold for a whole table


@dataclass(frozen=True, eq=False)
class Results:
    """The tables of all papers, and the environments of their cells with the number of cells."""

    environments: tuple[tuple[Mapping[str, str], int], ...]
    tables: tuple[TableReport, ...]

    def table(self, paper: str, number: int) -> TableReport:
        return next(t for t in self.tables if (t.protocol.paper, t.protocol.table) == (paper, number))


@cache
def published() -> Results:
    return from_json(files("mdcore.papers").joinpath("results.json").read_text(encoding="utf-8"))


def results_of(store: Store) -> Results:
    tables = (protocol(paper, number) for paper in papers() for number in tables_of(paper))
    return Results(tuple(store.environments()), tuple(report(store, table) for table in tables))


def to_json(results: Results) -> str:
    """Return the results as JSON with a line for each entry."""
    environments = [{"cells": cells, "facts": dict(facts)} for facts, cells in results.environments]
    tables = ",\n".join(map(_table_json, results.tables))
    return f'{{"environments": {json.dumps(environments)},\n"tables": [\n{tables}\n]}}\n'


def from_json(text: str) -> Results:
    told = json.loads(text)
    environments = tuple((each["facts"], each["cells"]) for each in told["environments"])
    return Results(environments, tuple(map(_table, told["tables"])))


def conditions_of(table: TableProtocol) -> dict[str, Any]:
    return {name: getattr(table, name) for name in CONDITIONS}


def _table_json(made: TableReport) -> str:
    table = made.protocol
    head = {"paper": table.paper, "table": table.table, "protocol": conditions_of(table), "shapes": dict(made.shapes)}
    tallies = [each.__dict__ for each in made.tallies]
    rest = {"others": made.others, "tallies": tallies, "averages": dict(made.averages)}
    entries = ",\n".join(json.dumps({name: getattr(entry, name) for name in STORED}) for entry in made.in_order)
    return f'{json.dumps(head | rest)[:-1]}, "entries": [\n{entries}\n]}}'


def _table(told: Mapping[str, Any]) -> TableReport:
    table = protocol(told["paper"], told["table"])
    entries = [_entry(table, each) for each in told["entries"]]
    tallies = (Tally(each["method"], tuple(each["paired"]), tuple(each["corrected"])) for each in told["tallies"])
    return TableReport(
        protocol=table,
        entries={(entry.dataset, entry.method): entry for entry in entries},
        shapes={name: tuple(shape) for name, shape in told["shapes"].items()},
        others=told["others"],
        tallies=tuple(tallies),
        averages=told["averages"],
    )


def _entry(table: TableProtocol, told: Mapping[str, Any]) -> TableEntry:
    fields = dict(told) | {name: tuple(told[name]) for name in ("seeds", "failures")}
    return TableEntry(**fields, printed=table.printed.get((told["dataset"], told["method"])))
