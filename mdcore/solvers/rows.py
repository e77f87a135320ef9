"""Access to single rows of a dense or CSR matrix, with one interface for compiled loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from mdcore.solvers.arrays import Array

Index: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Matrix: TypeAlias = Array | csr_array | csr_matrix
Rows: TypeAlias = Array | tuple[Array, Index, Index]  # a matrix in compiled loops, see `as_rows`


def as_rows(X: Matrix) -> Rows:
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


def squared_lengths(X: Matrix) -> Array:
    """Return ||x_i||^2 of every row, in double precision."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def row_dot(X: Rows, i: int, w: Array) -> float:
    """Return <x_i, w>, in compiled loops; X is a dense matrix or the triple (data, indices, indptr)."""
    raise NotImplementedError


def row_add(X: Rows, i: int, factor: float, w: Array) -> None:
    """w += factor * x_i."""


@overload(row_dot)
def _row_dot(X: Any, i: int, w: Array) -> Callable[[Any, int, Array], float]:
    if isinstance(X, types.BaseTuple):

        def sparse(X: Any, i: int, w: Array) -> float:
            data, indices, indptr = X
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                total += data[k] * w[indices[k]]
            return total

        return sparse

    def dense(X: Any, i: int, w: Array) -> float:
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j] * w[j]
        return total

    return dense


@overload(row_add)
def _row_add(X: Any, i: int, factor: float, w: Array) -> Callable[[Any, int, float, Array], None]:
    if isinstance(X, types.BaseTuple):

        def sparse(X: Any, i: int, factor: float, w: Array) -> None:
            data, indices, indptr = X
            for k in range(indptr[i], indptr[i + 1]):
                w[indices[k]] += factor * data[k]

        return sparse

    def dense(X: Any, i: int, factor: float, w: Array) -> None:
        for j in range(X.shape[1]):
            w[j] += factor * X[i, j]

    return dense
