"""What a comparison is made on: rows, labels, and the preparation that every split fits anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data import edits as hand
from mdcore.data import load_dataset
from mdcore.data.preparation import scaler
from mdcore.experiment import Experiment
from mdcore.study.splits import Rows


@dataclass(frozen=True, eq=False)
class Data:
    """`X` is an array or a DataFrame, `preparation` an unfitted scikit-learn transformer.

    `features` names the columns of an array; a DataFrame names its own. `along` holds the code of every row's group or
    time, where the plan splits along them.
    """

    X: Any
    y: NDArray[Any]
    preparation: Any
    features: tuple[str, ...] = ()
    along: NDArray[np.intp] | None = None

    def along_of(self, rows: Rows) -> NDArray[np.intp] | None:
        return None if self.along is None else self.along[rows]

    def rows(self, rows: Rows) -> Any:
        return self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]


def data_of(experiment: Experiment) -> Data:
    """The data of an experiment, its scaling as a transformer. Without hand edits, the first split is the same too."""
    key = experiment.data
    dataset, dropped = hand.apply(load_dataset(key.source, **dict(key.options)), key.edits)
    kept = np.setdiff1d(np.arange(dataset.n), sorted(dropped))
    return Data(dataset.X[kept], dataset.y[kept], scaler(key.scaling), dataset.features)
