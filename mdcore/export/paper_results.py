"""RESULTS.md: the stored results of all papers' tables, with their differences from the printed values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mdcore.basics.text import NONE
from mdcore.export.paper_differences import differences, not_run
from mdcore.export.paper_tables import HEADER, as_markdown
from mdcore.papers.protocol import papers, protocol, tables_of
from mdcore.papers.report import TableReport, report
from mdcore.papers.store import Store

OPENING = """# The papers' tables, recomputed

Our results next to the printed ones: mean ± standard deviation over the finished splits, which are "n of N" of the
paper's. "standard errors" is the difference in standard errors of the two means; "within 2 sd" tells whether the means
differ by at most two of the printed standard deviations. A set marked * does not have the printed shape. Splits
without a result are left out and named; nothing replaces them. Each result uses one version of the code, the one with
most finished splits, or the latest of several.

`python -m mdcore tables --results RESULTS.md --store FILE` computes what is missing and writes this file;
`MARGIN_LAB_DATA` must name the folder of data sets. After an interruption, the same command continues.
"""


def results_page(store: Store) -> str:
    """Return the page, which depends only on the store."""
    parts = [OPENING, _environments(store)]
    for paper in papers():
        reports = [report(store, protocol(paper, number)) for number in tables_of(paper)]
        if any(entry.n for made in reports for entry in made.entries.values()):
            parts.extend(_paper(reports))
    return "\n".join(parts)


def _paper(reports: list[TableReport]) -> Iterator[str]:
    table = reports[0].protocol
    yield f"## {table.source}\n"
    for made in reports:
        yield f"### Table {made.protocol.table}: {made.protocol.what}\n"
        yield f"In the paper: {made.protocol.place}.\n"
        if any(entry.n for entry in made.entries.values()):
            yield as_markdown(made)
        if missing := [f"- {text}" for text in not_run(made)]:
            yield "\n".join(missing) + "\n"
    yield "### Differences from the paper, and what was tried\n"
    first, *others = differences(reports)
    yield f"{first}\n"
    yield "\n".join([*others, *(f"- {note}" for note in table.notes)]) + "\n"


def _environments(store: Store) -> str:
    """Return the machines and package versions behind the results."""
    found = store.rows("SELECT facts, (SELECT count(*) FROM result WHERE environment = id) AS results FROM environment")
    lines = []
    for row in sorted(found, key=lambda row: -row["results"]):
        facts = json.loads(row["facts"])
        packages = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "scipy", "scikit-learn", "numba"))
        lines.append(
            f"{row['results']:,} results on {facts['processor']}, {facts['processors']} processors, Python "
            f"{facts['python']}, {packages}; one BLAS thread each."
        )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class ResultRow:
    """A line of the page, with its figures as printed there, or None."""

    source: str
    table: int
    dataset: str
    differs: bool
    method: str
    ours: str | None
    splits: str
    printed: str | None
    within: bool | None


def read_results(page: str) -> list[ResultRow]:
    """Return every line of the tables on a page that `results_page` has written."""
    found, source, table = [], "", 0
    for line in page.splitlines():
        if line.startswith("## "):
            source = line.removeprefix("## ")
        elif number := re.match(r"### Table (\d+):", line):
            table = int(number[1])
        elif line.startswith("| ") and not line.startswith(f"| {HEADER[0]} |"):
            found.append(_row(source, table, dict(zip(HEADER, line.strip("| ").split(" | "), strict=True))))
    return found


def _row(source: str, table: int, cells: dict[str, str]) -> ResultRow:
    name, splits, within = cells["data set"], cells["splits"], cells["within 2 sd"]
    figures = {which: None if cells[which] == NONE else cells[which] for which in ("ours", "printed")}
    return ResultRow(
        source=source,
        table=table,
        dataset=name.removesuffix("*"),
        differs=name.endswith("*"),
        method=cells["method"],
        splits=splits,
        within=None if within == NONE else within == "yes",
        **figures,
    )
