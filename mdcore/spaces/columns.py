"""Columns of a kernel matrix, computed on demand and cached within a memory limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from mdcore.basics.memory import free_memory
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import Vector, expansion
from mdcore.solvers.rows import read_only
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace, check_values, too_large

MEMORY_SHARE = 0.4  # share of the free memory that columns may take,
FEW_ROWS = 1000  # unless there are at most so many rows
RANK_TOL = 1e-12  # residual at which features span the rows, relative to the largest ||phi(x)||^2
BLOCK_VALUES = 2**16  # kernel values computed at a time: they fit into the processor's cache
MIN_BLOCK_ROWS = 32


class KernelColumns:
    """The columns present are the rows of `held`: that of example i is row `place[i]`, which is -1 if it is missing."""

    def __init__(self, rows: Array, kernel: Kernel, gram: Array | None = None) -> None:
        self.rows, self.kernel, m = rows, kernel, len(rows)
        self.diagonal = np.asarray(kernel.diagonal(rows), dtype=np.float64)
        self.room = m if gram is not None or m <= FEW_ROWS else min(m, int(MEMORY_SHARE * free_memory() / (8 * m)))
        self._held = np.empty((self.room, m)) if gram is None else gram
        self.held = read_only(self._held)
        self.place = np.full(m, -1) if gram is None else np.arange(m)
        self._owners = np.flatnonzero(self.place >= 0)

    @property
    def is_whole(self) -> bool:
        return len(self._owners) == len(self.rows) and bool((self._owners == np.arange(len(self.rows))).all())

    def fetch(self, wanted: Index, needed: Index) -> None:
        new = wanted[self.place[wanted] < 0]
        if len(self._owners) + len(new) > self.room:
            self._evict_except(needed)
        if len(self._owners) + len(new) > self.room:
            raise too_large(len(self.rows))
        first = len(self._owners)
        self.place[new] = np.arange(first, first + len(new))
        self._owners = np.concatenate([self._owners, new])
        for part, values in self._blocks(new):
            self._held[first + part.start : first + part.stop] = values

    def product(self, a: Array) -> Array:
        """Return Ka."""
        used = np.flatnonzero(a)
        there = used[self.place[used] >= 0]
        c = np.zeros(len(self._owners))
        c[self.place[there]] = a[there]
        f = c @ self.held[: len(c)] if len(there) else np.zeros(len(a))
        rest = used[self.place[used] < 0]
        for part, values in self._blocks(rest):
            f += a[rest[part]] @ values
        return np.asarray(f)

    def root(self, most: int) -> Array | None:
        """Return Z with ZZ' = K up to rounding, by pivoted Cholesky; None if it would have more than `most` columns."""
        left = self.diagonal.copy()
        Z = np.zeros((len(left), most), order="F")
        for r in range(most):
            i = int(np.argmax(left))
            if left[i] <= RANK_TOL * self.diagonal.max():
                return np.ascontiguousarray(Z[:, :r])
            column = self.kernel(self.rows[i : i + 1], self.rows)[0] - Z[:, :r] @ Z[i, :r]
            Z[:, r] = column / np.sqrt(left[i])
            left -= Z[:, r] ** 2
            left[i] = 0.0
        return None

    def _blocks(self, rows: Index) -> Any:
        step = max(MIN_BLOCK_ROWS, BLOCK_VALUES // len(self.rows))
        for first in range(0, len(rows), step):
            part = slice(first, min(first + step, len(rows)))
            values = self.kernel(self.rows[rows[part]], self.rows)
            check_values(values)
            yield part, values

    def _evict_except(self, needed: Index) -> None:
        kept = needed[np.argsort(self.place[needed])]
        kept = kept[self.place[kept] >= 0]
        for to, i in enumerate(kept):  # in ascending order, so that no row is overwritten before it has moved
            self._held[to] = self.held[self.place[i]]
        self.place[:] = -1
        self.place[kept] = np.arange(len(kept))
        self._owners = kept


class ColumnSpace(KernelSpace):
    """A kernel space, for a single fit, whose functions are computed from columns."""

    def __init__(self, space: KernelSpace) -> None:
        super().__init__(space.rows, space.kernel, space.__dict__.get("gram"))
        self.columns = KernelColumns(space.rows, space.kernel, space.__dict__.get("gram"))

    def expand(self, a: Array) -> Vector:
        return expansion(None, a, self.lengths, self.units, self.columns.product(a))
