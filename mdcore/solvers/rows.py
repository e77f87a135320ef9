"""Access to single rows of a dense or CSR matrix, with one interface for compiled loops."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

Array = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Matrix: TypeAlias = Array | csr_array | csr_matrix


def as_rows(X: Matrix) -> Array | tuple[Array, Index, Index]:
    """Return the argument for compiled loops: the dense matrix, or the triple (data, indices, indptr).

    It always has the same types, read-only and with short indices where they suffice: the loops are compiled anew for
    every other combination of types.
    """
    if isinstance(X, np.ndarray):
        return read_only(np.ascontiguousarray(X))
    short = max(X.nnz, X.shape[1]) <= np.iinfo(np.int32).max
    data, indices, indptr = X.data, X.indices, X.indptr
    if short:
        indices, indptr = indices.astype(np.int32, copy=False), indptr.astype(np.int32, copy=False)
    return read_only(data), read_only(indices), read_only(indptr)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


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
