"""Export of a sweep: numbers as a table, the figure as a page, code that recomputes both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mdcore.export.data_code import experiment_definition
from mdcore.export.recipe import Recipe, numbers_code, repr_of
from mdcore.export.state import versions
from mdcore.figures import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure
from mdcore.sweep import AT_ONCE, SweepTable
from mdcore.sweep.rank import criteria_of

RUN = """{experiment}

from mdcore.sweep import AT_ONCE, Axis, Sweep, run

sweep = Sweep(
    experiment,
    ({axes}),
    repeats={repeats},
    threshold={threshold},
    ratio={ratio},
    statistics={statistics},
)
table = run(sweep)"""

PRINT = """for record in table.records():
    print(record)"""


def picture_of(table: SweepTable, picture: str, statistic: str, method: str) -> tuple[Any, str]:
    """Return the figure that the page shows, with the code that draws it; curves or a heatmap by default."""
    if len(table.sweep.axes) == 2:
        return heatmap_figure(table, method, statistic), f"heatmap_figure(table, {method!r}, {statistic!r})"
    if picture == "terms":
        return terms_figure(table, method), f"terms_figure(table, {method!r})"
    if picture == "sides":
        code = f"sides_figure(table, {method!r}, table.sides({method!r}).changing())"
        return sides_figure(table, method, table.sides(method).changing()), code
    if picture == "ranking":
        criteria = criteria_of(table)
        return ranking_figure(table, criteria), f"ranking_figure(table, {criteria!r})"
    return sweep_figure(table, statistic), f"sweep_figure(table, {statistic!r})"


def _statistics(keys: Sequence[str]) -> str:
    more = "".join(f", {key!r}" for key in keys if key not in AT_ONCE)
    return f"(*AT_ONCE{more})" if more else "AT_ONCE"


def sweep_recipe(table: SweepTable, figure_code: str) -> Recipe:
    """Return code that prints every number of the table: a line for each method at each point of each repeat."""
    sweep = table.sweep
    axes = "".join(f"Axis({axis.key!r}, {numbers_code(axis.values)}), " for axis in sweep.axes).rstrip(" ")
    given: Mapping[str, Any] = {
        "experiment": experiment_definition(sweep.experiment),
        "axes": axes,
        "repeats": sweep.repeats,
        "statistics": _statistics(sweep.statistics),
        "threshold": repr_of(float(sweep.threshold)),
        "ratio": repr_of(float(sweep.ratio)),
    }
    name = figure_code.partition("(")[0]
    return Recipe(
        "Recompute a sweep of Margin Lab: print the numbers of its table and write its figure.",
        versions(),
        (RUN.format(**given), PRINT, f"from mdcore.figures import {name}\n\npicture = {figure_code}"),
        ("picture",),
    )
