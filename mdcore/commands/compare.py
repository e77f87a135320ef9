"""Compare methods on a table of your own with reference learners and the majority class."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mdcore.data import Choices, Table, propose, read_table, select
from mdcore.data.splitting import EACH_GROUP, GROUPS, K_FOLD, RANDOM, TIME
from mdcore.data.tables.columns import ENCODING_WAYS
from mdcore.data.tables.pipeline import by_classes
from mdcore.data.tables.wording import sentence
from mdcore.export import comparison_record, report, table_code, table_facts
from mdcore.study import (
    LEARNERS,
    Comparison,
    Data,
    board,
    compare,
    data_of_table,
    decide,
    first_methods,
    first_plan,
    first_repeats,
    fitting_score,
    notes,
    with_decisions,
)
from mdcore.study.plan import REPEATS, TUNING_NAMES
from mdcore.study.shown_tables import board_table, score_table

PARAMETERS = {name: tuning for tuning, name in TUNING_NAMES.items()}


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    _check_outputs(*(file for file in (options.json, options.report) if file))
    table = _read(options.file)
    choices, remarks = _choices(table, options)
    chosen = select(table, choices)
    data = data_of_table(table, choices, chosen)
    plan = first_plan(
        data.y,
        methods=tuple(name.strip().casefold() for name in options.methods.split(",") if name.strip()),
        tuning=PARAMETERS[options.parameters],
        seed=choices.seed,
        positive=chosen.positive,
        **_splits(options, choices, data),
    )
    decisions = decide(data, plan)
    plan = with_decisions(plan, decisions)
    remarks += [decision.text(plan.candidate(decision.key).method.name) for decision in decisions]
    comparison = compare(data.X, data.y, data.preparation, plan, along=data.along, progress=_progress)
    score = fitting_score(data.y)
    record = comparison_record(comparison, score, remarks, notes(data, comparison, score))
    print(_text(comparison, record))
    if options.json:
        Path(options.json).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.report:
        facts, code = table_facts(table, choices, chosen), table_code(table, choices)
        page = report(
            comparison, f"Comparison on {table.name}", facts, code, "geometric", chosen.rows.tolist(), record["notes"]
        )
        Path(options.report).write_text(page, encoding="utf-8")
    return 0


def _splits(options: argparse.Namespace, choices: Choices, data: Data) -> dict[str, Any]:
    """Return the plan's splits: with --folds and --each-group, `repeats` counts repetitions of the whole."""
    repeats = int(REPEATS.check(first_repeats(len(data.y)) if options.repeats is None else options.repeats, "compare"))
    if options.each_group:
        if data.along is None or choices.scheme != GROUPS:
            raise ValueError("--each-group leaves out one group at a time: name their column with --groups.")
        groups = len(np.unique(data.along))
        return {"scheme": EACH_GROUP, "repeats": min(groups, repeats) if options.repeats else groups}
    if not options.folds:
        return {"scheme": choices.scheme, "repeats": repeats, "test": choices.test}
    if choices.scheme != RANDOM:
        raise ValueError(
            f"--folds divides rows at random, but they are kept together by {choices.along!r}. Leave --folds out, or "
            "use --each-group with groups."
        )
    if options.folds < 2:
        raise ValueError(f"--folds must be 2 or more; got {options.folds}.")
    return {"scheme": K_FOLD, "repeats": options.folds * (options.repeats or 1), "test": 1.0 / options.folds}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mdcore compare", description=__doc__)
    parser.add_argument(
        "file", metavar="FILE", help="a text table such as CSV; encoding, delimiter and decimal sign are detected"
    )
    parser.add_argument("--target", required=True, metavar="NAME", help="the column that holds the classes")
    parser.add_argument(
        "--methods",
        default="",
        help=f"some of {', '.join(LEARNERS)}; the reference learners are always included (default: "
        f"{', '.join(first_methods(0))}; with many rows without the slowest)",
    )
    parser.add_argument("--positive", default="", metavar="CLASS", help="the positive class of F1 (default: proposed)")
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="CLASS",
        help="use only the classes given by this option; repeatable",
    )
    parser.add_argument("--threshold", type=float, metavar="T", help="split a numeric target in two: <= T and > T")
    parser.add_argument(
        "--drop", action="append", default=[], metavar="COLUMN", help="do not use this column; repeatable"
    )
    ways = "; ".join(f"{name}: {words}" for name, words in ENCODING_WAYS.items())
    parser.add_argument(
        "--categories",
        choices=tuple(ENCODING_WAYS),
        help=f"how categories become numbers (default: target if one has many levels, else one-hot). {ways}".replace(
            "%", "%%"
        ),
    )
    along = parser.add_mutually_exclusive_group()
    along.add_argument(
        "--groups", metavar="COLUMN", help="rows with the same value stay on the same side of every split"
    )
    along.add_argument(
        "--time", metavar="COLUMN", help="in every split, all test rows are later than all training rows"
    )
    parser.add_argument("--folds", type=int, metavar="K", help="K-fold cross-validation in place of random splits")
    parser.add_argument(
        "--each-group", action="store_true", help="leave out one group at a time in place of groups at random"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="number of splits, of repetitions of all folds, or of groups left out (default: 10 or fewer; 1; all)",
    )
    parser.add_argument(
        "--parameters",
        choices=PARAMETERS,
        default="tuned",
        help="tuned: every method and reference tries up to the same number of candidates, in every split, inside the "
        "training part; default: the default parameters; papers: the grids of the papers (default: %(default)s)",
    )
    parser.add_argument(
        "--tune", action="store_const", dest="parameters", const="tuned", help="the same as --parameters tuned"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the splits (default: %(default)s)")
    parser.add_argument("--json", metavar="OUT", help="write headline, scores, differences and notes as JSON")
    parser.add_argument("--report", metavar="OUT.html", help="write the report as one HTML file")
    return parser


def _read(file: str) -> Table:
    path = Path(file)
    if not path.exists() or path.is_dir():  # a pipe is no file, but can be read
        raise ValueError(f"There is no file {file!r}. Give the path of a text table such as CSV.")
    return read_table(path.read_bytes(), path.name)


def _check_outputs(*files: str) -> None:
    """Raise ValueError if a file cannot be written, before anything is computed."""
    paths = [Path(file).resolve() for file in files]
    for file, path in zip(files, paths, strict=True):
        if path.is_dir():
            raise ValueError(f"{file!r} is a folder. Give the name of a file in it.")
        if not path.parent.is_dir():
            raise ValueError(f"There is no folder for {file!r}. Create it, or choose another folder.")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise ValueError(f"{file!r} cannot be written. Choose another folder, or change the permissions.")
    if len(set(paths)) < len(paths):
        raise ValueError(f"{files[0]!r} is to hold both the JSON and the report. Give them different names.")


def _choices(table: Table, options: argparse.Namespace) -> tuple[Choices, list[str]]:
    """Return the choices that the page would propose, modified by the command line, and notes on them for the user."""
    table.column(options.target)
    proposed, remarks = propose(table, options.target), list(map(sentence, table.notes))
    choices = replace(_without(table, proposed, options.drop), seed=options.seed, positive=options.positive)
    choices = replace(choices, classes=tuple(dict.fromkeys(options.keep)))
    if options.categories:
        choices = replace(choices, encoding=options.categories)
    if options.threshold is not None:
        kinds = tuple((dict(choices.kinds) | {options.target: "numeric"}).items())
        choices = replace(choices, kinds=kinds, threshold=options.threshold)
    column = options.groups or options.time
    if column:
        table.column(column)
        scheme = GROUPS if options.groups else TIME
        dropped = tuple(name for name in choices.dropped if name != column)
        choices = replace(choices, scheme=scheme, along=column, dropped=dropped)
    elif choices.along:
        remarks.append(
            f"Groups are kept together by {choices.along!r}, whose values repeat. Override with --groups or --time."
        )
    gaps = table.column(options.target).missing
    if gaps:
        remarks.append(f"Left out: rows without a value in {options.target!r}, {gaps:,} of {table.n:,}.")
    many = by_classes(table, choices)
    if many:
        remarks.append(f"Encoded by each level's share of the classes, cross-fitted: {', '.join(many)}.")
    if choices.dropped:
        remarks.append(f"Left out: {', '.join(f'{name} ({table.column(name).kind})' for name in choices.dropped)}.")
    return choices, remarks


def _without(table: Table, choices: Choices, names: Sequence[str]) -> Choices:
    """Drop further columns. If the proposed groups are among them, the splits are random."""
    for name in names:
        table.column(name)
    if choices.along in names:
        choices = replace(choices, scheme=RANDOM, along="")
    return replace(choices, dropped=tuple(dict.fromkeys((*choices.dropped, *names))))


def _progress(made: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{made:,} of {total:,} fits", end="" if made < total else "\n", file=sys.stderr, flush=True)


def _text(comparison: Comparison, record: dict[str, Any]) -> str:
    """Return headline, leaderboard, all scores of each method and of the majority class, and notes."""
    shown = (board_table(board(comparison, record["score"])), score_table(comparison))
    parts = [record["headline"], *("\n".join(_aligned(table.lines)) for table in shown)]
    return "\n\n".join([*parts, "\n".join(record["notes"])])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with the first column at the left and the others at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(wide) if at else cell.ljust(wide)
            for at, (cell, wide) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
