"""A dataset: numeric inputs, labels, and their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import RANDOM, Scheme

Label = int | str


class Examples(Protocol):
    """Labelled rows, which `encoded` turns into numbers once the training rows are known.

    `along` holds an integer code for the group or the time of every row, or None if the `scheme` of the splits is
    random.
    """

    @property
    def y(self) -> NDArray[Any]: ...

    @property
    def along(self) -> NDArray[np.intp] | None: ...

    @property
    def scheme(self) -> Scheme: ...

    def encoded(self, training: NDArray[np.intp]) -> Dataset: ...


@dataclass(frozen=True, eq=False)
class Dataset:
    """Examples in rows. The arrays are read-only private copies, so that a dataset can be shared and cached.

    `classes` is stored rather than derived from `y`: flipping the last example of a class must not renumber the others.
    An experiment keeps the rows `for_training`, in order of importance, out of the test part.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    features: tuple[str, ...]
    title: str = ""
    note: str = ""
    classes: tuple[Label, ...] = ()
    for_training: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        features = tuple(self.features)
        X = _checked_inputs(self.X, features, self.name)
        y = _checked_labels(self.y, self.name)
        if len(X) != len(y):
            raise ValueError(f"{self.name}: X has {len(X)} rows and y {len(y)} labels; every row needs one label.")
        classes = _checked_classes(self.classes, y, self.name)
        X.flags.writeable = False
        y.flags.writeable = False
        for attribute, value in (("X", X), ("y", y), ("features", features), ("classes", classes)):
            object.__setattr__(self, attribute, value)

    @property
    def along(self) -> None:
        """None: the rows have neither groups nor times."""

    @property
    def scheme(self) -> Scheme:
        return RANDOM

    def encoded(self, training: NDArray[np.intp]) -> Dataset:
        """Return the dataset itself, whose values are numbers already."""
        return self

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def d(self) -> int:
        return len(self.features)

    @property
    def codes(self) -> NDArray[np.intp]:
        """Index of the label of each row in `classes`."""
        return np.searchsorted(np.array(self.classes), self.y)


def _checked_inputs(values: Any, features: tuple[str, ...], name: str) -> NDArray[np.float64]:
    X = np.array(values, dtype=np.float64, order="C")
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"{name}: X must be a table of at least one row and one column; got an array of shape {X.shape}."
        )
    if len(features) != X.shape[1]:
        raise ValueError(
            f"{name}: {len(features)} feature names for {X.shape[1]} columns; every column needs one name."
        )
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"{name}: feature {features[column]!r} is {X[row, column]} in row {row} (rows count from 0); values must "
            f"be finite. Impute or remove the {len(bad)} such value(s)."
        )
    return X


def _checked_labels(values: Any, name: str) -> NDArray[Any]:
    y = np.array(values)
    if y.ndim != 1:
        raise ValueError(f"{name}: y must be one label per row; got an array of shape {y.shape}.")
    if y.dtype.kind == "O" and all(isinstance(label, str) for label in y):
        return y.astype(str)
    if y.dtype.kind not in "iuU":
        raise ValueError(f"{name}: labels must be integers or strings; got {y.dtype}. Convert them first.")
    return y


def _checked_classes(given: tuple[Label, ...], y: NDArray[Any], name: str) -> tuple[Label, ...]:
    present = np.unique(y).tolist()
    if not given:
        return tuple(present)
    repeated = [label for label, count in Counter(given).items() if count > 1]
    missing = [label for label in present if label not in given]
    if repeated or missing:
        fault = f"{repeated[0]!r} is listed twice" if repeated else f"{missing[0]!r} of y is not listed"
        raise ValueError(f"{name}: classes must list every label of y once; {fault}.")
    return tuple(np.sort(np.array(given)).tolist())
