"""A paper's table with own and printed values as text, Markdown, LaTeX and CSV; and its cells."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mdcore.basics.text import NONE, count, fixed, plus_minus, signed
from mdcore.data.tables.writing import write_csv
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableEntry, TableReport

HEADER = ("data set", "method", "ours", "splits", "printed", "difference", "standard errors", "within 2 sd")

LATEX = str.maketrans(
    {each: rf"\{each}" for each in "&%_#${}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "±": r"$\pm$", "−": "$-$", "–": "--", "*": "$^*$"}
)

MARKUP = re.compile(r"[<>`$|\[\]\\]")  # characters with a meaning in Markdown: markup, formulas, links, columns


def lines_of(report: TableReport) -> list[tuple[str, ...]]:
    """Return the texts of a line for every entry of the report."""
    return [_line(report, entry) for entry in report.in_order]


def notes_of(report: TableReport) -> list[str]:
    """Return the notes that qualify the numbers."""
    table = report.protocol
    notes = []
    for name in report.datasets:
        if name in report.differs:
            notes.append(
                f"{name} does not have the printed shape: {report.differs[name]}. {_why(report, name)}".strip()
            )
    for entry in report.in_order:
        label = f"{entry.dataset}, {table.methods[entry.method].label}"
        if entry.failures:
            notes.append(f"{label}: splits without a result, left out: {'; '.join(entry.failures)}")
        if entry.unconverged:
            notes.append(f"{label}: {entry.unconverged} of {entry.n} fits did not converge.")
        if entry.nondeterministic:
            others = entry.nondeterministic
            notes.append(f"{label}: {others} cells gave different numbers when recomputed; the first results are kept.")
    if report.others:
        notes.append(f"{report.others} cells of other versions of the code are in the store but not counted.")
    return notes


def comparisons_of(report: TableReport) -> list[str]:
    """Return the papers' last row: the number of sets on which the reference wins, ties and loses."""
    labels, reference = report.protocol.methods, report.protocol.reference
    found = []
    for tally in report.tallies:
        plain, corrected = ("/".join(map(str, counts)) for counts in (tally.paired, tally.corrected))
        found.append(
            f"{labels[reference].label} against {labels[tally.method].label}, wins/ties/losses on "
            f"{count(sum(tally.paired), 'set')} with at least two common splits: {plain} by the paired t-test, "
            f"{corrected} by the corrected t-test"
        )
    return found


def averages_of(report: TableReport) -> list[str]:
    """Return the mean accuracy over the sets if every method has the same splits of the same sets, else a note why
    there is none."""
    table = report.protocol
    if table.measure != "accuracy":
        return []
    if not report.averages:
        return ["No average over the sets: the methods do not have the same number of splits on the same sets."]
    found = [f"{table.methods[key].label} {fixed(mean, table.digits)}" for key, mean in report.averages.items()]
    return [f"Average over {count(len(report.datasets), 'set')}: {', '.join(found)}"]


def below(report: TableReport) -> list[str]:
    """Return the lines below the table."""
    return [*comparisons_of(report), *averages_of(report), *notes_of(report)]


def as_text(report: TableReport) -> str:
    """Return the table with aligned columns, for a terminal."""
    lines = [HEADER, *lines_of(report)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([title_of(report), "", *rows, "", *below(report)]) + "\n"


def as_markdown(report: TableReport) -> str:
    rule = "|" + "|".join("---" for _ in HEADER) + "|"
    rows = [f"| {' | '.join(map(_markdown, line))} |" for line in (HEADER, *lines_of(report))]
    return "\n".join([rows[0], rule, *rows[1:], "", *(f"- {_markdown(text)}" for text in below(report))]) + "\n"


def as_latex(report: TableReport) -> str:
    rows = [" & ".join(_latex(cell) for cell in line) + r" \\" for line in lines_of(report)]
    head = " & ".join(_latex(cell) for cell in HEADER) + r" \\"
    notes = [f"% {_in_line(text)}" for text in below(report)]
    return "\n".join(
        [rf"% {title_of(report)}", r"\begin{tabular}{llrrrrrl}", r"\hline", head, r"\hline", *rows, r"\hline",
         r"\end{tabular}", *notes]
    ) + "\n"  # fmt: skip


def as_csv(report: TableReport) -> str:
    """Return a line for every entry, unrounded."""
    table = report.protocol
    header = ["paper", "table", "dataset", "method", "mean", "deviation", "splits", "wanted", "printed_mean"]
    header += ["printed_deviation", "difference", "standard_errors", "failed", "unconverged"]
    rows = []
    for f in report.in_order:
        printed = (None, None) if f.printed is None else (f.printed.mean, f.printed.deviation)
        gaps = (f.difference, f.standard_errors)
        counts = (f.n, f.wanted)
        key = (table.paper, table.table, f.dataset, f.method)
        rows.append([*key, f.mean, f.deviation, *counts, *printed, *gaps, f.wanted - f.n, f.unconverged])
    return write_csv(header, rows)


FORMATS: dict[str, Callable[[TableReport], str]] = {"csv": as_csv, "md": as_markdown, "tex": as_latex, "txt": as_text}


def cell_records(store: Store, table: TableReport) -> list[dict[str, Any]]:
    """Return every result behind a table, with its provenance."""
    return [dict(row) for row in store.provenance(cell for entry in table.in_order for cell in entry.cells)]


def export(store: Store, report: TableReport, path: Path) -> None:
    """Write the table (csv, md, tex, txt) or its cells (parquet, json), according to the file's extension."""
    ending = path.suffix.removeprefix(".").lower()
    if ending in FORMATS:
        path.write_text(FORMATS[ending](report), encoding="utf-8")
    elif ending == "json":
        path.write_text(json.dumps(cell_records(store, report), indent=1) + "\n", encoding="utf-8")
    elif ending == "parquet":
        _parquet(cell_records(store, report), path)
    else:
        endings = ", ".join(f".{each}" for each in (*FORMATS, "json"))
        raise ValueError(f"--export: {path.name} must end in {endings} or .parquet.")


def title_of(report: TableReport) -> str:
    table = report.protocol
    return f"{table.name} ({table.place}): {table.what}. {table.source}."


def _parquet(records: Sequence[dict[str, Any]], path: Path) -> None:
    import pandas as pd

    try:
        pd.DataFrame(list(records)).to_parquet(path)
    except ImportError:
        raise ValueError("--export: Parquet needs the package pyarrow. Install it, or name a .csv file.") from None


def _line(report: TableReport, entry: TableEntry) -> tuple[str, ...]:
    table, digits = report.protocol, report.protocol.digits
    name = f"{entry.dataset}*" if entry.dataset in report.differs else entry.dataset
    return (
        name,
        table.methods[entry.method].label,
        spread(entry.mean, entry.deviation, digits),
        f"{entry.n} of {entry.wanted}",
        NONE if entry.printed is None else spread(entry.printed.mean, entry.printed.deviation, digits),
        NONE if entry.difference is None else signed(entry.difference, digits),
        NONE if entry.standard_errors is None else signed(entry.standard_errors, 1),
        NONE if entry.within is None else "yes" if entry.within else "no",
    )


def spread(mean: float | None, deviation: float | None, digits: int) -> str:
    """Return a figure as the papers print it; a dash if there is none."""
    return NONE if mean is None else plus_minus(mean, deviation, digits)


def _why(report: TableReport, name: str) -> str:
    note = report.protocol.set(name).printed.note
    return f"Note: {note}." if note else ""


def _in_line(text: str) -> str:
    """Return the text on one line: comments and list items end at a line break, and reasons of failures may contain
    some."""
    return " ".join(text.split())


def _markdown(text: str) -> str:
    return MARKUP.sub(r"\\\g<0>", _in_line(text))


def _latex(text: str) -> str:
    return text.translate(LATEX)
