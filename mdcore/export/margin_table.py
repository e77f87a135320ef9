"""Export of a margin table: code that recomputes it and prints its numbers."""

from __future__ import annotations

from mdcore.export.recipe import Recipe
from mdcore.export.state import versions
from mdcore.papers.margin_table import TablePlan

MAKE = """{experiment}

from mdcore.papers.margin_table import TablePlan, margin_table, records, whole_set

*_, table = margin_table({plan!r}, whole_set(experiment))"""

PRINT = """for record in records(table):
    print(record)"""


def margin_table_recipe(plan: TablePlan, experiment: str) -> Recipe:
    """Return the code; `experiment` is code that defines the name `experiment`. Times depend on the machine."""
    return Recipe(
        "Recompute time and margin on a whole set: print a line for the batch solver and for each learner.",
        versions(),
        (MAKE.format(experiment=experiment, plan=plan), PRINT),
    )
