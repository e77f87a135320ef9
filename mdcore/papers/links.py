"""A cell as an experiment for the interactive plots, with the same split, scaling, kernel and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdcore.data import find_source
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.papers.evaluation import split_share
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.sets import rows_of


def experiment_of(
    table: TableProtocol, dataset: str, method: str, split: int, params: Mapping[str, Any]
) -> Experiment | None:
    """Return the experiment of a cell, or None if the plots cannot show it: a table of margins, a set that is only a
    part of a source, or a column whose method is not in the package."""
    table_set, column = table.set(dataset), table.method(method)
    if (
        column.estimator not in METHODS
        or table_set.first is not None
        or not table_set.printed.catalogue_key
        or table.measure == "margin"
    ):
        return None
    rows, record = rows_of(table_set), METHODS[column.estimator]
    known = {param.name for param in record.params}
    chosen = {f"{column.estimator}.{name}": value for name, value in params.items() if name in known}
    fixed = {f"{column.estimator}.{name}": value for name, value in column.fixed.items() if name in known}
    values = {
        **table_set.options,
        "seed": split,
        "test": split_share(table_set, rows.dataset.n),
        "scaling": "unit",
        "kernel": table.kernel,
        "bias": "1" if table.bias or record.bias == "own" else "0",  # "own": 1 means that bias
        "methods": (column.estimator,),
        **fixed,
        **chosen,
    }
    if "gamma" in params:
        values["gamma"] = params["gamma"]
    made = Experiment.on(find_source(table_set.printed.catalogue_key))
    return made.with_values({"methods": (column.estimator,)}).with_values(values)
