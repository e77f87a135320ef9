"""Code that recreates an experiment: from its query or, for a user's table, from the table's file."""

from __future__ import annotations

from mdcore.data import OwnSource
from mdcore.experiment import Experiment
from mdcore.export.own_table import table_source


def experiment_definition(experiment: Experiment) -> str:
    """Return lines that define `experiment`; a file is read from the working directory."""
    own = experiment.data.own
    call = f"experiment = Experiment.from_query({experiment.to_query()!r}"
    if own is None:
        return f"from mdcore import Experiment\n\n{call})"
    imports, lines = _own(own)
    return "\n".join([*sorted({"from mdcore import Experiment", *imports}), "", *lines, f"{call}, [own])"])


def _own(own: OwnSource) -> tuple[tuple[str, ...], tuple[str, ...]]:
    imports, table = table_source(own.table)
    lines = (
        f"table = {table}",
        f"own = own_source(table, Choices.from_json({own.choices.to_json()!r}), {own.key!r})",
    )
    return (*imports, "from mdcore.data import Choices, own_source"), lines
