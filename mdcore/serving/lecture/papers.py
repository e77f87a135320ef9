"""The papers' tables in a lesson: our published results next to the printed figures."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from mdcore.export import csv_file
from mdcore.export.paper_tables import spread
from mdcore.papers.protocol import TableProtocol, papers, protocol
from mdcore.papers.published import Results
from mdcore.papers.table_report import TableEntry, TableReport
from mdcore.serving.lecture.printed import printed_page

MARKS = "† outside two printed standard deviations · * not the printed shape"


def asked_tables(asked: Sequence[Mapping[str, Any]]) -> list[tuple[TableProtocol, list[str]]]:
    """Return each requested table with its methods; raise ValueError for a table or method that no paper has."""
    found = []
    for each in asked:
        table = protocol(each["paper"], each["table"])
        found.append((table, [table.method(key).key for key in each["methods"]]))
    return found


def shown_tables(asked: Sequence[Mapping[str, Any]], results: Results) -> dict[str, Any]:
    """Return the tables as sent to the browser: one line per data set with a cell for each method, the share of means
    within two printed deviations by paper, and files of the same content."""
    chosen = [(results.table(table.paper, table.table), keys) for table, keys in asked_tables(asked)]
    columns = [(made, key) for made, keys in chosen for key in keys]
    lines: list[dict[str, Any]] = []
    there: list[tuple[TableReport, TableEntry]] = []
    for name in dict.fromkeys(name for made, _ in columns for name in made.protocol.sets):
        line = [(made, made.entry(name, key)) for made, key in columns]
        if any(entry and entry.n for _, entry in line):
            star = "*" if any(name in made.differs for made, _ in line) else ""
            cells = [entry and _cell(made.protocol, entry) for made, entry in line]
            lines.append({"name": f"{name}{star}", "cells": cells})
            there += [(made, entry) for made, entry in line if entry]
    tables = [
        {
            "name": made.protocol.name,
            "what": made.protocol.what,
            "methods": [made.protocol.methods[key].label for key in keys],
            "higher": _higher(made, keys[0], keys[-1]),
        }
        for made, keys in chosen
    ]
    shown = {"head": _head([entry for _, entry in there if entry.n]), "marks": MARKS, "tables": tables}
    shown |= {"rows": lines, "met": _met(results)}
    return {**shown, "files": _files(shown, there) if there else []}


def _head(done: Sequence[TableEntry]) -> str:
    """Return a sentence on the number of splits behind our figures."""
    if not done:
        return "None of these tables has been rerun."
    counts, wanted = {entry.n for entry in done}, {entry.wanted for entry in done}
    return f"Ours, on {_range(counts)} of {_range(wanted)} splits; below it the printed figure."


def _range(numbers: set[int]) -> str:
    return str(min(numbers)) if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)}"


def _cell(table: TableProtocol, entry: TableEntry) -> dict[str, Any]:
    printed = entry.printed and spread(entry.printed.mean, entry.printed.deviation, table.digits)
    ours = spread(entry.mean, entry.deviation, table.digits) if entry.n else None
    return {"ours": ours, "splits": f"{entry.n} of {entry.wanted}", "printed": printed, "within": entry.within}


def _higher(made: TableReport, first: str, last: str) -> str:
    """Return a sentence that counts the data sets on which the last method's mean exceeds the first's, as printed and
    in our results; "" if they cannot be compared."""
    labels = made.protocol.methods
    pairs = [(made.entry(name, first), made.entry(name, last)) for name in made.datasets]
    both = [
        (b.printed.mean > a.printed.mean, b.mean > a.mean)
        for a, b in pairs
        if a and b and a.printed and b.printed and a.mean is not None and b.mean is not None
    ]
    if first == last or not both:
        return ""
    printed, ours = map(sum, zip(*both, strict=True))
    higher = f"{labels[last].label}'s mean is above {labels[first].label}'s"
    return f"{higher} on {printed} of {len(both)} sets as printed, on {ours} in ours."


def _met(results: Results) -> list[dict[str, Any]]:
    found = []
    for paper in papers():
        tables = [made for made in results.tables if made.protocol.paper == paper]
        compared = [entry.within for made in tables for entry in made.in_order if entry.within is not None]
        if compared:
            table = tables[0].protocol
            found.append({"source": table.source, "title": table.title, "met": sum(compared), "of": len(compared)})
    return found


def _files(shown: Mapping[str, Any], there: Sequence[tuple[TableReport, TableEntry]]) -> list[dict[str, str]]:
    table = csv_file([_record(made, entry) for made, entry in there]).decode("utf-8")
    title = "The papers' tables"
    page = printed_page(title, f"<h1>{html.escape(title)}</h1>\n{tables_html(shown)}")
    return [
        {"label": "Figures of the tables (CSV)", "name": "papers.csv", "kind": "text/csv", "text": table},
        {"label": "Page to print (HTML)", "name": "papers.html", "kind": "text/html", "text": page},
    ]


def _record(made: TableReport, entry: TableEntry) -> dict[str, Any]:
    """Return a cell as a CSV row of numbers, with the digits shown on screen."""
    table, printed = made.protocol, entry.printed
    figures = {"mean": entry.mean, "deviation": entry.deviation, "splits": entry.n, "wanted": entry.wanted}
    mean, deviation = (printed.mean, printed.deviation) if printed else (None, None)
    figures |= {"printed mean": mean, "printed deviation": deviation}
    return {
        "paper": table.source,
        "table": table.table,
        "data set": entry.dataset,
        "printed shape": entry.dataset not in made.differs,
        "method": table.methods[entry.method].label,
        **{name: value if value is None else round(value, table.digits) for name, value in figures.items()},
        "within two printed deviations": entry.within,
    }


def tables_html(shown: Mapping[str, Any]) -> str:
    """Return the tables as HTML for print."""
    word = html.escape
    heads = "".join(
        f'<th colspan="{len(table["methods"])}">{word(table["name"])}<br>{word(table["what"])}</th>'
        for table in shown["tables"]
    )
    names = "".join(f"<th>{word(label)}</th>" for table in shown["tables"] for label in table["methods"])
    lines = "".join(
        f"<tr><th>{word(row['name'])}</th>{''.join(_cell_html(cell) for cell in row['cells'])}</tr>"
        for row in shown["rows"]
    )
    below = [table["higher"] for table in shown["tables"] if table["higher"]]
    below += [f"{each['title']}: {met_words(each)}" for each in shown["met"]]
    table = f'<table><thead><tr><td rowspan="2"></td>{heads}</tr><tr>{names}</tr></thead><tbody>{lines}</tbody></table>'
    listed = "".join(f"<li>{word(text)}</li>" for text in below)
    return f"<p><small>{word(shown['head'])} {word(shown['marks'])}</small></p>{table}<ul>{listed}</ul>"


def met_words(met: Mapping[str, Any]) -> str:
    return f"{met['met']} of {met['of']} of our means within two printed standard deviations"


def _cell_html(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "<td>–</td>"
    mark = "†" if cell["within"] is False else ""
    return f"<td><b>{html.escape(cell['ours'] or '–')}{mark}</b><br>{html.escape(cell['printed'] or '–')}</td>"
