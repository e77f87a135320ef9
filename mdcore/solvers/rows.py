"""Access to single rows of a dense or CSR matrix, with one interface for compiled loops."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse

Array = NDArray[np.float64]
Matrix: TypeAlias = Array | csr_array | csr_matrix


def as_rows(X: Matrix) -> Array | tuple[Array, NDArray[np.int32], NDArray[np.int32]]:
    """Return the argument for compiled loops: the dense matrix itself, or the triple (data, indices, indptr)."""
    return (X.data, X.indices, X.indptr) if issparse(X) else X  # type: ignore[union-attr,return-value]


def row_dot(X, i, w):  # type: ignore[no-untyped-def]
    """Return <x_i, w>; X is a dense matrix or the triple (data, indices, indptr)."""


def row_add(X, i, factor, w):  # type: ignore[no-untyped-def]
    """w += factor * x_i."""


@overload(row_dot)
def _row_dot(X, i, w):  # type: ignore[no-untyped-def]
    if isinstance(X, types.BaseTuple):

        def sparse(X, i, w):  # type: ignore[no-untyped-def]
            data, indices, indptr = X
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                total += data[k] * w[indices[k]]
            return total

        return sparse

    def dense(X, i, w):  # type: ignore[no-untyped-def]
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j] * w[j]
        return total

    return dense


@overload(row_add)
def _row_add(X, i, factor, w):  # type: ignore[no-untyped-def]
    if isinstance(X, types.BaseTuple):

        def sparse(X, i, factor, w):  # type: ignore[no-untyped-def]
            data, indices, indptr = X
            for k in range(indptr[i], indptr[i + 1]):
                w[indices[k]] += factor * data[k]

        return sparse

    def dense(X, i, factor, w):  # type: ignore[no-untyped-def]
        for j in range(X.shape[1]):
            w[j] += factor * X[i, j]

    return dense
