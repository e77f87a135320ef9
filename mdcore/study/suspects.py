"""Columns and rows that say too much: the class by themselves, the same as others, the same again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TELLING = 0.97  # balanced accuracy of a single column that makes one ask where it comes from
BY_MORE = 0.05  # of it than the other columns together have
SAME = 0.999  # correlation of two columns that say the same
VARIES = 1e-9  # of a column's variance, at least, where it is set beside another
BLOCK = 500  # columns
LOOKED_AT = 3000  # rows, for what single columns say
OFTEN = 5  # rows for each number that is a name
FOLDS = 3
DEPTH = 4  # of a small tree
TREES = 50
COPIED = 0.05  # of the rows have a copy
TIMES_CHANCE = 5.0


def doubles(X: Any) -> list[tuple[str, ...]]:
    """Columns of a frame that say the same, together: numbers up to a linear map, categories up to their names, which
    numbers may be."""
    import pandas as pd

    some = X.iloc[:: max(1, len(X) // LOOKED_AT)]
    numbers = some.select_dtypes("number")
    names = list(numbers.columns)
    together: dict[int, list[str]] = {}
    for name, group in zip(names, _correlated(numbers), strict=True):
        together.setdefault(group, []).append(name)
    found = [tuple(group) for group in together.values() if len(group) > 1]
    words = {name: tuple(pd.factorize(some[name])[0]) for name in some.columns if _could_be_names(some[name])}
    seen: dict[tuple[int, ...], str] = {}
    for name, codes in words.items():
        if codes in seen and not {name, seen[codes]} <= set(names):
            found.append((seen[codes], name))
        seen.setdefault(codes, name)
    return found


def _correlated(numbers: Any) -> NDArray[np.intp]:
    """Return a code for every column of numbers, equal for those that are linear maps of each other where both have a
    number; block after block, as all correlations of very many columns would not fit into memory."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    values = numbers.to_numpy(dtype=np.float64)
    there = ~np.isnan(values)
    counts, width = np.maximum(there.sum(axis=0), 1), values.shape[1]
    Z = np.where(there, values - np.where(there, values, 0.0).sum(axis=0) / counts, 0.0)
    Z /= np.maximum(np.sqrt((Z**2).sum(axis=0) / counts), np.finfo(np.float64).tiny)
    M, Z2 = there.astype(np.float64), Z**2
    pairs = [np.empty((2, 0), dtype=np.intp)]
    for first in range(0, width, BLOCK):
        own = slice(first, first + BLOCK)
        n = np.maximum(M[:, own].T @ M, 1.0)
        s, t = Z[:, own].T @ M, M[:, own].T @ Z
        mine, others = Z2[:, own].T @ M - s**2 / n, M[:, own].T @ Z2 - t**2 / n
        varies = np.minimum(mine, others) > VARIES * n
        same = varies & ((Z[:, own].T @ Z - s * t / n) ** 2 > SAME**2 * mine * others)
        pairs.append(np.array(np.nonzero(same)) + np.array([[first], [0]]))
    rows, columns = np.concatenate(pairs, axis=1)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(width, width))
    return np.asarray(connected_components(graph, directed=False)[1])


def _could_be_names(column: Any) -> bool:
    """Return whether the values of a column can be names: words, and numbers that come again."""
    return column.dtype.kind not in "fiu" or 1 < column.nunique() <= len(column) / OFTEN


def telling_columns(X: Any, y: NDArray[Any]) -> dict[str, float]:
    """Return columns of a frame from which alone a small tree tells the classes of rows that it did not see, where the
    other columns together do not: what everything tells is no leak."""
    some = np.random.default_rng(0).permutation(len(y))[:LOOKED_AT]
    labels, rows = y[some], X.iloc[some]
    if np.unique(labels, return_counts=True)[1].min() < FOLDS or len(np.unique(labels)) < len(np.unique(y)):
        return {}
    alone = {str(name): _told(rows[[name]], labels, trees=1) for name in X.columns if _may_tell(rows[name], labels)}
    telling = {name: reached for name, reached in alone.items() if reached >= TELLING}
    others = [name for name in X.columns if str(name) not in telling]
    if not telling or (len(telling) > 1 and not others):
        return {}
    beside = _told(rows[others], labels, trees=TREES) if others else 0.0
    return telling if beside < min(telling.values()) - BY_MORE else {}


def _may_tell(column: Any, y: NDArray[Any]) -> bool:
    """Return whether a small tree tells the classes of the rows that it was grown on: one that does not, tells no
    others. Words are always tried."""
    from sklearn.tree import DecisionTreeClassifier

    if column.dtype.kind not in "fiub":
        return True
    X = column.to_numpy(dtype=np.float64)[:, None]
    said = DecisionTreeClassifier(max_depth=DEPTH, class_weight="balanced", random_state=0).fit(X, y).predict(X)
    return _balanced(said, y) >= TELLING


def _balanced(said: NDArray[Any], y: NDArray[Any]) -> float:
    return float(np.mean([(said[y == label] == label).mean() for label in np.unique(y)]))


def _told(X: Any, y: NDArray[Any], trees: int) -> float:
    """Balanced accuracy of a small tree, or of a forest, on folds that it did not see."""
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
    said = cross_val_predict(made, given, y, cv=StratifiedKFold(FOLDS, shuffle=True, random_state=0))
    return _balanced(said, y)


def copies(X: Any) -> NDArray[np.intp] | None:
    """Return a code for every row, equal for copies of one row, where there are more of them than chance makes; else
    None."""
    import pandas as pd

    frame = X if hasattr(X, "columns") else pd.DataFrame(X)
    codes = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    rows, times = np.unique(codes, return_inverse=True, return_counts=True)[1:]
    copied = float((times[rows] > 1).mean())
    shares = (frame[name].value_counts(normalize=True, dropna=False) for name in frame.columns)
    alike = float(np.prod([float((share**2).sum()) for share in shares]))  # of two rows, column by column by chance
    by_chance = 1.0 - (1.0 - alike) ** (len(frame) - 1)
    return rows.astype(np.intp) if copied >= max(COPIED, TIMES_CHANCE * by_chance) else None
