"""Suspicious columns and rows: columns that predict the class on their own, columns with equal content, duplicate rows,
and twins, which are nearly equal, such as several measurements of one patient without a column that names the patient.

Twins show in the distances. For independent rows with a smooth density in m dimensions, the volumes of the balls around
a row up to its neighbours are those of a Poisson process: the jump k m log(d[k + 1] / d[k]) has the standard
exponential distribution for every k, where d[k] is the distance to the k-th neighbour. This is the null; m is estimated
from neighbours further away (Levina and Bickel, 2005). Twins break it: in groups of k + 1 rows, the distance jumps
behind the k-th neighbour of most rows.

Distances are those of columns of many distinct values alone, as normal scores of their ranks, in which ties are broken
at random. Equality in a column of few values is natural, and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from mdcore.data.splitting import Codes
from mdcore.solvers.arrays import Array

SUSPICIOUS_ACCURACY = 0.97  # balanced accuracy from which a single column is suspicious
MIN_LEAD = 0.05  # lead of a suspicious column over all other columns together
EQUAL_CORRELATION = 0.999  # absolute correlation of columns with equal content
MIDDLE = (0.05, 0.95)  # quantiles of a column between which it has to correlate, too
MIDDLE_CORRELATION = 0.998  # as much noise as EQUAL_CORRELATION allows, where the values vary less
MIN_VARIANCE_SHARE = 1e-9  # least variance of a column, relative to its whole variance, on the rows shared with another
BLOCK = 500  # columns
SAMPLE_ROWS = 3000  # rows used to examine single columns
ROWS_PER_CATEGORY = 5  # rows for each distinct number of a column that may be a category
FOLDS = 3
DEPTH = 4  # of a single tree
ROWS_PER_RUN = 4  # least rows of one class in succession, on average, in a column that predicts the classes of others
CHANCE = 0.05  # probability from which a column that divides the classes may be a coincidence
TREES = 50
MIN_DUPLICATES = 0.05  # share of rows with a copy
PAIRED_ROWS = 2000  # rows compared pair by pair, at most,
PAIRED_CELLS = 10**8  # and cells


NEIGHBOURS = 20  # the largest group found has one row more
FEWEST_ROWS = 40
FEWEST_COLUMNS = 2
FEWEST_VALUES = 20  # distinct values of a column of distances, at least,
VALUES_PER_ROW = 0.1  # and at least this share of the rows
MOST_GAPS = 0.2  # share of missing values in such a column
RARE = 4.0  # a jump as large as this has probability e^-4 = 0.018 under the null
MIN_SHARE = 0.12  # share of rows with such a jump behind the same neighbour: seven times that of independent rows
LINK = 2.0  # smallest jump that ends a group of twins, once there are twins
TESTED_ROWS = 2000  # rows whose neighbours are searched first


def equal_columns(X: Any) -> list[tuple[str, ...]]:
    """Return groups of columns with equal content: numbers up to a linear map, categories up to renaming, where a
    column of few numbers counts as a category too."""
    import pandas as pd

    some = X.iloc[:: max(1, len(X) // SAMPLE_ROWS)]
    numbers = some.select_dtypes("number")
    names = list(numbers.columns)
    together: dict[int, list[str]] = {}
    for name, group in zip(names, _correlated(numbers), strict=True):
        together.setdefault(group, []).append(name)
    found = [tuple(group) for group in together.values() if len(group) > 1]
    words = {name: tuple(pd.factorize(some[name])[0]) for name in some.columns if _may_be_category(some[name])}
    seen: dict[tuple[int, ...], str] = {}
    for name, codes in words.items():
        if codes in seen and not {name, seen[codes]} <= set(names):
            found.append((seen[codes], name))
        seen.setdefault(codes, name)
    return found


def _correlated(numbers: Any) -> NDArray[np.intp]:
    """Return a code for every numeric column, equal for columns that are linear maps of each other.

    They have to be so without their extreme values too: a single row far away correlates any two columns.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    values = numbers.to_numpy(dtype=np.float64)
    width = values.shape[1]
    inner, known = values.copy(), ~np.isnan(values).all(axis=0)
    if known.any():
        low, high = np.nanquantile(values[:, known], MIDDLE, axis=0)
        inner[:, known] = np.where((values[:, known] < low) | (values[:, known] > high), np.nan, values[:, known])
    pairs = [np.empty((2, 0), dtype=np.intp)]
    for (first, whole), (_, middle) in zip(_squared_correlations(values), _squared_correlations(inner), strict=True):
        same = (whole > EQUAL_CORRELATION**2) & ~(middle < MIDDLE_CORRELATION**2)  # nan if only extremes vary
        pairs.append(np.array(np.nonzero(same)) + np.array([[first], [0]]))
    rows, columns = np.concatenate(pairs, axis=1)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(width, width))
    return np.asarray(connected_components(graph, directed=False)[1])


def _squared_correlations(values: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the squared correlations of a block of columns with all columns, and the number of its first column.

    Only rows where both columns have a value count; nan where one does not vary on them. Those of very many columns at
    once would not fit into memory.
    """
    present = ~np.isnan(values)
    counts = np.maximum(present.sum(axis=0), 1)
    Z = np.where(present, values - np.where(present, values, 0.0).sum(axis=0) / counts, 0.0)
    Z /= np.maximum(np.sqrt((Z**2).sum(axis=0) / counts), np.finfo(np.float64).tiny)
    M, Z2 = present.astype(np.float64), Z**2
    for first in range(0, values.shape[1], BLOCK):
        own = slice(first, first + BLOCK)
        n = np.maximum(M[:, own].T @ M, 1.0)
        s, t = Z[:, own].T @ M, M[:, own].T @ Z
        mine, others = Z2[:, own].T @ M - s**2 / n, M[:, own].T @ Z2 - t**2 / n
        varies = np.minimum(mine, others) > MIN_VARIANCE_SHARE * n
        squared = (Z[:, own].T @ Z - s * t / n) ** 2
        yield first, np.divide(squared, mine * others, out=np.full_like(n, np.nan), where=varies)


def _may_be_category(column: Any) -> bool:
    """Return whether the values of a column may be names of categories: words, or numbers that repeat often."""
    return column.dtype.kind not in "fiu" or 1 < column.nunique() <= len(column) / ROWS_PER_CATEGORY


def predictive_columns(X: Any, y: NDArray[Any]) -> dict[str, float]:
    """Return the columns from which alone a small tree predicts the classes of unseen rows, with balanced accuracies.

    Empty if the other columns together predict nearly as well: then the classes are easy, and nothing has leaked. Also
    empty if one of so many columns may divide so few rows by chance.
    """
    some = np.random.default_rng(0).permutation(len(y))[:SAMPLE_ROWS]
    labels, rows = y[some], X.iloc[some]
    if np.unique(labels, return_counts=True)[1].min() < FOLDS or len(np.unique(labels)) < len(np.unique(y)):
        return {}
    if X.shape[1] * _chance(labels) > CHANCE:
        return {}
    alone = {str(name): _cross_validated_accuracy(rows[[name]], labels, trees=1) for name in _candidates(rows, labels)}
    suspicious = {name: reached for name, reached in alone.items() if reached >= SUSPICIOUS_ACCURACY}
    others = [name for name in X.columns if str(name) not in suspicious]
    if not suspicious or (len(suspicious) > 1 and not others):
        return {}
    without = _cross_validated_accuracy(rows[others], labels, trees=TREES) if others else 0.0
    return suspicious if without < min(suspicious.values()) - MIN_LEAD else {}


def _candidates(X: Any, y: NDArray[Any]) -> list[Any]:
    """Return the columns of words, and the columns of numbers along which the classes change seldom enough.

    A tree with e errors on its own rows allows 2^DEPTH - 1 changes between its leaves and two for each error at most.
    More changes than one in ROWS_PER_RUN rows cannot be learnt from the other rows.
    """
    numbers = X.select_dtypes(["number", "bool"])
    classes, codes = np.unique(y, return_inverse=True)
    errors = (1.0 - SUSPICIOUS_ACCURACY) * len(classes) * np.bincount(codes).max()
    most = min(2**DEPTH - 1 + 2 * errors, len(y) / ROWS_PER_RUN)
    by_class = np.argsort(codes, kind="stable")  # among equal numbers each class comes once
    values = numbers.to_numpy(dtype=np.float64)[by_class]
    changes: list[int] = []
    for first in range(0, values.shape[1], BLOCK):
        order = np.argsort(values[:, first : first + BLOCK], axis=0, kind="stable")
        changes += (np.diff(codes[by_class][order], axis=0) != 0).sum(axis=0).tolist()
    noisy = {name for name, count in zip(numbers.columns, changes, strict=True) if count > most}
    return [name for name in X.columns if name not in noisy]


def _chance(y: NDArray[Any]) -> float:
    """Return the probability that random numbers put the rows of every class side by side."""
    counts = np.unique(y, return_counts=True)[1]
    return float(np.exp(gammaln(len(counts) + 1) + gammaln(counts + 1).sum() - gammaln(len(y) + 1)))


def _balanced_accuracy(predicted: NDArray[Any], y: NDArray[Any]) -> float:
    return float(np.mean([(predicted[y == label] == label).mean() for label in np.unique(y)]))


def _cross_validated_accuracy(X: Any, y: NDArray[Any], trees: int) -> float:
    """Return the cross-validated balanced accuracy of a small tree (`trees=1`) or of a forest."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    words = [name for name in X.columns if X[name].dtype.kind not in "fiub"]
    options: dict[str, Any] = {"class_weight": "balanced", "random_state": 0}
    model = (
        DecisionTreeClassifier(max_depth=DEPTH, **options) if trees == 1 else RandomForestClassifier(trees, **options)
    )
    encode = OneHotEncoder(handle_unknown="ignore", max_categories=50, sparse_output=False)
    made = make_pipeline(make_column_transformer((encode, words), remainder="passthrough"), model)
    given = X.astype(dict.fromkeys(words, object)).fillna(dict.fromkeys(words, "")) if words else X
    predicted = cross_val_predict(made, given, y, cv=StratifiedKFold(FOLDS, shuffle=True, random_state=0))
    return _balanced_accuracy(predicted, y)


def duplicate_codes(X: Any) -> NDArray[np.intp] | None:
    """Return a code for every row, equal for duplicates, if there are more duplicates than chance explains; else None.

    Where equal rows are natural, rows that differ in a single column are more natural still: for independent columns
    (pairs equal) x (pairs with two differences) is at most half of (pairs with one difference) squared, by Newton's
    inequalities. Dependence between columns raises that share a little, copies raise it beyond 1.
    """
    import pandas as pd

    frame = X if hasattr(X, "columns") else pd.DataFrame(X)
    codes = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    rows, times = np.unique(codes, return_inverse=True, return_counts=True)[1:]
    if (times[rows] > 1).mean() < MIN_DUPLICATES:
        return None
    equal, one, two = _differences(frame)
    return rows.astype(np.intp) if equal * max(two, 1) > one**2 else None


def _differences(frame: Any) -> tuple[int, int, int]:
    """Return the numbers of pairs of rows that differ in no column, in one, and in two."""
    import pandas as pd

    most = min(PAIRED_ROWS, max(2, int((PAIRED_CELLS / frame.shape[1]) ** 0.5)))
    some = frame if len(frame) <= most else frame.sample(most, random_state=0)
    cells = np.column_stack([pd.factorize(some[name], use_na_sentinel=False)[0] for name in some.columns])
    found = np.zeros(4, dtype=np.int64)
    for row in range(len(cells) - 1):
        apart = (cells[row + 1 :] != cells[row]).sum(axis=1)
        found += np.bincount(np.minimum(apart, 3), minlength=4)
    return int(found[0]), int(found[1]), int(found[2])


def levels_of(X: Any) -> dict[str, int]:
    """Return the number of levels of every category."""
    if not hasattr(X, "columns"):
        return {}
    return {str(name): int(X[name].nunique()) for name in X.columns if X[name].dtype.kind not in "fiub"}


def twin_codes(X: Any) -> Codes | None:
    """Return a code for every row, equal for twins, if more rows have twins than chance explains; else None."""
    Z = _normal_scores(X)
    if len(Z) < FEWEST_ROWS or Z.shape[1] < FEWEST_COLUMNS:
        return None
    some = np.random.default_rng(0).permutation(len(Z))[:TESTED_ROWS]
    if not _sizes(_jumps(Z, some)[0]).any():
        return None
    jumps, neighbours = _jumps(Z, np.arange(len(Z)))
    likely = np.where(_sizes(jumps), jumps, 0.0)
    return _groups(np.where(likely.max(axis=1) > LINK, likely.argmax(axis=1) + 1, 0), neighbours)


def _sizes(jumps: Array) -> NDArray[np.bool_]:
    """Return behind which neighbours more rows have a jump than chance explains."""
    return np.asarray((jumps > RARE).mean(axis=0) > MIN_SHARE)


def _normal_scores(X: Any) -> Array:
    """Return the columns of many distinct values as normal scores of their ranks; missing values are in the middle."""
    import pandas as pd
    from scipy.special import ndtri

    frame = X if hasattr(X, "columns") else pd.DataFrame(X)
    numbers, rng = frame.select_dtypes("number"), np.random.default_rng(0)
    least = max(FEWEST_VALUES, VALUES_PER_ROW * len(frame))
    columns = []
    for name in numbers.columns:
        values = numbers[name].to_numpy(dtype=np.float64)
        gaps = np.isnan(values)
        if numbers[name].nunique() < least or gaps.mean() > MOST_GAPS:
            continue
        order = np.lexsort((rng.permutation(len(values)), values))[: np.count_nonzero(~gaps)]  # nan is last
        scores = np.zeros(len(values))
        scores[order] = ndtri((np.arange(len(order)) + 0.5) / len(order))
        columns.append(scores)
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _jumps(Z: Array, rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.intp]]:
    """Return for each of these rows the jumps behind its neighbours, and the neighbours."""
    from sklearn.neighbors import NearestNeighbors

    most = min(NEIGHBOURS, (len(Z) - 1) // 4)
    distances, found = NearestNeighbors(n_neighbors=2 * most + 1).fit(Z).kneighbors(Z[rows])
    logs = np.log(np.maximum(distances[:, 1:], np.finfo(np.float64).tiny))  # the nearest row is the row itself
    expected = (1.0 / np.arange(most, 2 * most)).sum()  # of log(d[2K] / d[K]) in one dimension
    dimension = expected / (logs[:, 2 * most - 1] - logs[:, most - 1]).mean()
    return np.arange(1, most + 1) * dimension * np.diff(logs[:, : most + 1], axis=1), found[:, 1 : most + 1]


def _groups(sizes: NDArray[np.intp], neighbours: NDArray[np.intp]) -> Codes:
    """Return connected groups: two rows are linked if each is among the other's first neighbours, as many as `sizes`
    says."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n, most = neighbours.shape
    rows, places = np.nonzero(np.arange(most) < sizes[:, None])
    linked = csr_array((np.ones(len(rows), dtype=np.int8), (rows, neighbours[rows, places])), shape=(n, n))
    return np.asarray(connected_components(linked.multiply(linked.T), directed=False)[1], dtype=np.intp)
