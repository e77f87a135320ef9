"""Recompute a paper's table next to the printed values; interrupted, the same command continues.

The store is one SQLite file: keep it on a local disk. Finished cells are never computed again.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mdcore.commands import INTERRUPTED
from mdcore.export.paper_results import results_page
from mdcore.export.paper_tables import as_text, export
from mdcore.papers.meter import Meter
from mdcore.papers.protocol import TableProtocol, known, papers, protocol, tables_of
from mdcore.papers.published import published, results_of, to_json
from mdcore.papers.report import report
from mdcore.papers.reproduce import reproduce
from mdcore.papers.results import steps
from mdcore.papers.run import compute
from mdcore.papers.run_plan import RunPlan, TableRequest, plan_run
from mdcore.papers.sets import Rows, local_sets, rows_of
from mdcore.papers.store import RunStanding, Store


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    options.again = shlex.join(["python", "-m", "mdcore", "tables", *argv])
    if options.list:
        print(_list())
        return 0
    if options.store is None and options.results:
        options.results.write_text(results_page(published()), encoding="utf-8")
        return 0
    if options.store is None:
        raise ValueError("--store FILE is required: a new file, or the store of an earlier run.")
    if options.reproduce:
        with Store(options.store) as store:
            return _reproduce(store, options.reproduce)
    if options.jobs < 1 or (options.splits is not None and options.splits < 1):
        raise ValueError("--jobs and --splits must be 1 or more.")
    try:
        return _all_results(options) if options.results else _one_table(options)
    except KeyboardInterrupt:
        print(f"\nStopped; finished cells are kept. To continue:\n  {options.again}", file=sys.stderr)
        return INTERRUPTED


def _one_table(options: argparse.Namespace) -> int:
    if options.paper is None or options.table is None:
        raise ValueError(f"--paper and --table are required. Available:\n{_list()}")
    table = protocol(options.paper, options.table)
    named = [known(name, table.methods, f"{table.name}: method") for name in _names(options.methods)]
    methods = tuple(named or table.methods)
    sets = chosen_sets(table, _names(options.datasets))
    with Store(options.store) as store:
        request = TableRequest(table.paper, table.table, tuple(sets), methods, options.splits)
        plan, standing = _compute(store, options, request, sets)
        made = report(store, table, plan)
        print(as_text(made), end="")
        if options.export:
            export(store, made, options.export)
    return _exit_status(standing, options.again)


def _all_results(options: argparse.Namespace) -> int:
    """Compute the parts of RESULTS.md round by round, and write the page and its data after each part."""
    with Store(options.store) as store:
        for step in steps():
            if options.splits is not None and step.splits > options.splits:
                continue
            available = local_sets(step.protocol)
            request = replace(step, datasets=tuple(name for name in step.datasets if name in available))
            if request.datasets:
                print(f"{step.protocol.name}, {', '.join(request.datasets)}: {step.splits} splits", file=sys.stderr)
                _compute(store, options, request, available)
            results = results_of(store)
            options.results.write_text(results_page(results), encoding="utf-8")
            if options.data:
                options.data.write_text(to_json(results), encoding="utf-8")
    return 0


def _compute(
    store: Store, options: argparse.Namespace, request: TableRequest, available: Mapping[str, Rows]
) -> tuple[RunPlan, RunStanding]:
    """Plan the cells and compute them, here or on a cluster."""
    plan = plan_run(request, available)
    if not plan.cells:
        raise ValueError(f"{plan.table.name} has no printed values for these methods on these sets.")
    store.enter(plan)
    store.resume(plan.run, retry=options.retry)
    meter = Meter(store, plan, sys.stderr)
    try:
        return plan, compute(store, plan, meter, jobs=options.jobs, address=options.dask)
    finally:
        meter.end()


def chosen_sets(table: TableProtocol, names: Sequence[str]) -> dict[str, Rows]:
    """Return the named sets, which must be available, or all sets of the table that are on this machine."""
    if names:
        return {table.set(name).name: rows_of(table.set(name)) for name in names}
    found = local_sets(table)
    if not found:
        raise ValueError(
            f"No set of {table.name} is on this machine. Set MARGIN_LAB_DATA to a folder of CSV files, or use "
            "--datasets with sets that OpenML has."
        )
    return found


def _exit_status(standing: RunStanding, again: str) -> int:
    if standing.cancelled:
        print(f"\nCancelled; finished cells are kept. To continue:\n  {again}", file=sys.stderr)
        return 1
    if standing.failed:
        print(f"{standing.failed} of {standing.total} cells failed; use --retry to try them again.", file=sys.stderr)
        return 1
    return 0


def _reproduce(store: Store, cell: str) -> int:
    made = reproduce(store, cell)
    print(made.text)
    return 0 if made.same else 1


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _list() -> str:
    tables = (protocol(paper, number) for paper in papers() for number in tables_of(paper))
    return "\n".join(f"  --paper {t.paper} --table {t.table}  {t.what}; methods {', '.join(t.methods)}" for t in tables)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mdcore tables", description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the papers, their tables and methods")
    parser.add_argument("--paper", metavar="PAPER", help=f"one of {', '.join(papers())}")
    parser.add_argument("--table", type=int, help="number of the table in the paper")
    parser.add_argument("--datasets", help="names separated by commas (default: all sets on this machine)")
    parser.add_argument("--methods", help="names separated by commas (default: all methods of the table)")
    parser.add_argument("--splits", type=int, help="number of splits (default: as many as the paper)")
    parser.add_argument("--store", type=Path, metavar="FILE", help="the store of results; created if missing")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="number of local processes (default: one per core)"
    )
    parser.add_argument(
        "--dask", metavar="ADDRESS", default="", help="run on the cluster of this scheduler, such as tcp://host:8786"
    )
    parser.add_argument(
        "--export",
        type=Path,
        metavar="FILE",
        help="write the table (.csv, .md, .tex, .txt) or its cells (.parquet, .json)",
    )
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="write RESULTS.md; with --store, compute its parts first"
    )
    parser.add_argument("--data", type=Path, metavar="FILE", help="with --results and --store: also write the data")
    parser.add_argument("--retry", action="store_true", help="try failed cells again")
    parser.add_argument("--reproduce", metavar="CELL", help="recompute one cell of the store and compare")
    return parser
