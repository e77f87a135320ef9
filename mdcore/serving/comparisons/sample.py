"""The data of a comparison, with their description on the page and in the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mdcore.basics.text import short
from mdcore.data import Choices, OwnSource, find_source
from mdcore.data.splitting import RANDOM, Kind
from mdcore.experiment import Experiment
from mdcore.export import DataCode, experiment_code, table_code, table_facts
from mdcore.study import Data, data_of, data_of_table


@dataclass(frozen=True, eq=False)
class Sample:
    """The data of a comparison.

    `rows[i]` is the name of row i in the original data; `experiment` has the same data for the stage.
    """

    title: str
    data: Data
    rows: Sequence[Any]
    facts: tuple[tuple[str, str], ...]
    code: DataCode
    experiment: Experiment
    test: float
    seed: int
    note: str = ""
    positive: int | str | None = None
    scheme: Kind = RANDOM

    @property
    def own(self) -> OwnSource | None:
        """The source, if the data are the visitor's own table; test share and seed are then among its choices."""
        return self.experiment.data.own

    @property
    def is_shared(self) -> bool:
        """Whether all visitors may see the data: neither a visitor's own table nor edited by hand."""
        return self.own is None and not self.experiment.data.edits

    def is_other_than(self, other: Sample) -> bool:
        """Whether these are other data, or the same with other choices about them."""
        return (self.facts, self.code) != (other.facts, other.code)

    @property
    def classes(self) -> list[tuple[str, int]]:
        labels, counts = np.unique(self.data.y, return_counts=True)
        return [(str(label), int(count)) for label, count in zip(labels, counts, strict=True)]

    def row(self, number: int) -> list[tuple[str, str]]:
        """Return the original cells of a row, by column."""
        X = self.data.X
        cells = X.iloc[number].tolist() if hasattr(X, "iloc") else X[number].tolist()
        names = list(X.columns) if hasattr(X, "columns") else list(self.data.features)
        return [("class", str(self.data.y[number])), *zip(map(str, names), map(str, cells), strict=True)]


def sample_of_experiment(experiment: Experiment) -> Sample:
    data = data_of(experiment)
    key, source = experiment.data, find_source(experiment.data.source)
    symbols = {option.name: option.symbol for option in source.options}
    options = ", ".join(
        f"{symbols[name]} = {short(value) if isinstance(value, float | int) else value}" for name, value in key.options
    )
    facts = [("data", f"{source.title}{f' ({options})' if options else ''}"), ("scaling", key.scaling)]
    if key.edits:
        facts.append(("edited by hand", f"{len(key.edits)} edits; the splits are drawn from the edited rows"))
    return Sample(
        title=source.title,
        data=data,
        rows=range(len(data.y)),
        facts=tuple(facts),
        code=experiment_code(experiment),
        test=key.test,
        seed=key.seed,
        note=source.summary,
        experiment=experiment,
    )


def sample_of_table(source: OwnSource, choices: Choices) -> Sample:
    """Return the chosen rows of a table as a sample, with the split and scaling of `choices`."""
    table, chosen = source.table, source.chosen
    return Sample(
        title=table.name,
        data=data_of_table(table, choices, chosen),
        rows=chosen.rows.tolist(),
        facts=table_facts(table, choices, chosen),
        code=table_code(table, choices),
        test=choices.test,
        seed=choices.seed,
        positive=chosen.positive,
        scheme=choices.scheme,
        experiment=_experiment(source, choices),
    )


def _experiment(source: OwnSource, choices: Choices) -> Experiment:
    return Experiment.on(source).with_values({name: getattr(choices, name) for name in ("test", "seed", "scaling")})
