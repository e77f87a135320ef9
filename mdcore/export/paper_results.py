"""RESULTS.md: the results of all papers' tables, with their differences from the printed values."""

from __future__ import annotations

from collections.abc import Iterator

from mdcore.export.paper_differences import differences, not_run
from mdcore.export.paper_tables import as_markdown
from mdcore.papers.protocol import papers
from mdcore.papers.published import Results
from mdcore.papers.table_report import TableReport

OPENING = """# The papers' tables, recomputed

Our results next to the printed ones: mean ± standard deviation over the finished splits, which are "n of N" of the
paper's. "standard errors" is the difference in standard errors of the two means; "within 2 sd" tells whether the means
differ by at most two of the printed standard deviations. A set marked * does not have the printed shape. Splits
without a result are left out and named; nothing replaces them. Each result uses one version of the code, the one with
most finished splits, or the latest of several.

`python -m mdcore tables --results RESULTS.md` writes this file from the results published with the package, which are
data (`mdcore/papers/results.json`). With `--store FILE`, it first computes what the store lacks and takes the results
from there; `--data FILE.json` also writes them as data. `MARGIN_LAB_DATA` must name the folder of data sets. After an
interruption, the same command continues.
"""


def results_page(results: Results) -> str:
    parts = [OPENING, _environments(results)]
    for paper in papers():
        reports = [made for made in results.tables if made.protocol.paper == paper]
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


def _environments(results: Results) -> str:
    """Return the machines and package versions behind the results."""
    lines = []
    for facts, cells in results.environments:
        packages = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "scipy", "scikit-learn", "numba"))
        lines.append(
            f"{cells:,} results on {facts['processor']}, {facts['processors']} processors, Python "
            f"{facts['python']}, {packages}; one BLAS thread each."
        )
    return "\n".join(lines) + "\n"
