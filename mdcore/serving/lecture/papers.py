"""The papers' tables in a lesson: our results next to the printed figures, as in the published page of results."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from mdcore.export import csv_file
from mdcore.export.paper_results import ResultRow, read_results
from mdcore.papers.protocol import TableProtocol, papers, protocol, tables_of
from mdcore.serving.lecture.printed import printed_page

PAGE = "RESULTS.md"
MARKS = "† outside two printed standard deviations · * not the printed shape"


@cache
def results() -> Sequence[ResultRow]:
    return read_results(files("mdcore.papers").joinpath(PAGE).read_text(encoding="utf-8"))


def asked_tables(asked: Sequence[Mapping[str, Any]]) -> list[tuple[TableProtocol, list[str]]]:
    """Return each requested table with the labels of its methods; raise ValueError for a table or method that no paper
    has."""
    found = []
    for each in asked:
        table = protocol(each["paper"], each["table"])
        found.append((table, [table.method(key).label for key in each["methods"]]))
    return found


def shown_tables(asked: Sequence[Mapping[str, Any]], rows: Sequence[ResultRow]) -> dict[str, Any]:
    """Return the tables as sent to the browser: one line per data set with a cell for each method, the share of means
    within two printed deviations by paper, and files of the same content."""
    columns = [(table, label) for table, labels in asked_tables(asked) for label in labels]
    known = {(row.source, row.table, row.dataset, row.method): row for row in rows}
    sets = dict.fromkeys(name for table, _ in columns for name in table.sets)
    lines: list[dict[str, Any]] = []
    there: list[ResultRow] = []
    for name in sets:
        line = [known.get((table.source, table.table, name, label)) for table, label in columns]
        if any(row and row.ours for row in line):
            differs = any(row and row.differs for row in line)
            lines.append({"name": f"{name}*" if differs else name, "cells": [row and _cell(row) for row in line]})
            there.extend(filter(None, line))
    tables = [
        {"name": table.name, "what": table.what, "methods": labels, "higher": _higher(table, labels, known)}
        for table, labels in asked_tables(asked)
    ]
    done = [cell["splits"] for line in lines for cell in line["cells"] if cell and cell["ours"]]
    shown = {"head": _head(done), "marks": MARKS, "tables": tables, "rows": lines, "met": _met(rows)}
    return {**shown, "files": _files(shown, there) if there else []}


def _head(done: Sequence[str]) -> str:
    """Return a sentence on the number of splits behind our figures."""
    if not done:
        return "None of these tables has been rerun."
    counts, wanted = (sorted({int(splits.split(" of ")[at]) for splits in done}) for at in (0, 1))
    return f"Ours, on {_range(counts)} of {_range(wanted)} splits; below it the printed figure."


def _range(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _cell(row: ResultRow) -> dict[str, Any]:
    return {"ours": row.ours, "splits": row.splits, "printed": row.printed, "within": row.within}


def _higher(table: TableProtocol, labels: Sequence[str], known: Mapping[Any, ResultRow]) -> str:
    """Return a sentence that counts the data sets on which the last method's mean exceeds the first's, as printed and
    in our results; "" if they cannot be compared."""
    first, last = labels[0], labels[-1]
    pairs = [[known.get((table.source, table.table, name, label)) for label in (first, last)] for name in table.sets]
    both = [(a, b) for a, b in pairs if a and b and a.ours and b.ours and a.printed and b.printed]
    if first == last or not both:
        return ""
    printed = sum(_mean(b.printed) > _mean(a.printed) for a, b in both)
    ours = sum(_mean(b.ours) > _mean(a.ours) for a, b in both)
    return f"{last}'s mean is above {first}'s on {printed} of {len(both)} sets as printed, on {ours} in ours."


def _mean(figure: str | None) -> float:
    mean, _ = _numbers(figure)
    assert mean is not None, "only cells with both figures are compared"
    return mean


def _met(rows: Sequence[ResultRow]) -> list[dict[str, Any]]:
    found = []
    for paper in papers():
        table = protocol(paper, tables_of(paper)[0])
        compared = [row.within for row in rows if row.source == table.source and row.within is not None]
        if compared:
            found.append({"source": table.source, "title": table.title, "met": sum(compared), "of": len(compared)})
    return found


def _files(shown: Mapping[str, Any], rows: Sequence[ResultRow]) -> list[dict[str, str]]:
    table = csv_file([_record(row) for row in rows]).decode("utf-8")
    title = "The papers' tables"
    page = printed_page(title, f"<h1>{html.escape(title)}</h1>\n{tables_html(shown)}")
    return [
        {"label": "Figures of the tables (CSV)", "name": "papers.csv", "kind": "text/csv", "text": table},
        {"label": "Page to print (HTML)", "name": "papers.html", "kind": "text/html", "text": page},
    ]


def _record(row: ResultRow) -> dict[str, Any]:
    """Return a cell as a CSV row of numbers, with the digits shown on screen."""
    done, wanted = map(int, row.splits.split(" of "))
    return {
        "paper": row.source,
        "table": row.table,
        "data set": row.dataset,
        "printed shape": not row.differs,
        "method": row.method,
        **dict(zip(("mean", "deviation"), _numbers(row.ours), strict=True)),
        "splits": done,
        "wanted": wanted,
        **dict(zip(("printed mean", "printed deviation"), _numbers(row.printed), strict=True)),
        "within two printed deviations": row.within,
    }


def _numbers(figure: str | None) -> tuple[float | None, float | None]:
    """Return mean and deviation of a figure such as "0.8 ± 0.1"; None for missing parts."""
    mean, _, deviation = (figure or "").replace("−", "-").partition(" ± ")
    return float(mean) if mean else None, float(deviation) if deviation else None


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
