"""A kernel space spanned by some of its rows, the landmarks: one explicit feature per landmark.

With L the landmarks and RR' the Cholesky factorisation of k(L, L), the features of x are R^-1 k(L, x). They are the
coordinates of the projection of phi(x) onto the span of the landmarks. For the features Z of the rows and K~ = ZZ',
K - K~ is therefore positive semi-definite, and a model of the features is feasible for the exact kernel problem. The
constant feature is a column of its own and is exact.

Landmarks are drawn at random. The residual of a row is the part of ||phi(x)||^2 that the landmarks drawn before it
leave unexplained. A row is drawn with probability proportional to its residual, up to the mean residual of its block:
rows with a larger residual are always drawn. Near duplicates of landmarks are therefore not drawn, outlying rows are
drawn no more often than others, and drawing ends when no residual is left. Without the cap at the mean (Cholesky with
random pivots; Chen, Epperly, Tropp, Webber 2024), outlying rows, which rare levels of a table produce in large numbers,
displace the rows that most test rows resemble.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mdcore.basics.memo import LRUCache
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import raise_if_stopped
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import NotPositiveDefinite, cholesky, lower_product, solve_lower
from mdcore.spaces.kernels import Kernel, fast_kernel
from mdcore.spaces.space import KernelSpace, check_memory

PER_LANDMARK, LEAST = 4, 1000  # number of rows that landmarks are drawn from: per landmark, and at least
BLOCK_ROWS = 64  # rows per block of the sampling
RANK = 1e-10  # residual that counts as zero, relative to the largest ||phi(x)||^2
SINGLE = 2**22  # features with more entries are stored in single precision
KEPT = 2**25  # of these, features with at most so many entries keep their kernel values too, in double precision
SHARP = 10.0  # largest norm of a row of R^-1 for which products in single precision are accurate enough
BLOCK = 2**21  # kernel values computed per block
CACHED = 2**17  # stored kernel values processed per block: they fit into a processor's cache


class LandmarkSpace(KernelSpace):
    """The training rows in the features of at most `count` landmarks; `landmarks` holds the row indices of these."""

    def __init__(
        self, rows: Array, kernel: Kernel, count: int, sampler: LandmarkSampler | FixedLandmarks | None = None
    ) -> None:
        super().__init__(rows, kernel)
        self.count = count
        self._sampler = LandmarkSampler(rows, replace(kernel, bias=False)) if sampler is None else sampler
        self.landmarks = self._sampler.first(count)
        self.raw = replace(kernel, bias=False)
        self.span: Array = rows[self.landmarks]
        self._feature_cache: LRUCache[Features] = LRUCache(capacity=2)
        self._value_cache: LRUCache[Array] = LRUCache(capacity=1)
        self._in_double = False

    @cached_property
    def _values(self) -> Callable[[Array, Array], Array]:
        return fast_kernel(self.raw, self.rows)

    @cached_property
    def _factor(self) -> Array:
        return np.tril(cholesky(self.raw(self.span, self.span)))

    @cached_property
    def _inverse(self) -> Array:
        return np.ascontiguousarray(solve_lower(self._factor, np.eye(len(self.span), order="F")).T)

    @property
    def independent(self) -> bool:
        """Whether the landmarks are linearly independent; landmarks drawn for another kernel may not be."""
        try:
            pivots = np.square(np.diagonal(self._factor))
        except NotPositiveDefinite:
            return False
        return bool(pivots.min() > RANK * pivots.max())

    @property
    def explicit(self) -> bool:
        return True

    @property
    def exhausted(self) -> bool:
        """Whether fewer landmarks than requested were found, as the rows examined have no residual left."""
        return len(self.landmarks) < self.count

    def wider(self, count: int) -> LandmarkSpace:
        """Return the space of `count` landmarks from the same drawing; its first features are the features here."""
        return LandmarkSpace(self.rows, self.kernel, count, self._sampler)

    @cached_property
    def plain(self) -> KernelSpace:
        if not self.kernel.bias:
            return self
        space = self._on_rows(self.rows, self.raw)
        space._feature_cache, space._value_cache = self._feature_cache, self._value_cache
        return space

    def features(self, constant: bool) -> Features:
        whole = self._feature_cache.get("all", self._make)
        return whole if constant else self._feature_cache.get("plain", lambda: Features(whole.Z[:, :-1]))

    def part(self, rows: Index) -> LandmarkSpace:
        """Return the space of some of the rows, with the same landmarks."""
        if len(rows) == len(self):
            return self
        part = self.sampled(rows)
        part._feature_cache.get("all", lambda: self.features(True).take(rows))
        return part

    def sampled(self, rows: Index) -> LandmarkSpace:
        return self._on_rows(self.rows[rows], self.kernel)

    def _on_rows(self, rows: Array, kernel: Kernel) -> LandmarkSpace:
        """Return the space of other rows, or another kernel, with the same landmarks, which need not be among them."""
        space = copy(self)
        space.__dict__ = {name: self.__dict__[name] for name in ("count", "_sampler", "landmarks", "raw", "span")}
        KernelSpace.__init__(space, rows, kernel)
        space._inverse, space._feature_cache, space._value_cache = (
            self._inverse,
            LRUCache(capacity=2),
            LRUCache(capacity=1),
        )
        space._in_double = self._in_double
        return space

    @property
    def root(self) -> Array:
        return np.asarray(self.features(self.kernel.bias).Z)

    @property
    def bytes(self) -> float:
        """Memory of the features, and of the kernel values if they are kept."""
        return (self._dtype.itemsize + 8.0 * self._keeps_values) * self._entries

    @property
    def _entries(self) -> int:
        return len(self) * (len(self.landmarks) + 1)

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self._entries > SINGLE and not self._in_double else np.float64)

    @property
    def _keeps_values(self) -> bool:
        return SINGLE < self._entries <= KEPT

    def sharpen(self) -> bool:
        """Switch to features in double precision if there is room for them; return whether there is."""
        self._in_double = self._keeps_values
        if self._in_double:
            self._feature_cache.clear()
        return self._in_double

    def weights(self, a: Array) -> Array:
        """Return sum_i a_i z_i."""
        return self.features(self.kernel.bias).pull(a)

    @cached_property
    def gram(self) -> Array:
        """The Gram matrix of the features."""
        check_memory(len(self))
        Z = self.root.astype(np.float64)
        return Z @ Z.T

    @cached_property
    def expansion(self) -> KernelSpace:
        return KernelSpace(self.span, self.raw)

    def coefficients(self, w: Array) -> Array:
        """Return c with sum_j c_j k(landmark_j, x) = <w, features of x>."""
        return np.asarray(self._inverse @ w)

    def less_constant(self, W: Array) -> Array:
        """Return weights whose lengths and distances are those of W, one column per class, in the space of the kernel
        without its constant part.

        The constant function has length one in the feature space, and the span contains a part of it, the vector u: the
        constant part of a function with weights w has length <u, w>.
        """
        u = self.project(np.full(len(self.landmarks), np.sqrt(self.raw.constant)))
        square = float(u @ u)
        if square == 0.0:
            return W
        return np.asarray(W - np.multiply.outer(u, (u @ W) * (1.0 - np.sqrt(max(1.0 - square, 0.0))) / square))

    def blocks(self, entries: int = BLOCK) -> Any:
        """Yield slices of the rows, each with its kernel values against the landmarks in double precision.

        If the kernel values are kept, a slice has about `entries` of them.
        """
        kept = self._value_cache.get("all", self._all_values) if self._keeps_values else None
        for part in self._parts(BLOCK if kept is None else entries):
            yield part, self._values(self.rows[part], self.span) if kept is None else kept[part]

    def _all_values(self) -> Array:
        values = np.empty((len(self), len(self.landmarks)))
        for part in self._parts(BLOCK):
            values[part] = self._values(self.rows[part], self.span)
        return values

    def _parts(self, entries: int) -> Iterator[slice]:
        step = max(1, entries // max(1, len(self.landmarks)))
        for first in range(0, len(self), step):
            raise_if_stopped()
            yield slice(first, first + step)

    def project(self, sums: Array) -> Array:
        """Return R^-1 sums: the features of a linear combination of rows, given its kernel values against landmarks."""
        return np.asarray(sums @ self._inverse)

    def residuals(self, rows: Index) -> Array:
        """Return the residuals ||phi(x_i)||^2 - ||z_i||^2 of some rows, without the constant feature."""
        return np.maximum(self.raw.diagonal(self.rows[rows]) - self.features(False).squares[rows], 0.0)

    def _make(self) -> Features:
        n = len(self.landmarks)
        Z = np.empty((len(self), n + 1), dtype=self._dtype)
        sharp = float(np.linalg.norm(self._inverse, axis=0).max(initial=0.0)) <= SHARP
        inverse = self._inverse.T.astype(self._dtype if sharp else np.float64)
        for part, values in self.blocks(CACHED):
            Z[part, :n] = lower_product(inverse, values.astype(inverse.dtype).T).T
        Z[:, n] = 1.0
        return Features(Z)


@dataclass(frozen=True, eq=False)
class FixedLandmarks:
    """Landmarks that are already known, for example because they were drawn for another kernel."""

    landmarks: Index

    def first(self, count: int) -> Index:
        return self.landmarks[:count]


class LandmarkSampler:
    """The landmarks in the order in which they are drawn: a later, larger request begins with those of earlier ones."""

    def __init__(self, rows: Array, kernel: Kernel, seed: int = 0) -> None:
        self.rows, self.kernel = rows, kernel
        self._rng = np.random.default_rng(seed)
        self._order = self._rng.permutation(len(rows))
        self._seen = 0
        self._landmarks = np.empty(0, dtype=np.intp)
        self._skipped = np.empty(0, dtype=np.intp)  # rows considered and not drawn
        self._factor: Array = np.empty((0, 0))
        self._least = RANK * float(kernel.diagonal(rows).max(initial=0.0))

    def first(self, count: int) -> Index:
        """Return the first `count` landmarks, or all there are.

        Draw from a random part of the rows, large enough for `count` landmarks; if too few are drawn, add rows of the
        part that were passed over at random.
        """
        most = min(len(self.rows), max(LEAST, PER_LANDMARK * count))
        while len(self._landmarks) < count and self._seen < most:
            block = self._order[self._seen : self._seen + BLOCK_ROWS]
            self._seen += len(block)
            self._skipped = np.append(self._skipped, self._draw_from(block, 1.0))
        while len(self._landmarks) < count and len(self._skipped):
            block, self._skipped = self._skipped[:BLOCK_ROWS], self._skipped[BLOCK_ROWS:]
            self._draw_from(block, 0.0)
        return self._landmarks[:count]

    def _draw_from(self, block: Index, chance: float) -> Index:
        """Draw rows of a block that the landmarks so far do not span, and return the other rows.

        A row whose residual is below the block's mean may be passed over at random; with `chance` 0 no row is.
        """
        raise_if_stopped()
        X = self.rows[block]
        across = self.kernel(self.rows[self._landmarks], X)
        across = solve_lower(self._factor, np.asfortranarray(across)) if len(across) else across
        left = self.kernel(X, X) - across.T @ across
        least = np.maximum(self._least, chance * float(np.diagonal(left).mean()) * self._rng.random(len(block)))
        columns, taken = np.zeros_like(left), list[int]()
        for i in range(len(block)):
            if left[i, i] > least[i]:
                column = left[:, i] / np.sqrt(left[i, i])
                left = left - np.outer(column, column)
                columns[:, len(taken)] = column
                taken.append(i)
        self._grow(across[:, taken], np.tril(columns[taken, : len(taken)]))
        self._landmarks = np.append(self._landmarks, block[taken])
        return np.delete(block, taken)

    def _grow(self, across: Array, corner: Array) -> None:
        n, more = across.shape
        factor = np.zeros((n + more, n + more), order="F")
        factor[:n, :n], factor[n:, :n], factor[n:, n:] = self._factor, across.T, corner
        self._factor = factor
