"""Export of learning curves and of margin tables: code that recomputes them and prints their numbers."""

from __future__ import annotations

from mdcore.export.recipe import Recipe
from mdcore.export.state import versions
from mdcore.papers.learning_curves import CurvesPlan
from mdcore.papers.margin_table import TablePlan

LEARN = """from mdcore.papers.learning_curves import CurvesPlan, learning_curves, records

made = learning_curves({plan!r})"""

PRINT = """for record in records(made):
    print(record)"""

DRAW = """from mdcore.figures import learning_figure

{lines}"""

MAKE = """{experiment}

from mdcore.papers.margin_table import TablePlan, margin_table, records, whole_set

*_, table = margin_table({plan!r}, whole_set(experiment))"""

PRINT_TABLE = """for record in records(table):
    print(record)"""


def learning_recipe(plan: CurvesPlan, against: str) -> Recipe:
    """Return code that prints a line for each epoch of each curve. Times depend on the machine."""
    names = [f"picture_{number}" for number in range(1, len(plan.ps) + 1)]
    lines = [
        f"{name} = learning_figure([curve for curve in made if curve.p == {p!r}], {against!r})"
        for name, p in zip(names, plan.ps, strict=True)
    ]
    return Recipe(
        "Recompute learning curves of Margin Lab: print their numbers and write their figures.",
        versions(),
        (LEARN.format(plan=plan), PRINT, DRAW.format(lines="\n".join(lines))),
        tuple(names),
    )


def margin_table_recipe(plan: TablePlan, experiment: str) -> Recipe:
    """Return the code; `experiment` is code that defines the name `experiment`. Times depend on the machine."""
    return Recipe(
        "Recompute time and margin on a whole set: print a line for the batch solver and for each learner.",
        versions(),
        (MAKE.format(experiment=experiment, plan=plan), PRINT_TABLE),
    )
