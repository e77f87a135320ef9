"""Rows that are nearly equal, such as several measurements of one patient without a column that names the patient.

For independent rows with a smooth density in m dimensions, the volumes of the balls around a row up to its neighbours
are those of a Poisson process: the jump k m log(d[k + 1] / d[k]) has the standard exponential distribution for every k,
where d[k] is the distance to the k-th neighbour. This is the null; m is estimated from neighbours further away (Levina
and Bickel, 2005). Twins break it: in groups of k + 1 rows, the distance jumps behind the k-th neighbour of most rows.

Distances are those of columns of many distinct values alone, as normal scores of their ranks, in which ties are broken
at random. Equality in a column of few values is natural, and says nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import Codes

Array = NDArray[np.float64]

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
