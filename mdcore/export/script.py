"""A Python script that recomputes a comparison with the library alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from mdcore.basics.versions import as_words
from mdcore.experiment import Experiment
from mdcore.export.recipe import Recipe
from mdcore.study import Comparison, Plan

SCRIPT = "Recompute a comparison of Margin Lab: print the numbers of its report, except times."


@dataclass(frozen=True)
class DataCode:
    """Code that loads the data: imports, and lines that define X, y, preparation and, if the splits need it, `along`.

    `table` is true for the user's own table; the lines then define `table`, `choices` and `chosen` too.
    """

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    table: bool = False


def experiment_code(experiment: Experiment) -> DataCode:
    """Return code that loads data of the catalogue from the query string of the page's URL."""
    return DataCode(
        imports=("from mdcore import Experiment", "from mdcore.study import data_of"),
        lines=(
            f"data = data_of(Experiment.from_query({experiment.to_query()!r}))",
            "X, y, preparation = data.X, data.y, data.preparation",
        ),
    )


def script(comparison: Comparison, data: DataCode) -> str:
    """Return the script. With the package versions named in it, it prints the numbers of the report."""
    return _recipe(comparison, data).script()


def comparison_recipe(comparison: Comparison, data: DataCode, score: str) -> Recipe:
    """Return the script as a recipe for a notebook: it prints the numbers and draws the leaderboard."""
    printed = _recipe(comparison, data)
    imports = (
        "from IPython.display import HTML\n\nfrom mdcore.figures import board_html\nfrom mdcore.study import board"
    )
    return replace(printed, cells=(*printed.cells, f"{imports}\n\nHTML(board_html(board(comparison, {score!r})))"))


def recipe_of(title: str, comparison: Comparison, imports: Iterable[str], lines: Sequence[str]) -> Recipe:
    """Return a recipe of one cell, with the versions that its numbers may depend on."""
    given = {*imports, *(["from math import inf"] if any("inf" in line for line in plan_code(comparison.plan)) else [])}
    return Recipe(title, as_words(dict(comparison.versions)), ("\n".join([*sorted(given), "", *lines]),))


def plan_code(plan: Plan) -> list[str]:
    """Return code for the plan, with every field spelled out."""
    given = [f"    {field.name}={getattr(plan, field.name)!r}," for field in fields(plan) if field.name != "candidates"]
    candidates = [f"        {candidate!r}," for candidate in plan.candidates]
    return ["plan = Plan(", "    candidates=(", *candidates, "    ),", *given, ")"]


def _recipe(comparison: Comparison, data: DataCode) -> Recipe:
    imports = {
        *data.imports,
        "from mdcore.experiment import KernelKey",
        "from mdcore.study import Candidate, Plan, Within, compare, numbers",
    }
    along = "" if comparison.along is None else ", along=along"
    lines = [
        *data.lines,
        "",
        *plan_code(comparison.plan),
        "",
        f"comparison = compare(X, y, preparation, plan{along})",
        "print(numbers(comparison))",
    ]
    return recipe_of(SCRIPT, comparison, imports, lines)
