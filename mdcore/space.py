"""KernelSpace: all that depends on the rows and the kernel alone, computed once and shared by every method."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import hstack, issparse
from scipy.sparse.linalg import LinearOperator

from mdcore.kernels import Kernel
from mdcore.memo import Recent
from mdcore.memory import free_memory
from mdcore.solvers.certificate import NEGLIGIBLE, DualPoint, Vector, combination, expansion, explicit, sharpened
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import pivoted_root
from mdcore.solvers.separation import NotSeparable, require_separable

Array = NDArray[np.float64]
Index = NDArray[np.intp]
T = TypeVar("T")

PRECISE_NUMBERS = 2**22  # kernel values in extended precision at a time
WAY = "Set landmarks, where the method has them, take kernel='linear' or LinearLDM"
NO_EIGENVALUE = 1e-10  # share of the largest
LITTLE = 2**24  # bytes that nobody asks for
MATRICES_PER_FIT = 4.0  # of m² numbers, of most methods: the Gram matrix, a system, its factor, a copy


class KernelSpace:
    """The training rows seen through a kernel. Read-only after construction, so sessions may share it.

    For a precomputed kernel the rows are the Gram matrix itself. For the linear one they may be a CSR matrix, as long
    as `root` alone is asked for. Whoever has the Gram matrix already may hand it over.
    """

    def __init__(self, rows: Any, kernel: Kernel, gram: Array | None = None) -> None:
        self.rows = rows
        self.kernel = kernel
        if gram is not None:
            self.gram = gram
        self._features: Recent[Features] = Recent(room=2)
        self._derived: Recent[Any] = Recent(room=3)
        self._axes: Recent[tuple[Array, Array] | None] = Recent(room=2)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def plain(self) -> KernelSpace:
        """The same rows without the constant feature, for methods whose bias is no part of w."""
        return KernelSpace(self.rows, replace(self.kernel, bias=False)) if self.kernel.bias else self

    def part(self, rows: Index) -> KernelSpace:
        """Of some rows alone."""
        if len(rows) == len(self):
            return self
        if self.kernel.name == "precomputed":
            return KernelSpace(self.rows[np.ix_(rows, rows)], self.kernel)
        return KernelSpace(self.rows[rows], self.kernel, None if self.is_linear else self.gram[np.ix_(rows, rows)])

    def sampled(self, rows: Index) -> KernelSpace:
        """Of a few rows alone, for which nothing is made of the others."""
        return KernelSpace(self.rows[rows], self.kernel)

    @property
    def expansion(self) -> KernelSpace:
        """That of the rows which the coefficients of a model belong to."""
        return self

    @cached_property
    def gram(self) -> Array:
        """G, with the constant feature."""
        check_memory(len(self))
        gram = self.kernel.gram(self.rows)
        check_values(gram)
        gram.flags.writeable = False
        return gram

    @property
    def has_gram(self) -> bool:
        """Whether it is there already."""
        return "gram" in self.__dict__

    @property
    def has_room(self) -> bool:
        """Whether it is there or may be made."""
        return self.has_gram or len(self) <= largest_kernel_problem()

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
        """Return the rows in explicit features, the constant one last; where `explicit`."""
        return self._features.get(constant, lambda: Features(_with_constant(self.rows) if constant else self.rows))

    @cached_property
    def basis(self) -> Array:
        """Orthonormal columns that span those of G: coefficients beside that span belong to no function."""
        return np.linalg.qr(self.root)[0]

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """Eigenvalues, ascending, and the orthogonal U with G = U diag(values) U'."""
        values, U = np.linalg.eigh(self.gram)
        return values, U

    @property
    def has_spectrum(self) -> bool:
        """Whether it is there already."""
        return "spectrum" in self.__dict__

    @cached_property
    def thin_spectrum(self) -> tuple[Array, LinearOperator]:
        """The eigenvalues that are not zero and their vectors, from the explicit features: products with these are made
        of those with the rows, and they are not."""
        Z = Features(self.root)
        values, V = np.linalg.eigh(Z.squared())
        kept = values > NO_EIGENVALUE * values[-1]
        values, V = values[kept], V[:, kept] / np.sqrt(values[kept])
        shape = len(self), len(values)
        return values, LinearOperator(
            shape, matvec=lambda x: Z.scores(V @ x.ravel()), rmatvec=lambda a: V.T @ Z.pull(a.ravel()), dtype=np.float64
        )

    @cached_property
    def lengths(self) -> Array:
        """||phi(x_i)||"""
        return np.asarray(np.sqrt(np.maximum(self.kernel.diagonal(self.rows), 0.0)))

    @property
    def is_linear(self) -> bool:
        """Whether the features are the columns, so that weights may stand for a function."""
        return self.kernel.name == "linear"

    @property
    def units(self) -> float:
        """How many roundings an entry of the Gram matrix may be wrong by."""
        return self.kernel.units(self.rows.shape[1])

    def weights(self, a: Array) -> Array:
        """sum_i a_i x_i of the columns, that of the constant feature last."""
        return np.asarray(self.features(self.kernel.bias).pull(a))

    def vector(self, a: Array, W: Array | None = None) -> Vector:
        """sum_i a_i phi(x_i) as a model has it that predicts with `a`, or, of the columns, with the weights `W`."""
        if self.is_linear:
            return explicit(self.root, self.weights(a) if W is None else W, self.lengths)
        return self.expand(a)

    def expand(self, a: Array) -> Vector:
        """sum_i a_i phi(x_i) from kernel values."""
        return expansion(self.gram, a, self.lengths, self.units)

    def sharper(self, a: Array, w: Vector) -> Vector:
        """Return the same vector, its length from extended precision."""
        if self.is_linear:
            return w
        used = np.flatnonzero(a if a.ndim == 1 else a.any(axis=1))
        rows = self.rows[np.ix_(used, used)] if self.kernel.name == "precomputed" else self.rows[used]
        block = max(1, PRECISE_NUMBERS // max(1, len(used)))
        long, square = a[used].astype(np.longdouble), np.longdouble(0.0)
        for first in range(0, len(used), block):
            some = slice(first, first + block)
            square += np.vdot(long[some], self.kernel.precisely(rows[some], rows) @ long)
        return sharpened(w, float(square), a, self.lengths, self.units)

    def lower_bound(self, point: DualPoint, signs: Array, a: Array, w: Vector, *, sharp: bool = False) -> float:
        """Return what no value of the problem is below, by a dual point that is mostly the model w = sum_i a_i
        phi(x_i)."""
        v = signs * point.v
        if self.is_linear:
            return point.value(*combination(self.root, v, self.lengths), self.lengths)
        length = float(np.sqrt(w.most) + np.abs(v - a) @ self.lengths)
        nearly = length * length  # infinite where a power would raise an error
        if nearly - w.most <= NEGLIGIBLE * w.most:
            return point.value(nearly, 0.0, self.lengths)
        other = self.expand(v)
        if sharp:
            other = self.sharper(v, other)
        return point.value(other.square, other.slack, self.lengths)

    def require_separable(self, signs: Array) -> None:
        """Raise where the classes do not separate, or not at working precision."""
        if not self._labels_are_a_function(signs):
            raise NotSeparable(
                "C = inf asks for a hard margin, and no hyperplane separates rows that are alike and have different "
                "labels, whatever the kernel: choose a finite C, or drop them."
            )
        dimension = np.linalg.matrix_rank(self.root) if self.is_linear else self.kernel.dimension(self.rows.shape[1])
        require_separable(self.gram * signs * signs[:, None], self.units, dimension)

    def _labels_are_a_function(self, signs: Array) -> bool:
        _, which = np.unique(self.rows, axis=0, return_inverse=True)
        counts, sums = np.bincount(which), np.bincount(which, weights=signs)
        return bool((np.abs(sums) == counts).all())

    def cross(self, Z: Array) -> Array:
        """k(z_i, x_j) for new rows z."""
        return self.kernel(Z, self.rows)

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what a method derives from the Gram matrix; the last few are kept for the next slider move."""
        return cast(T, self._derived.get(key, make))

    def has(self, key: Hashable) -> bool:
        """Return whether it is kept at this moment."""
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


def largest_kernel_problem(matrices: float = MATRICES_PER_FIT) -> int:
    """Return the number of rows whose kernel matrix, and what a fit makes of it, fit into the memory now free."""
    return int((free_memory() / (matrices * 8)) ** 0.5)


def _with_constant(rows: Any) -> Any:
    """Return the rows, dense or CSR, with a feature 1."""
    if not issparse(rows):
        return np.column_stack([rows, np.ones(len(rows))])
    wider = hstack([rows, np.ones((rows.shape[0], 1))], format="csr")
    wider.sum_duplicates()
    return wider


def check_values(values: Array) -> None:
    if not np.isfinite(values).all():
        raise ValueError("Kernel values overflow: the rows are too large. Scale the features, or lower degree.")


def check_memory(m: int, matrices: float = MATRICES_PER_FIT, way: str = WAY) -> None:
    """Refuse a kernel problem that needs so many matrices of m² numbers, if they cannot fit, before any is made."""
    if matrices * 8 * m**2 > LITTLE and m > largest_kernel_problem(matrices):
        raise too_large(m, matrices, way)


def too_large(m: int, matrices: float = MATRICES_PER_FIT, way: str = WAY) -> ValueError:
    largest = largest_kernel_problem(matrices)
    needed, available = (matrices * 8 * rows**2 / 2**30 for rows in (m, largest))
    return ValueError(
        f"A kernel method on {m:,} rows needs about {needed:.1f} GiB and {available:.1f} GiB are "
        f"free. {way}, or at most {largest:,} rows."
    )
