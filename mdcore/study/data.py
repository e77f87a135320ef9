"""The data of a comparison: rows, labels, and a preparation that is fitted anew on every split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from mdcore.data import Choices, DataProblem, Dataset, Selection, Table, load_dataset, preparation
from mdcore.data import edits as hand
from mdcore.data.preparation import scaler
from mdcore.data.splitting import GROUPS, TIME, Codes, Kind, Rows, codes_of, exchanges, split
from mdcore.data.tables.pipeline import Raw, along_of
from mdcore.data.tables.proposals import propose_groups, time_columns
from mdcore.experiment import Experiment


@dataclass(frozen=True, eq=False)
class SplitOption:
    """A way to split the rows: by the groups or the times in a column."""

    scheme: Kind
    column: str
    codes: Codes


@dataclass(frozen=True, eq=False)
class Data:
    """`X` is an array or a DataFrame, `preparation` an unfitted scikit-learn transformer.

    `features` names the columns of an array; a DataFrame has its own names. `along` is the code of every row's group or
    time if the plan splits by it; `ways` are all possible ways to split these data.
    """

    X: Any
    y: NDArray[Any]
    preparation: Any
    features: tuple[str, ...] = ()
    along: Codes | None = None
    ways: tuple[SplitOption, ...] = ()

    def along_of(self, rows: Rows) -> Codes | None:
        return None if self.along is None else self.along[rows]

    def rows(self, rows: Rows) -> Any:
        return self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]

    def without(self, columns: Sequence[str]) -> Data:
        """Return the data with these columns at one value in every row, so that nothing can be learnt from them.

        Unlike data with fewer columns, they suit any preparation.
        """
        X = self.X.copy()
        for name in columns:
            if hasattr(X, "columns"):
                known = X[name].dropna()
                X[name] = known.iloc[0] if len(known) else X[name]
            else:
                X[:, self.columns.index(name)] = 0.0
        return replace(self, X=X)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns before preparation."""
        if hasattr(self.X, "columns"):
            return tuple(self.X.columns)
        return self.features or tuple(f"column {j + 1}" for j in range(self.X.shape[1]))


def data_of_table(table: Table, choices: Choices, chosen: Selection) -> Data:
    """Return the chosen rows of a table, and the ways in which they could be split."""
    names: set[tuple[Kind, str]] = {(choices.scheme, choices.along)} if choices.along else set()
    groups = propose_groups(table, choices.target)
    names |= {(GROUPS, groups.value)} if groups else set()
    names |= {(TIME, name) for name in time_columns(table, choices.target)}
    ways = []
    for scheme, column in sorted(names):
        try:
            values = along_of(table, replace(choices, scheme=scheme, along=column))
        except DataProblem:  # a column with unreadable dates cannot define a split
            continue
        if values is not None:
            ways.append(SplitOption(scheme, column, codes_of(values[chosen.rows])))
    along = None if chosen.along is None else codes_of(chosen.along)
    return Data(chosen.X, chosen.y, preparation(table, choices), along=along, ways=tuple(ways))


def data_of(experiment: Experiment) -> Data:
    """Return the data of an experiment, with its scaling as a transformer.

    Without manual edits, the first split is the same as that of the experiment: rows that it exchanges between its
    parts have changed places.
    """
    key = experiment.data
    made = load_dataset(key.source, **dict(key.options))
    dataset, dropped = hand.apply(made, key.edits)
    order = np.append(_order(made, key.test, key.seed), np.arange(made.n, dataset.n))
    kept = order[~np.isin(order, sorted(dropped))]
    return Data(dataset.X[kept], dataset.y[kept], scaler(key.scaling), dataset.features)


def _order(dataset: Dataset, test: float, seed: int) -> Rows:
    """Return the rows in order, those that an experiment exchanges between its parts in each other's places."""
    order = np.arange(dataset.n)
    try:
        train, _ = split(dataset.y, test, seed)
    except ValueError:  # the comparison says why
        return order
    inward, outward = exchanges(dataset.y, train, dataset.for_training)
    order[[*inward, *outward]] = [*outward, *inward]
    return order


def training_data_of(experiment: Experiment) -> Data:
    """Return the training rows of an experiment before scaling, with its manual edits; no test row is read.

    The rows of a user's own table are not encoded yet either, so that every fold encodes them anew, unless a point was
    added or moved: these exist as numbers only.
    """
    key, prepared = experiment.data, experiment.prepare()
    y, along, scaling = prepared.y_train, prepared.along, scaler(key.scaling)
    if key.own is None or any(isinstance(edit, hand.Add | hand.Move) for edit in key.edits):
        return Data(prepared.dataset.X[prepared.train], y, scaling, prepared.dataset.features, along)
    raw = key.own.make(**dict(key.options))
    assert isinstance(raw, Raw)
    to_numbers = Pipeline([("columns", raw.columns), ("scaling", scaling)])
    return Data(raw.X.iloc[prepared.train], y, to_numbers, along=along)
