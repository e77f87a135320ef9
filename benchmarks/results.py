"""The last results of every benchmark, kept in results.json, and docs/benchmarks.md made from them.

python -m benchmarks.results        write docs/benchmarks.md anew
"""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path

from benchmarks.timing import Row

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "docs" / "benchmarks.md"
SHORT_OF = "▼"  # before a ratio below 1
# Each part is a module of this package with a function `rows`.
PARTS = {
    "solvers": "LDM, ODM and MSVM_Av against general solvers of the same problem; SVM against scikit-learn's SVC",
    "linear": "LinearLDM against LinearSVC on large samples",
    "peers": "The machines against scikit-learn's for the same problem, from 500 to 50,000 rows and on linear problems",
    "libodm": "ODM against libodm, the library of its authors",
    "grids": "Cross-validation over a paper's grid",
    "tuned": "A tuned comparison of several methods against a grid search for one",
    "many_rows": "Kernel machines on many rows, through landmarks",
    "exact_rows": "Exact or through landmarks, and what Compare decides from its own estimates",
    "multiclass": "mcODM against LinearSVC of Crammer and Singer",
    "online": "Online learners",
    "sweep": "Sweeps and exact paths of LDM",
    "stage": "The stage in a browser: from a key press to the paint",
    "scrubber": "The saved scrubber in a browser",
}
HEAD = f"""# Benchmarks

`make bench` solves the same problems with `mdcore` and with other software in one process, each with one BLAS thread,
and writes this page. The ratio is the other side's time over ours: above 1, ours is faster. {SHORT_OF} marks rows in
which ours is slower, or falls short of what it is held against. Where a goal was set, the row says whether it is met.

To run some of them: `make bench ARGS="--only peers --only stage"`. The part `libodm` needs
[libodm](https://github.com/Avanti1980/libodm), which has no package: build its library and set
`MARGIN_LAB_LIBODM=/path/to/libodm.so`.
"""
COLUMNS = "| what | against | ours, ms | theirs, ms | ratio | goal | reached |\n|---|---|---:|---:|---:|---|---|"


@dataclass(frozen=True)
class Part:
    """The rows of one benchmark, with the day and the kind of machine on which they were measured."""

    day: str
    machine: str
    rows: tuple[Row, ...]


def load() -> dict[str, Part]:
    """Return the last results, by name of the part."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    return {name: Part(**{**part, "rows": tuple(Row(**row) for row in part["rows"])}) for name, part in kept.items()}


def measured(rows: Sequence[Row]) -> Part | None:
    """Return today's result of a part; None if none of its rows has a peer that is installed."""
    known = tuple(row for row in rows if not isnan(row.ratio))
    return Part(str(datetime.date.today()), platform.machine(), known) if known else None


def save(parts: Mapping[str, Part]) -> None:
    """Keep the results, and write the page that is made from them."""
    kept = {name: asdict(parts[name]) for name in PARTS if name in parts}
    RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(parts), encoding="utf-8")


def page(parts: Mapping[str, Part]) -> str:
    """Return the results as Markdown."""
    return "\n".join([HEAD, *(_section(PARTS[name], parts[name]) for name in PARTS if name in parts)])


def _section(title: str, part: Part) -> str:
    rows = "\n".join(_line(row) for row in part.rows)
    return f"## {title}\n\nMeasured on {part.day}, {part.machine}.\n\n{COLUMNS}\n{rows}\n"


def _line(row: Row) -> str:
    mark = f"{SHORT_OF} " if row.ratio < 1.0 else ""
    times = f"{_digits(row.ours_ms)} | {_digits(row.peer_ms)} | {mark}**{_digits(row.ratio)}**"
    return f"| {row.what} | {row.peer} | {times} | {row.verdict} | {row.quality} |"


def _digits(value: float) -> str:
    """Return a number with three digits, without an exponent if it is large."""
    short = f"{value:.3g}"
    return f"{float(short):,.0f}" if "e+" in short else short


if __name__ == "__main__":
    save(load())
