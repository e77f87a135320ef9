"""KernelSpace: everything that depends only on the rows and the kernel, computed once and shared by all methods."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import hstack, issparse
from scipy.sparse.linalg import LinearOperator

from mdcore.basics.memo import LRUCache
from mdcore.basics.memory import free_memory
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import (
    NEGLIGIBLE,
    ROUNDED,
    DualPoint,
    Vector,
    combination,
    expansion,
    explicit,
    sharpened,
)
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import pivoted_root
from mdcore.solvers.rows import Matrix
from mdcore.solvers.separation import NotSeparable, require_separable
from mdcore.spaces.kernels import Kernel

T = TypeVar("T")

PRECISE_NUMBERS = 2**22  # kernel values computed in extended precision at a time
ADVICE = "Set landmarks, if the method has them, use kernel='linear' or LinearLDM"
NO_EIGENVALUE = 1e-10  # eigenvalues up to this share of the largest count as zero
UNCHECKED_BYTES = 2**24  # bytes that are allocated without a check
MATRICES_PER_FIT = 4.0  # matrices of m² numbers that most methods need: the Gram matrix, a system, its factor, a copy


class KernelSpace:
    """The training rows in the feature space of a kernel. Read-only after construction, so that sessions may share it.

    For a precomputed kernel the rows are the Gram matrix itself. For the linear kernel they may be a CSR matrix, as
    long as only explicit features are used. A Gram matrix that is already known can be passed as `gram`.
    """

    def __init__(self, rows: Matrix, kernel: Kernel, gram: Array | None = None) -> None:
        self.rows = rows
        self.kernel = kernel
        if gram is not None:
            self.gram = gram
        self._features: LRUCache[Features] = LRUCache(capacity=2)
        self._derived: LRUCache[Any] = LRUCache(capacity=3)
        self._axes: LRUCache[tuple[Array, Array] | None] = LRUCache(capacity=2)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def plain(self) -> KernelSpace:
        """The same rows without the constant feature, for methods whose bias is no part of w."""
        return KernelSpace(self.rows, replace(self.kernel, bias=False)) if self.kernel.bias else self

    def part(self, rows: Index) -> KernelSpace:
        """Return the space of some of the rows."""
        if len(rows) == len(self):
            return self
        if self.kernel.name == "precomputed":
            return KernelSpace(self.rows[np.ix_(rows, rows)], self.kernel)
        return KernelSpace(self.rows[rows], self.kernel, None if self.is_linear else self.gram[np.ix_(rows, rows)])

    def sampled(self, rows: Index) -> KernelSpace:
        """Return the space of a few of the rows, without computing anything for the others."""
        return KernelSpace(self.rows[rows], self.kernel)

    @property
    def expansion(self) -> KernelSpace:
        """The space of the rows that a model's coefficients belong to."""
        return self

    @cached_property
    def gram(self) -> Array:
        """The Gram matrix G, including the constant feature if the kernel has one."""
        check_memory(len(self))
        gram = self.kernel.gram(self.rows)
        check_values(gram)
        gram.flags.writeable = False
        return gram

    @property
    def has_gram(self) -> bool:
        """Whether the Gram matrix has been computed."""
        return "gram" in self.__dict__

    @property
    def has_room(self) -> bool:
        """Whether the Gram matrix has been computed, or fits into memory with what a fit needs."""
        return self.has_gram or len(self) <= largest_kernel_problem()

    @cached_property
    def root(self) -> Matrix:
        """Explicit features Z with ZZ' = G at working precision: for the linear kernel the columns of the rows, else as
        few columns as possible."""
        if self.kernel.name == "linear":
            return self.features(self.kernel.bias).Z
        return pivoted_root(self.gram)

    @property
    def explicit(self) -> bool:
        """Whether problems are solved in explicit features: the kernel is linear, and the rows are sparse or have fewer
        columns than there are rows."""
        return self.kernel.name == "linear" and (issparse(self.rows) or self.rows.shape[1] < len(self))

    def features(self, constant: bool) -> Features:
        """Return the rows as explicit features, with the constant feature last if `constant`; for the linear kernel."""
        return self._features.get(constant, lambda: Features(_with_constant(self.rows) if constant else self.rows))

    @cached_property
    def basis(self) -> Array:
        """Orthonormal basis of the range of G; coefficients orthogonal to the range do not contribute to a function."""
        return np.linalg.qr(self.root)[0]

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """The eigenvalues in ascending order, and the orthogonal U with G = U diag(values) U'."""
        values, U = np.linalg.eigh(self.gram)
        return values, U

    @property
    def has_spectrum(self) -> bool:
        """Whether the spectrum has been computed."""
        return "spectrum" in self.__dict__

    @cached_property
    def thin_spectrum(self) -> tuple[Array, LinearOperator]:
        """The nonzero eigenvalues and their eigenvectors as a linear operator, from the explicit features.

        Products with the eigenvectors are computed from products with the features; the eigenvectors are never formed.
        """
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
        """The lengths ||phi(x_i)||."""
        return np.asarray(np.sqrt(np.maximum(self.kernel.diagonal(self.rows), 0.0)))

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is linear: its features are the columns, so that weights can represent a function."""
        return self.kernel.name == "linear"

    @property
    def units(self) -> float:
        """Error of an entry of the Gram matrix, in rounding errors."""
        return self.kernel.units(self.rows.shape[1])

    def weights(self, a: Array) -> Array:
        """Return sum_i a_i x_i for the linear kernel, with the weight of the constant feature last."""
        return np.asarray(self.features(self.kernel.bias).pull(a))

    def vector(self, a: Array, W: Array | None = None) -> Vector:
        """Return w = sum_i a_i phi(x_i) as a model uses it that predicts with `a` or, if the kernel is linear, `W`."""
        if self.is_linear:
            return explicit(self.root, self.weights(a) if W is None else W, self.lengths)
        return self.expand(a)

    def expand(self, a: Array) -> Vector:
        """Return sum_i a_i phi(x_i) from kernel values."""
        return expansion(self.gram, a, self.lengths, self.units)

    @cached_property
    def reach(self) -> float:
        """The largest ||phi(x_i)|| in the space of the kernel without its constant."""
        return float(np.sqrt(np.maximum(self.lengths**2 - self.kernel.constant, 0.0).max()))

    def without_constant(self, a: Array, w: Vector) -> Vector:
        """Return w = sum_i a_i phi(x_i), with its scores, in the space of the kernel without its constant.

        What the constant adds to the scores is subtracted. If too little is left, the scores of the rows with a
        coefficient are computed again in extended precision.
        """
        constant = self.kernel.constant
        if constant == 0.0:
            return w
        scores = w.scores - constant * a.sum(axis=0)
        rest = replace(w, scores=scores, square=float(np.vdot(a, scores)))
        if rest.slack <= ROUNDED * rest.square:
            return rest
        used, products = self._precise_products(a, constant)
        scores[used] = products
        return sharpened(replace(w, scores=scores), float(np.vdot(a[used], products)), a, self.lengths, self.units)

    def with_precise_length(self, a: Array, w: Vector) -> Vector:
        """Return the vector w of coefficients `a` with its length computed in extended precision."""
        if self.is_linear:
            return w
        used, products = self._precise_products(a, 0.0)
        return sharpened(w, float(np.vdot(a[used].astype(np.longdouble), products)), a, self.lengths, self.units)

    def _precise_products(self, a: Array, constant: float) -> tuple[Index, NDArray[np.longdouble]]:
        """Return the rows with a coefficient, and their scores (K - constant) a in extended precision."""
        used = np.flatnonzero(a if a.ndim == 1 else a.any(axis=1))
        rows = self.rows[np.ix_(used, used)] if self.kernel.name == "precomputed" else self.rows[used]
        block = max(1, PRECISE_NUMBERS // max(1, len(used)))
        long, less = a[used].astype(np.longdouble), np.longdouble(constant)
        parts = [
            (self.kernel.extended_precision(rows[first : first + block], rows) - less) @ long
            for first in range(0, len(used), block)
        ]
        return used, np.concatenate([np.empty((0, *a.shape[1:]), dtype=np.longdouble), *parts])

    def lower_bound(self, point: DualPoint, signs: Array, a: Array, w: Vector, *, sharp: bool = False) -> float:
        """Return a lower bound of the problem from a dual point, which is usually close to w = sum_i a_i phi(x_i).

        If it is close enough, the length of w is used for it; otherwise its own length is computed, with `sharp` in
        extended precision.
        """
        v = signs * point.v
        if self.is_linear:
            return point.value(*combination(self.root, v, self.lengths), self.lengths)
        length = float(np.sqrt(w.most) + np.abs(v - a) @ self.lengths)
        nearly = length * length  # overflows to inf; ** would raise
        if nearly - w.most <= NEGLIGIBLE * w.most:
            return point.value(nearly, 0.0, self.lengths)
        other = self.expand(v)
        if sharp:
            other = self.with_precise_length(v, other)
        return point.value(other.square, other.slack, self.lengths)

    def require_separable(self, signs: Array) -> None:
        """Raise an error unless a hyperplane separates the classes at working precision."""
        if not self._labels_are_a_function(signs):
            raise NotSeparable(
                "C = ∞ requires a hard margin, but no hyperplane separates equal rows with different labels, "
                "whatever the kernel: choose a finite C, or remove these rows."
            )
        dimension = np.linalg.matrix_rank(self.root) if self.is_linear else self.kernel.dimension(self.rows.shape[1])
        require_separable(self.gram * signs * signs[:, None], self.units, dimension)

    def _labels_are_a_function(self, signs: Array) -> bool:
        _, which = np.unique(self.rows, axis=0, return_inverse=True)
        counts, sums = np.bincount(which), np.bincount(which, weights=signs)
        return bool((np.abs(sums) == counts).all())

    def cross(self, Z: Array) -> Array:
        """Return k(z_i, x_j) for new rows z."""
        return self.kernel(Z, self.rows)

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value that a method derives from the space; the last few are cached for the next slider move."""
        return cast(T, self._derived.get(key, make))

    def is_cached(self, key: Hashable) -> bool:
        """Return whether `cached` has a value for this key."""
        return key in self._derived

    def field(self, coefficients: Array, xs: Array, ys: Array) -> Array:
        """Return f = sum_i coefficients_i k(x_i, .) on the grid xs x ys of two features; rows follow ys."""
        factors = self._axes.get((xs.tobytes(), ys.tobytes()), lambda: self._field_factors(xs, ys))
        if factors is None:
            grid = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys)])
            return (self.cross(grid) @ coefficients).reshape(len(ys), len(xs))
        across, up = factors
        return np.asarray((up * coefficients) @ across.T + self.kernel.bias * coefficients.sum())

    def _field_factors(self, xs: Array, ys: Array) -> tuple[Array, Array] | None:
        across = self.kernel.axis_factors(xs, self.rows[:, 0])
        up = self.kernel.axis_factors(ys, self.rows[:, 1])
        return None if across is None or up is None else (across, up)


def largest_kernel_problem(matrices: float = MATRICES_PER_FIT) -> int:
    """Return the largest number of rows for which `matrices` square matrices fit into the memory that is now free."""
    return int((free_memory() / (matrices * 8)) ** 0.5)


def _with_constant(rows: Matrix) -> Matrix:
    """Return the rows, dense or CSR, with a constant feature 1 appended."""
    if not issparse(rows):
        return np.column_stack([rows, np.ones(len(rows))])
    wider = hstack([rows, np.ones((rows.shape[0], 1))], format="csr")
    wider.sum_duplicates()
    return wider


def check_values(values: Array) -> None:
    if not np.isfinite(values).all():
        raise ValueError(
            "Kernel values overflow: the numbers in the rows are too large. Scale the features, or use a lower degree."
        )


def check_memory(m: int, matrices: float = MATRICES_PER_FIT, advice: str = ADVICE) -> None:
    """Raise an error if `matrices` matrices of m² numbers do not fit into memory, before any is allocated."""
    if matrices * 8 * m**2 > UNCHECKED_BYTES and m > largest_kernel_problem(matrices):
        raise too_large(m, matrices, advice)


def too_large(m: int, matrices: float = MATRICES_PER_FIT, advice: str = ADVICE) -> ValueError:
    largest = largest_kernel_problem(matrices)
    needed, available = (matrices * 8 * rows**2 / 2**30 for rows in (m, largest))
    return ValueError(
        f"A kernel method on {m:,} rows needs about {needed:.1f} GiB of memory, but only {available:.1f} GiB are free. "
        f"{advice}, or use at most {largest:,} rows."
    )
