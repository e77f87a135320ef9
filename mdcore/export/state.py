"""Export of a state of the stage: numbers as a table, code that recomputes them, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from mdcore.basics.versions import as_words, with_python
from mdcore.data.tables.writing import write_csv
from mdcore.experiment import Experiment
from mdcore.experiment.projection import plane
from mdcore.experiment.run import Run
from mdcore.export.data_code import experiment_definition
from mdcore.export.recipe import Recipe
from mdcore.export.web_page import web_page
from mdcore.figures import boundary_figure, cumulative_figure, figure_html, histogram_figure, plotly_library
from mdcore.margins.distribution import PARTS, STATISTICS, common_edges

GRID = 100

RUN = """{experiment}
runs = {{key: experiment.run_method(key) for key in {methods!r}}}"""

PRINT = """for key, run in runs.items():
    for part in {parts!r}:
        for name in {statistics!r}:
            print(key, part, name, repr(float(getattr(getattr(run, part), name))))"""

DRAW = """from mdcore.figures import cumulative_figure, histogram_figure
from mdcore.margins.distribution import PARTS, common_edges

shown = list(runs.values())
edges = common_edges([run.on_axis(part) for run in shown for part in PARTS])
histogram = histogram_figure(shown, edges)
cumulative = cumulative_figure(shown)"""


def state_script(experiment: Experiment, methods: Sequence[str]) -> str:
    """Return a script that prints the table on screen and writes its two figures; it needs the library and Plotly."""
    return _recipe(experiment, methods).script()


def state_notebook(experiment: Experiment, methods: Sequence[str], sentence: str) -> str:
    """Return the same as a notebook, with the figures below the code."""
    return _recipe(experiment, methods).notebook(sentence)


def margins_csv(runs: Mapping[str, Run]) -> str:
    """Return a row for every example: part, class, and margin by every method, unrounded."""
    first = next(iter(runs.values()))
    header = ["row", "part", "class", *(f"{run.name} margin ({run.scale})" for run in runs.values())]
    rows: list[list[Any]] = []
    for part in PARTS:
        numbers, _, labels = first.prepared.of(part)
        columns = [run.margins(part).values for run in runs.values()]
        for at, row in enumerate(numbers):
            rows.append([int(row), part, _plain(labels[at]), *(float(column[at]) for column in columns)])
    return write_csv(header, rows)


def figures_page(runs: Mapping[str, Run], sentence: str) -> str:
    """Return a page with interactive figures that works offline."""
    shown = list(runs.values())
    edges = common_edges([run.on_axis(part) for run in shown for part in PARTS])
    made = [histogram_figure(shown, edges), cumulative_figure(shown)]
    prepared = shown[0].prepared
    if prepared.dataset.d == 2 and len(prepared.dataset.classes) == 2:
        xs, ys = plane(prepared).window.grid(GRID)
        made = [boundary_figure(run, xs, ys, run.field(xs, ys)) for run in shown] + made
    return figures_document(made, sentence)


def figures_document(made: Sequence[Any], sentence: str, before: str = "") -> str:
    """Return a page with figures below a sentence that works offline; `before` is HTML placed above the figures."""
    body = "\n".join(figure_html(each) for each in made)
    return web_page(
        "Margin Lab", f"<h1>Margin Lab</h1><p>{escape(sentence)}</p>\n{before}{body}", head=plotly_library()
    )


def versions() -> str:
    return as_words(with_python(("mdcore", "numpy", "scipy", "plotly")))


def _recipe(experiment: Experiment, methods: Sequence[str]) -> Recipe:
    return Recipe(
        "Recompute a state of Margin Lab: print the numbers of its table and write its margins as figures.",
        versions(),
        (
            RUN.format(experiment=experiment_definition(experiment), methods=tuple(methods)),
            PRINT.format(parts=PARTS, statistics=STATISTICS),
            DRAW,
        ),
        ("histogram", "cumulative"),
    )


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
