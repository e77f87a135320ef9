"""Export of a paper's table: code that recomputes it, its margins, its figures."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import product
from typing import Any

from mdcore.export.paper_tables import HEADER, below, lines_of, title_of
from mdcore.export.recipe import Recipe
from mdcore.export.state import figures_document, versions
from mdcore.figures.paper_tables import margins_figure
from mdcore.margins.distribution import PARTS
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableReport
from mdcore.papers.views import margin_band, stored_margins

RUN = """from pathlib import Path

from mdcore.commands.tables import main

main({command!r})"""

PRINT = 'print(Path("table.csv").read_text(encoding="utf-8"))'

DRAW = """from mdcore.figures.paper_tables import margins_figure
from mdcore.papers.protocol import protocol
from mdcore.papers.report import report
from mdcore.papers.store import Store
from mdcore.papers.views import margin_band

with Store(Path("tables.db")) as store:
    made = report(store, protocol({paper!r}, {table!r}))
    bands = {{
        (method, part): band
        for method in {methods!r}
        for part in {parts!r}
        if (band := margin_band(store, made, {dataset!r}, method, part)) is not None
    }}
margins = margins_figure(made.protocol, bands)"""


def paper_table_recipe(report: TableReport, *, with_margins: bool) -> Recipe:
    """Return code that computes what the store lacks, prints every number, and draws the margins on the first set."""
    table = report.protocol
    splits = max(entry.wanted for entry in report.entries.values())
    command = ["--paper", table.paper, "--table", str(table.table), "--datasets", ",".join(report.datasets)]
    command += ["--methods", ",".join(report.methods), "--splits", str(splits)]
    command += ["--store", "tables.db", "--export", "table.csv"]
    cells = [RUN.format(command=command), PRINT]
    if with_margins:
        methods = tuple(m for m in report.methods if report.entry(report.datasets[0], m))
        given = {"paper": table.paper, "table": table.table, "dataset": report.datasets[0], "methods": methods}
        cells.append(DRAW.format(**given, parts=PARTS))
    title = (
        f"{table.name} recomputed with Margin Lab: prints every number. MARGIN_LAB_DATA must name the folder of sets."
    )
    return Recipe(title, versions(), tuple(cells), ("margins",) if with_margins else ())


def table_margins(store: Store, report: TableReport) -> Iterator[dict[str, Any]]:
    """Yield a row for every example of every stored split."""
    for dataset, method in product(report.datasets, report.methods):
        if report.entry(dataset, method) is None:
            continue
        for split, part, margins in stored_margins(store, report, dataset, method):
            for margin in margins:
                key = {"dataset": dataset, "method": method, "split": split + 1, "part": part}
                yield key | {"margin (paper)": float(margin)}


def table_page(store: Store, report: TableReport) -> str:
    """Return a page with the table, and the margins on every set as interactive figures."""
    figures = []
    for dataset in report.datasets:
        there = [method for method in report.methods if report.entry(dataset, method)]
        bands = {(m, part): margin_band(store, report, dataset, m, part) for m in there for part in PARTS}
        found = {key: band for key, band in bands.items() if band is not None}
        if found:
            figures.append(margins_figure(report.protocol, found).update_layout(title=f"Margins on {dataset}"))
    rows = [_row("th", HEADER), *(_row("td", line) for line in lines_of(report))]
    table = f"<table>{''.join(rows)}</table>{''.join(f'<p>{escape(text)}</p>' for text in below(report))}"
    return figures_document(figures, title_of(report), table)


def _row(cell: str, texts: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{cell}>{escape(text)}</{cell}>' for text in texts)}</tr>"
