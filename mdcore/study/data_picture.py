"""What can be seen of data before a method is fitted: classes, columns, gaps, copies, and two principal components."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone

from mdcore.basics.text import count
from mdcore.solvers.arrays import Array
from mdcore.study.data import Data
from mdcore.study.scores import are_unequal

MOST_ROWS = 3000  # rows looked at, evenly spread over a larger table
MOST_COLUMNS = 500  # columns looked at
BINS = 20
MOST_LEVELS = 12  # categories drawn, the most frequent ones
FOLDS = 5  # in which categories are ordered by rows that are then not scored
CORRELATED = 0.95


@dataclass(frozen=True, eq=False)
class ColumnPicture:
    """A column: the share of every class in each bin, or in each of the most frequent categories.

    `separation` is the AUC of the column alone in its better direction, for several classes the mean of each against
    the rest. Categories are ordered by the classes of other rows, so that many levels alone separate nothing.
    """

    name: str
    separation: float
    missing: int
    bins: tuple[str, ...]
    shares: Array
    """One row for each class, which sums to at most 1."""


@dataclass(frozen=True)
class Check:
    """A fact about the data: fine, or one to know before the comparison."""

    fine: bool
    text: str


@dataclass(frozen=True, eq=False)
class DataPicture:
    """`columns` are sorted by their separation, best first; `points` are the rows looked at in the plane of two
    principal components, which has the share `explained` of the variance; `codes` are their classes."""

    classes: tuple[Any, ...]
    counts: tuple[int, ...]
    columns: tuple[ColumnPicture, ...]
    columns_left: int
    points: Array
    codes: NDArray[np.intp]
    rows: int
    explained: float
    checks: tuple[Check, ...]


def data_picture(data: Data) -> DataPicture:
    classes, counts = np.unique(data.y, return_counts=True)
    frame = _frame(data)
    some = np.arange(0, len(frame), max(1, -(-len(frame) // MOST_ROWS)))
    seen, codes = frame.iloc[some, :MOST_COLUMNS], np.searchsorted(classes, data.y[some])
    columns = [_column(seen[name], codes, len(classes)) for name in seen.columns]
    points, explained = _components(data, some)
    return DataPicture(
        classes=tuple(classes.tolist()),
        counts=tuple(counts.tolist()),
        columns=tuple(sorted(columns, key=lambda column: -column.separation)),
        columns_left=frame.shape[1] - len(columns),
        points=points,
        codes=codes,
        rows=len(frame),
        explained=explained,
        checks=tuple(_checks(data, frame, seen)),
    )


def _frame(data: Data) -> pd.DataFrame:
    if isinstance(data.X, pd.DataFrame):
        return data.X
    return pd.DataFrame(data.X, columns=list(data.features) or None).rename(columns=str)


def _column(values: pd.Series, codes: NDArray[np.intp], classes: int) -> ColumnPicture:
    present = values.notna().to_numpy()
    kept, of = values[present], codes[present]
    numeric = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    if numeric:
        numbers = kept.to_numpy(dtype=np.float64)
        bins, places = _number_bins(numbers)
        separation = _separation(np.repeat(numbers[:, None], classes, axis=1), of, classes, either=True)
    else:
        levels, names = pd.factorize(kept.astype(str))
        frequent = np.argsort(-np.bincount(levels, minlength=len(names)), kind="stable")[:MOST_LEVELS]
        bins, place = tuple(names[frequent]), np.full(len(names), -1)
        place[frequent] = np.arange(len(frequent))
        places, separation = place[levels], _separation(_held_out_rates(levels, of, classes), of, classes, either=False)
    shares = np.zeros((classes, max(len(bins), 1)))
    np.add.at(shares, (of[places >= 0], places[places >= 0]), 1.0)
    shares /= np.maximum(np.bincount(of, minlength=classes), 1)[:, None]
    return ColumnPicture(str(values.name), separation, int((~present).sum()), bins, shares)


def _number_bins(numbers: Array) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return bins over all but the outermost hundredth of the values, or one for each of a few different values."""
    different = np.unique(numbers)
    if len(different) <= BINS:
        return tuple(f"{value:.3g}" for value in different), np.searchsorted(different, numbers)
    low, high = np.quantile(numbers, (0.005, 0.995))
    if low == high:
        low, high = different[0], different[-1]
    edges = np.linspace(low, high, BINS + 1)
    places = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, BINS - 1)
    return tuple(f"{a:.3g} to {b:.3g}" for a, b in pairwise(edges)), places


def _held_out_rates(levels: NDArray[np.intp], codes: NDArray[np.intp], classes: int) -> Array:
    """Return the share of every class among the rows of the same category in the other folds, drawn towards the share
    of the class."""
    fold = np.random.default_rng(0).permutation(len(levels)) % FOLDS
    rates = np.zeros((len(levels), classes))
    for held in range(FOLDS):
        others, mine = fold != held, fold == held
        counts = np.zeros((levels.max(initial=0) + 1, classes))
        np.add.at(counts, (levels[others], codes[others]), 1.0)
        prior = np.bincount(codes[others], minlength=classes) / max(others.sum(), 1)
        rates[mine] = ((counts + prior) / (counts.sum(axis=1, keepdims=True) + 1.0))[levels[mine]]
    return rates


def _separation(values: Array, codes: NDArray[np.intp], classes: int, *, either: bool) -> float:
    """Return the mean over the classes of the AUC of each against the rest, at least one half: in the better direction
    of two if `either`, else as the values order the rows."""
    areas = []
    for code in [1] if classes == 2 else range(classes):
        mine = codes == code
        n, rest = int(mine.sum()), int((~mine).sum())
        if n and rest:
            area = (rankdata(values[:, code])[mine].sum() - n * (n + 1) / 2) / (n * rest)
            areas.append(max(area, 1.0 - area if either else 0.5))
    return float(np.mean(areas)) if areas else 0.5


def _components(data: Data, some: NDArray[np.intp]) -> tuple[Array, float]:
    """Return prepared rows in the plane of their first two principal components, and its share of the variance."""
    from sklearn.decomposition import PCA

    X = np.asarray(clone(data.preparation).fit_transform(data.rows(some), data.y[some]), dtype=np.float64)
    X = X[:, :MOST_COLUMNS] - X[:, :MOST_COLUMNS].mean(axis=0)
    if min(X.shape) < 2:
        return np.column_stack([X[:, 0], np.zeros(len(X))]), 1.0
    found = PCA(2, random_state=0).fit(X)
    return np.asarray(found.transform(X)), float(np.nan_to_num(found.explained_variance_ratio_, nan=0.5).sum())


def _checks(data: Data, frame: pd.DataFrame, seen: pd.DataFrame) -> list[Check]:
    gaps = frame.isna().to_numpy().sum(axis=0)
    cells, columns = int(gaps.sum()), int((gaps > 0).sum())
    copies = int(frame.duplicated().sum())
    numbers = seen.select_dtypes("number")
    words = seen.shape[1] - numbers.shape[1]
    pairs = _correlated_pairs(numbers)
    counts = sorted(np.unique(data.y, return_counts=True)[1].tolist(), reverse=True)
    sizes = f"{counts[0]:,} to {counts[-1]:,}"
    return [
        Check(not cells, f"Missing cells: {cells:,}, in {count(columns, 'column')}" if cells else "No missing cells"),
        Check(not copies, f"Copies of an earlier row: {copies:,}" if copies else "No row occurs twice"),
        Check(
            True,
            f"{count(numbers.shape[1], 'column')} of numbers, {words:,} of categories" if words else "Numbers only",
        ),
        Check(
            not pairs,
            f"Pairs of columns that correlate above {CORRELATED:g}: {pairs:,}"
            if pairs
            else f"No two columns correlate above {CORRELATED:g}",
        ),
        Check(False, f"Classes {sizes} rows: each class will count the same")
        if are_unequal(data.y)
        else Check(True, f"Classes of similar size, {sizes} rows"),
    ]


def _correlated_pairs(numbers: pd.DataFrame) -> int:
    varied = numbers.loc[:, numbers.nunique() > 1]
    if varied.shape[1] < 2:
        return 0
    found = varied.corr().abs().to_numpy()
    return int((found[np.triu_indices(len(found), 1)] > CORRELATED).sum())
