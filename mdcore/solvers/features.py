"""A matrix of explicit features with the products that solvers need: dense in double or single precision, or CSR.

Single precision halves the memory. Products with vectors are still accumulated in double precision; only weighted Gram
matrices are summed, block by block, in the precision of the rows.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import raise_if_stopped
from mdcore.solvers.compiled import compiled
from mdcore.solvers.rows import squared_lengths

Single = NDArray[np.float32]

BLOCK = 2**21  # entries of Z that are weighted and multiplied at once


class Features:
    """The matrix Z with rows z_i."""

    def __init__(self, Z: Any) -> None:
        self.Z = Z
        self.sparse = issparse(Z)
        self.single = Z.dtype == np.float32

    def __len__(self) -> int:
        return int(self.Z.shape[0])

    @property
    def width(self) -> int:
        return int(self.Z.shape[1])

    @cached_property
    def squares(self) -> Array:
        """The squared lengths ||z_i||^2."""
        return squared_lengths(self.Z)

    def scores(self, w: Array) -> Array:
        """Return Zw."""
        if self.single:
            out = np.empty(len(self))
            _row_products(self.Z, w, out)
            return out
        return np.asarray(self.Z @ w)

    def pull(self, a: Array) -> Array:
        """Return Z'a."""
        if self.single:
            out = np.zeros(self.width)
            _weighted_sum(self.Z, a, out)
            return out
        return np.asarray(self.Z.T @ a)

    def take(self, rows: Index) -> Features:
        return Features(self.Z[rows])

    def in_double(self) -> Features:
        return Features(self.Z.astype(np.float64))

    def column_squares(self, weight: Array) -> Array:
        """Return the diagonal of sum_i weight_i z_i z_i'."""
        if self.sparse:
            return np.asarray(self.Z.multiply(self.Z).T @ weight).ravel()
        return np.asarray(np.einsum("ij,ij,i->j", self.Z, self.Z, weight))

    def scatter(self, weight: Array, signs: Array, rows: Index | None = None) -> Array:
        """Return sum_i weight_i (s_i z_i - c)(s_i z_i - c)' over `rows` or all rows, c the weighted mean of s_i z_i.

        `weight` and the signs s = `signs` belong to these rows. For dense rows c is subtracted before the product: far
        from the origin, rounding would dominate the difference of the two sums.
        """
        chosen = self if rows is None else self.take(rows)
        total = float(weight.sum())
        centre = chosen.pull(weight * signs) / total
        if self.sparse:
            return self.gram(weight, rows) - total * np.outer(centre, centre)
        return chosen.gram(weight, about=(signs, centre))

    def squared(self) -> Array:
        """Return Z'Z in double precision."""
        if self.sparse:
            return np.asarray((self.Z.T @ self.Z).todense())
        total, step = np.zeros((self.width, self.width)), max(1, BLOCK // self.width)
        for first in range(0, len(self), step):
            raise_if_stopped()
            block = self.Z[first : first + step].astype(np.float64, copy=False)
            total += block.T @ block
        return total

    def gram(self, weight: Array, rows: Index | None = None, about: tuple[Array, Array] | None = None) -> Array:
        """Return sum_i weight_i z_i z_i' over `rows` or all rows; with `about` = (s, c), z_i - s_i c replaces z_i."""
        if self.sparse:
            Z = self.Z if rows is None else self.Z[rows]
            return np.asarray((Z.T @ Z.multiply(weight[:, None])).todense())
        count = len(self) if rows is None else len(rows)
        total = np.zeros((self.width, self.width))
        step = max(1, BLOCK // self.width)
        equal = bool((weight == weight[:1]).all())  # as for the hinge: no weighted copy is needed
        for first in range(0, count, step):
            raise_if_stopped()
            block = self.Z[slice(first, first + step) if rows is None else rows[first : first + step]]
            if about is not None:
                block = block - np.outer(about[0][first : first + step], about[1]).astype(self.Z.dtype)
            if not equal:
                block = block * np.sqrt(weight[first : first + step, None]).astype(self.Z.dtype)
            total += block.T @ block
        return total * weight[0] if equal and count else total


class RunningGram:
    """Z'WZ for a sequence of weights, most of them zero.

    If the nonzero weights are all equal, as for the hinge, the matrix is updated from the previous one by the rows that
    have entered and left. It is computed anew if half of the rows have left, whose rounding errors would stay.
    """

    def __init__(self, Z: Features) -> None:
        self.Z = Z
        self._inside = np.zeros(len(Z), dtype=np.bool_)
        self._sum = np.zeros((Z.width, Z.width))
        self._most = 0  # rows inside since it was computed anew

    def gram(self, weight: Array) -> Array:
        inside = weight != 0.0
        rows = np.flatnonzero(inside)
        heavy = weight[rows]
        if self.Z.sparse or not len(rows) or (heavy != heavy[0]).any():
            return self.Z.gram(heavy, rows)
        moved = np.flatnonzero(inside != self._inside)
        if len(moved) < len(rows) and 2 * len(rows) > self._most:
            came, went = moved[inside[moved]], moved[~inside[moved]]
            self._sum += self._plain(came)
            self._sum -= self._plain(went)
            self._most = max(self._most, len(rows))
        else:
            self._sum, self._most = self._plain(rows), len(rows)
        self._inside = inside
        return np.asarray(self._sum * heavy[0])

    def _plain(self, rows: Index) -> Array:
        return self.Z.gram(np.ones(len(rows)), rows)


@compiled(fastmath={"reassoc", "contract"})
def _row_products(Z: Single, w: Array, out: Array) -> None:
    for i in range(Z.shape[0]):
        total = 0.0
        for j in range(Z.shape[1]):
            total += np.float64(Z[i, j]) * w[j]
        out[i] = total


@compiled(fastmath={"reassoc", "contract"})
def add_products(Z: Array, w: Array, a: Array, out: Array, total: Array) -> None:
    """out <- Zw and total <- total + Z'a, four rows at a time, so that each row is read from memory only once."""
    rows, width = Z.shape
    for i in range(0, rows - 3, 4):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(width):
            s0 += Z[i, j] * w[j]
            s1 += Z[i + 1, j] * w[j]
            s2 += Z[i + 2, j] * w[j]
            s3 += Z[i + 3, j] * w[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
        a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
        for j in range(width):
            total[j] += a0 * Z[i, j] + a1 * Z[i + 1, j] + a2 * Z[i + 2, j] + a3 * Z[i + 3, j]
    for i in range(rows - rows % 4, rows):
        out[i] = 0.0
        for j in range(width):
            out[i] += Z[i, j] * w[j]
            total[j] += a[i] * Z[i, j]


@compiled()
def _weighted_sum(Z: Single, a: Array, out: Array) -> None:
    for i in range(Z.shape[0]):
        factor = a[i]
        if factor != 0.0:
            for j in range(Z.shape[1]):
                out[j] += factor * np.float64(Z[i, j])
