"""Export of learning curves: code that recomputes them, prints their numbers and draws both figures."""

from __future__ import annotations

from mdcore.export.recipe import Recipe
from mdcore.export.state import versions
from mdcore.papers.learning_curves import CurvesPlan

LEARN = """from mdcore.papers.learning_curves import CurvesPlan, learning_curves, records

made = learning_curves({plan!r})"""

PRINT = """for record in records(made):
    print(record)"""

DRAW = """from mdcore.figures import learning_figure

{lines}"""


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
