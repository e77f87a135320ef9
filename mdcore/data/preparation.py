"""Prepare examples for fitting: split them, encode them as numbers, apply edits, scale.

The split is drawn from the unedited examples, so that no edit moves another row to the other part. Imputation,
encoding of categories and scaling are fitted on the training part alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mdcore.data.along import by_groups, by_time
from mdcore.data.dataset import Dataset, Examples
from mdcore.data.edits import Edit
from mdcore.data.edits import apply as apply_edits
from mdcore.spec import Choice, Interval, Param, Slider
from mdcore.text import label_text

ScalingName = Literal["none", "unit", "standard"]

SCALING = Choice(
    name="scaling",
    symbol="scaling",
    default="none",
    options=get_args(ScalingName),
    help="none; unit: every feature to [0, 1]; standard: to mean 0 and variance 1. Fitted on the training part only.",
)
TEST = Param(
    name="test",
    symbol="test",
    default=0.3,
    legal=Interval(0, 1, open_high=True),
    slider=Slider(0, 0.9, step=0.05),
    help="Share of the examples held out for testing, the same in every class.",
)
SEED = Param(
    name="seed",
    symbol="seed",
    default=0,
    legal=Interval(0, 2**32, open_high=True),
    slider=Slider(0, 99, step=1),
    help="Random seed of the data and the split: the same seed gives the same points.",
    integer=True,
)

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Scaling:
    """The transformation `(x - shift) / scale` of each feature."""

    name: ScalingName
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]

    def apply(self, X: ArrayLike) -> NDArray[np.float64]:
        return (np.asarray(X, dtype=np.float64) - self.shift) / self.scale

    def invert(self, X: ArrayLike) -> NDArray[np.float64]:
        return np.asarray(X, dtype=np.float64) * self.scale + self.shift


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


def split(y: ArrayLike, test: float, seed: int) -> tuple[Rows, Rows]:
    """Return ascending row ids of a training and a test part, stratified, with about the share `test` for testing."""
    y = np.asarray(y)
    TEST.check(test, "split")
    SEED.check(seed, "split")
    rows = np.arange(len(y))
    if test == 0:
        return rows, rows[:0]
    _check_splittable(y, test)
    from sklearn.model_selection import train_test_split

    train, held_out = train_test_split(rows, test_size=test, stratify=y, random_state=int(seed))
    absent = np.setdiff1d(y, y[train])
    if len(absent):
        raise ValueError(
            f"split: test = {test:g} leaves no training example of class {absent[0]}. Lower test or use more examples."
        )
    return np.sort(train), np.sort(held_out)


def split_examples(examples: Examples, test: float, seed: int) -> tuple[Rows, Rows]:
    """Return training and test rows, split by the groups or the times of the examples if they have them."""
    y, along = examples.y, examples.along
    if along is None or test == 0:
        return split(y, test, seed)
    TEST.check(test, "split")
    SEED.check(seed, "split")
    return by_groups(y, along, test, seed) if examples.scheme == "groups" else by_time(y, along, test, 0, 1)


def stratified(y: ArrayLike, n: int, seed: int) -> Rows:
    """Return `n` random rows, ascending, with the classes in proportion after the first two rows of each.

    A larger sample with the same seed contains the smaller one.
    """
    y, rng = np.asarray(y), np.random.default_rng(seed)
    position = np.empty(len(y))
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        position[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
        position[rows[:1]], position[rows[1:2]] = -2.0, -1.0
    return np.sort(np.argsort(position, kind="stable")[:n])


def _check_splittable(y: NDArray[Any], test: float) -> None:
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"split: class {label_text(classes[counts.argmin()])} has {counts.min()} example; a split needs at least 2 "
            "of each class, one for training and one for testing. Use more examples, leave that class out, or keep no "
            "examples for testing."
        )
    held_out = math.ceil(test * len(y))
    for part, size, remedy in (("test", held_out, "Raise"), ("training", len(y) - held_out, "Lower")):
        if size < len(classes):
            raise ValueError(
                f"split: test = {test:g} of {len(y)} examples makes a {part} part of {size}, fewer than the "
                f"{len(classes)} classes. {remedy} test or use more examples."
            )


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
    scheme: str = "random"
    along: NDArray[np.intp] | None = None
    """Group or time of every training row, or None if splits are random; each added row gets a code of its own."""
    all_rows: Prepared | None = None
    """The data of which this is a part, or None."""

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
    is fitted before the edits, so that moving a point does not move others.
    """
    train, held_out = split_examples(examples, test, seed)
    dataset = examples.encoded(train)
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
            "Add points of another class, undo an edit, or lower test."
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
