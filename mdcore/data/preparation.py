"""Prepare examples for fitting: split them, encode them as numbers, apply edits, scale.

The split is drawn from the unedited examples, so that no edit moves another row to the other part. Imputation,
encoding of categories and scaling are fitted on the training part alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mdcore.data.dataset import Dataset, Examples
from mdcore.data.edits import Edit
from mdcore.data.edits import apply as apply_edits
from mdcore.data.splitting import RANDOM, Rows, Scheme, exchanges, split_rows
from mdcore.margins.distribution import Part
from mdcore.spec import Choice

ScalingName = Literal["none", "unit", "standard"]

SCALING = Choice(
    name="scaling",
    symbol="scaling",
    default="none",
    options=get_args(ScalingName),
    help="none; unit: every feature to [0, 1]; standard: to mean 0 and variance 1. Fitted on the training part only.",
)


@dataclass(frozen=True, eq=False)
class Scaling:
    """The transformation `(x - shift) / scale` of each feature."""

    name: ScalingName
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]

    def apply(self, X: ArrayLike) -> NDArray[np.float64]:
        return (np.asarray(X, dtype=np.float64) - self.shift) / self.scale


def fit_scaling(name: ScalingName, X_train: NDArray[np.float64]) -> Scaling:
    """Return the scaling fitted on the training rows, in which a constant feature is shifted but not scaled."""
    SCALING.check(name, "preparation")
    fitted = scaler(name).fit(X_train)
    shift, scale = np.zeros(X_train.shape[1]), np.ones(X_train.shape[1])
    if name == "unit":
        varies = fitted.data_range_ * fitted.scale_ > 0.5  # otherwise the range is only rounding error
        shift, scale = fitted.data_min_, np.where(varies, fitted.data_range_, 1.0)
    elif name == "standard":
        shift, scale = fitted.mean_, fitted.scale_
    return Scaling(name, _read_only(shift), _read_only(scale))


def scaler(name: str) -> Any:
    """Return a scaling as an unfitted scikit-learn transformer."""
    from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

    if name == "none":
        return FunctionTransformer(feature_names_out="one-to-one")
    return MinMaxScaler() if name == "unit" else StandardScaler()


@dataclass(frozen=True, eq=False)
class Prepared:
    """Training and test data for a method. `train` and `test` are row ids of `dataset`, which includes the edits.

    The arrays are scaled, contiguous and read-only. Dropped rows are in neither part.
    """

    dataset: Dataset
    unedited: Dataset
    train: Rows
    test: Rows
    X_train: NDArray[np.float64]
    y_train: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]
    scaling: Scaling
    scheme: Scheme = RANDOM
    along: NDArray[np.intp] | None = None
    """Group or time of every training row, or None if splits are random; each added row gets a code of its own."""
    all_rows: Prepared | None = None
    """The data of which this is a part, or None."""

    def of(self, part: Part) -> tuple[Rows, NDArray[np.float64], NDArray[Any]]:
        """Return the row ids, the inputs and the labels of the training or of the test part."""
        if part == "train":
            return self.train, self.X_train, self.y_train
        return self.test, self.X_test, self.y_test

    def part(self, train: Rows, test: Rows) -> Prepared:
        """Return a part of the data, given by positions in `train` and in `test`, with unchanged scaling."""
        return replace(
            self,
            train=_read_only(self.train[train]),
            test=_read_only(self.test[test]),
            X_train=_read_only(self.X_train[train]),
            y_train=_read_only(self.y_train[train]),
            X_test=_read_only(self.X_test[test]),
            y_test=_read_only(self.y_test[test]),
            along=None if self.along is None else self.along[train],
            all_rows=self.all_rows or self,
        )


def prepare(
    examples: Examples, *, scaling: ScalingName, test: float, seed: int, edits: Iterable[Edit] = ()
) -> Prepared:
    """Split the examples, encode them as numbers, apply the edits, and scale.

    Added rows join the training part; moved and flipped rows stay in their part; dropped rows are removed. The encoding
    is fitted before the edits, so that moving a point does not move others. A test row that is meant for training
    changes places with a training row of its class.
    """
    train, held_out = split_rows(examples.scheme, examples.y, examples.along, test, seed)
    dataset = examples.encoded(train)
    inward, outward = exchanges(dataset.y, train, dataset.for_training)
    train = np.append(np.setdiff1d(train, outward), inward)
    held_out = np.append(np.setdiff1d(held_out, inward), outward)
    edited, dropped = apply_edits(dataset, edits)
    gone = np.array(sorted(dropped), dtype=np.intp)
    added = np.arange(dataset.n, edited.n)
    train = np.setdiff1d(np.concatenate([train, added]), gone)
    held_out = np.setdiff1d(held_out, gone)

    present = np.unique(edited.y[train])
    if len(present) < 2:
        only = f"only class {present[0]}" if len(present) else "no examples"
        raise ValueError(
            f"{dataset.name}: the training part holds {only}; at least two classes are needed. "
            "Add points of another class, undo an edit, or lower the test share."
        )
    fitted = fit_scaling(scaling, edited.X[train])
    return Prepared(
        dataset=edited,
        unedited=dataset,
        train=_read_only(train),
        test=_read_only(held_out),
        X_train=_read_only(fitted.apply(edited.X[train])),
        y_train=_read_only(edited.y[train]),
        X_test=_read_only(fitted.apply(edited.X[held_out])),
        y_test=_read_only(edited.y[held_out]),
        scaling=fitted,
        scheme=examples.scheme,
        along=None
        if examples.along is None
        else np.append(examples.along, len(examples.y) + np.arange(len(added)))[train],
    )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
