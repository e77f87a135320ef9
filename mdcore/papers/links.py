"""A cell as an experiment for the interactive plots, with the same split, scaling, kernel and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdcore.data import find_source
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.papers.protocol import Protocol
from mdcore.papers.sets import rows_of
from mdcore.papers.trial import split_share


def experiment_of(
    table: Protocol, dataset: str, method: str, split: int, params: Mapping[str, Any]
) -> Experiment | None:
    """Return the experiment of a cell, or None if the plots cannot show it: a table of margins, a set that is only a
    part of a source, or a column whose method is not in the package."""
    entry, column = table.set(dataset), table.method(method)
    if (
        column.estimator not in METHODS
        or entry.first is not None
        or not entry.printed.catalogue_key
        or table.measure == "margin"
    ):
        return None
    rows, record = rows_of(entry), METHODS[column.estimator]
    known = {param.name for param in record.params}
    chosen = {f"{column.estimator}.{name}": value for name, value in params.items() if name in known}
    fixed = {f"{column.estimator}.{name}": value for name, value in column.fixed.items() if name in known}
    values = {
        **entry.options,
        "seed": split,
        "test": split_share(entry, rows.dataset.n),
        "scaling": "unit",
        "kernel": table.kernel,
        "bias": "1" if table.bias or record.bias == "own" else "0",  # "own": 1 means that bias
        "methods": (column.estimator,),
        **fixed,
        **chosen,
    }
    if "gamma" in params:
        values["gamma"] = params["gamma"]
    made = Experiment.on(find_source(entry.printed.catalogue_key))
    return made.with_values({"methods": (column.estimator,)}).with_values(values)
