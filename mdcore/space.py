"""KernelSpace: all that depends on the rows and the kernel alone, computed once and shared by every method."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import psutil
from numpy.typing import NDArray
from scipy.sparse import hstack, issparse

from mdcore.kernels import Kernel
from mdcore.memo import Recent
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import pivoted_root

Array = NDArray[np.float64]
T = TypeVar("T")

MATRICES_PER_FIT = 4  # Gram, dual matrix, a copy while it is made, and the factor of the free block


class KernelSpace:
    """The training rows seen through a kernel. Read-only after construction, so sessions may share it.

    For a precomputed kernel the rows are the Gram matrix itself. For the linear one they may be a CSR matrix, as long
    as `root` alone is asked for.
    """

    def __init__(self, rows: Any, kernel: Kernel) -> None:
        self.rows = rows
        self.kernel = kernel
        self._features: Recent[Features] = Recent(room=2)
        self._derived: Recent[Any] = Recent(room=3)
        self._axes: Recent[tuple[Array, Array] | None] = Recent(room=2)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def plain(self) -> KernelSpace:
        """The same rows without the constant feature, for methods whose bias is no part of w."""
        return KernelSpace(self.rows, replace(self.kernel, bias=False)) if self.kernel.bias else self

    @cached_property
    def gram(self) -> Array:
        """G, with the constant feature."""
        check_memory(len(self))
        gram = self.kernel(self.rows, self.rows)
        if not np.isfinite(gram).all():
            raise ValueError("Kernel values overflow: the rows are too large. Scale the features, or lower degree.")
        gram = (gram + gram.T) / 2  # rounding may differ by an ulp across the diagonal
        gram.flags.writeable = False
        return gram

    @cached_property
    def root(self) -> Array:
        """Z with ZZ' = G at working precision and as few columns as that takes: rows of explicit features."""
        if self.kernel.name == "linear":
            return self.features(self.kernel.bias).Z
        return pivoted_root(self.gram)

    @property
    def explicit(self) -> bool:
        """Whether machines are solved in the features: there are fewer of them than rows."""
        return self.kernel.name == "linear" and (issparse(self.rows) or self.rows.shape[1] < len(self))

    def features(self, constant: bool) -> Features:
        """The rows in explicit features, the constant one last; where `explicit`."""
        return self._features.get(constant, lambda: Features(_with_constant(self.rows) if constant else self.rows))

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """Eigenvalues, ascending, and the orthogonal U with G = U diag(values) U'."""
        values, U = np.linalg.eigh(self.gram)
        return values, U

    def cross(self, Z: Array) -> Array:
        """k(z_i, x_j) for new rows z."""
        return self.kernel(Z, self.rows)

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """What a method derives from the Gram matrix; the last few are kept for the next slider move."""
        return cast(T, self._derived.get(key, make))

    def has(self, key: Hashable) -> bool:
        """Whether it is kept at this moment."""
        return key in self._derived

    def field(self, coefficients: Array, xs: Array, ys: Array) -> Array:
        """f on the grid xs x ys (rows follow ys) for f = sum_i coefficients_i k(x_i, .), on two features."""
        factors = self._axes.get((xs.tobytes(), ys.tobytes()), lambda: self._axis_factors(xs, ys))
        if factors is None:
            grid = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys)])
            return (self.cross(grid) @ coefficients).reshape(len(ys), len(xs))
        across, up = factors
        return (up * coefficients) @ across.T + self.kernel.bias * coefficients.sum()

    def _axis_factors(self, xs: Array, ys: Array) -> tuple[Array, Array] | None:
        across = self.kernel.along_axis(xs, self.rows[:, 0])
        up = self.kernel.along_axis(ys, self.rows[:, 1])
        return None if across is None or up is None else (across, up)


def largest_kernel_problem() -> int:
    """The number of rows whose kernel matrix, and what a fit makes of it, fit into the memory now free."""
    return int((psutil.virtual_memory().available / (MATRICES_PER_FIT * 8)) ** 0.5)


def _with_constant(rows: Any) -> Any:
    """The rows, dense or CSR, with a feature 1."""
    if not issparse(rows):
        return np.column_stack([rows, np.ones(len(rows))])
    wider = hstack([rows, np.ones((rows.shape[0], 1))], format="csr")
    wider.sum_duplicates()
    return wider


def check_memory(m: int, variables: int = 1) -> None:
    """Refuse a kernel problem of so many variables a row that cannot fit, before anything is allocated."""
    largest = largest_kernel_problem() // variables
    if m > largest:
        needed, available = (MATRICES_PER_FIT * 8 * (variables * rows) ** 2 / 2**30 for rows in (m, largest))
        raise ValueError(
            f"A kernel method on {m:,} rows needs about {needed:.1f} GiB and {available:.1f} GiB are "
            f"free. Use LinearLDM, which never forms the kernel matrix, or at most {largest:,} rows."
        )
