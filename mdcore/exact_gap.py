"""How far a machine in the features of landmarks is from the optimum of the exact kernel problem, at most.

Its w lies in the span of some phi(x), so it is a point of the exact problem, with the same margins and the same norm.
Its forces are feasible there too, and the dual value falls by 1/2 v'(K - K~)v, v_i the signed coefficients y_i u_i: a
sum over the rows with coefficients, streamed in blocks, or estimated from columns drawn at random, with an interval
that holds with the confidence said (empirical Bernstein bound; Maurer & Pontil 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.kernels import by_products
from mdcore.landmarks import LandmarkSpace
from mdcore.solvers.budget import heed_stop

Array = NDArray[np.float64]
Pair = tuple[float, float]

ENTRIES = 2**28  # kernel values that are streamed; more of them are estimated from as many,
QUICK_ENTRIES = 2**31  # or, of the rbf kernel, streamed in single precision
BLOCK = 2**21
RISK = 0.01  # that an estimated interval does not hold
SINGLE = float(np.finfo(np.float32).eps)
STREAMED, SINGLY, DRAWN = "streamed", "streamed in single precision", "drawn"
COST = {STREAMED: 1.0, SINGLY: 0.5, DRAWN: 2.0}  # of a kernel value, as measured with the rbf kernel


@dataclass(frozen=True)
class LeftOut:
    """v'(K - K~)v lies between `low` and `high`; with certainty where `confidence` is 1."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Distance:
    """Between `low` and `high` lies the relative distance to a lower bound of the exact optimum; nan: none is known.

    The distance to the optimum itself is therefore at most `high`, with certainty where `confidence` is 1. `ends` are
    the pairs of value and bound that the two are of, where there are such.
    """

    low: float
    high: float
    confidence: float = 1.0
    ends: tuple[Pair, Pair] | None = None

    @classmethod
    def between(cls, best: Pair, worst: Pair, confidence: float = 1.0) -> Self:
        return cls(relative_distance(*best), relative_distance(*worst), confidence, (best, worst))

    @classmethod
    def of_sum(cls, parts: Sequence[Distance]) -> Self:
        """That of the sum of some problems: where a part has a bound of zero or less, the others' bounds still tell."""
        confidence = max(1.0 - sum(1.0 - part.confidence for part in parts), 0.0)
        ends = [part.ends for part in parts if part.ends is not None]
        if len(ends) < len(parts):
            return cls(
                float(np.max([one.low for one in parts])), float(np.max([one.high for one in parts])), confidence
            )
        best, worst = (
            (float(sum(end[which][0] for end in ends)), float(sum(end[which][1] for end in ends))) for which in (0, 1)
        )
        return cls.between(best, worst, confidence)


UNKNOWN = Distance(np.nan, np.nan)


class DualBound(Protocol):
    """What a fit in landmarks leaves to be said: it holds the rows until it has been asked."""

    def distance(self, entries: int = ENTRIES) -> Distance:
        """Estimated from about so many kernel values where it takes more."""

    def work(self, times: float) -> float:
        """What the distance costs of a model like this one on `times` as many rows; the unit is a kernel value."""


@dataclass(frozen=True, eq=False)
class SpanCertificate:
    """Of a model in the span of the landmarks: the signed coefficients `v` of its dual point, and both values.

    Of several classes `v` has a column for each. `linear` is the part of the dual value that is linear in the forces,
    0 where they cannot be scaled; `constant` is what stands in v beside the forces, in the place of a whole v.
    """

    space: LandmarkSpace
    v: Array
    primal: float
    dual: float
    linear: float = 0.0
    constant: Array | None = None

    def distance(self, entries: int = ENTRIES) -> Distance:
        left = left_out(self.space, self.v, entries)
        scaled = self._scaled()
        best, worst = ((self.primal, self._bound(size, scaled)) for size in (left.low, left.high))
        return Distance.between(best, worst, left.confidence)

    def work(self, times: float) -> float:
        return work_of(self.space, self.v, times)

    def _bound(self, left: float, scaled: Scaled | None) -> float:
        """Return a value that the exact optimum is not below: the dual's at the forces, scaled down where that is
        better."""
        bound = self.dual - 0.5 * left
        return bound if scaled is None else max(bound, scaled.best(left))

    def _scaled(self) -> Scaled | None:
        if self.linear <= 0.0:
            return None
        Z = self.space.features(self.space.kernel.bias).Z
        own = _pull(Z, self.v).ravel()
        rest = self.linear - 0.5 * float(own @ own) - self.dual
        if self.constant is None:
            return Scaled(self.linear, rest, own, np.zeros_like(own), 0.0)
        lengths = np.sqrt(self.space.left(np.arange(len(self.space))))
        return Scaled(self.linear, rest, own, _pull(Z, self.constant), float(np.abs(self.constant) @ lengths))


@dataclass(frozen=True, eq=False)
class Scaled:
    """The dual value at the share t of the forces, linear t - rest t^2 - 1/2 ||t v + (1 - t) c||^2 in the exact kernel.

    In the features v and c are `own` and `constant`; what the landmarks leave of c is at most `left` long.
    """

    linear: float
    rest: float
    own: Array
    constant: Array
    left: float

    def best(self, left_out: float) -> float:
        """Return the largest value for t in [0, 1], of the lengths by the triangle inequality."""
        long = float(np.sqrt(left_out))
        own, along = float(self.own @ self.own) + long**2, float(self.own @ self.constant) + long * self.left
        c = float(self.constant @ self.constant) + self.left**2
        bend, slope = self.rest + 0.5 * (own - 2.0 * along + c), self.linear - along + c
        t = float(np.clip(0.5 * slope / bend, 0.0, 1.0)) if bend > 0.0 else 1.0
        return t * slope - t * t * bend - 0.5 * c


@dataclass(frozen=True, eq=False)
class HullCertificate:
    """Of weights of the rows, signed in `v`, of which `share` ||sum_i v_i phi(x_i)||^2 is asked to be small.

    What the landmarks leave out is missing in the value and in its lower bound `dual`, and belongs to the value alone.
    """

    space: LandmarkSpace
    v: Array
    primal: float
    dual: float
    share: float

    def distance(self, entries: int = ENTRIES) -> Distance:
        left = left_out(self.space, self.v, entries)
        best, worst = ((self.primal + self.share * size, self.dual) for size in (left.low, left.high))
        return Distance.between(best, worst, left.confidence)

    def work(self, times: float) -> float:
        return work_of(self.space, self.v, times)


@dataclass(frozen=True, eq=False)
class Summed:
    """Of a sum of problems."""

    parts: Sequence[DualBound]

    def distance(self, entries: int = ENTRIES) -> Distance:
        return Distance.of_sum([part.distance(max(1, entries // len(self.parts))) for part in self.parts])

    def work(self, times: float) -> float:
        return sum(part.work(times) for part in self.parts)


def relative_distance(value: float, bound: float) -> float:
    """Return how far `value` is from a minimum between `bound` and it, relative to that minimum; inf where it may be
    zero."""
    if value <= bound:
        return 0.0
    return (value - bound) / min(abs(value), abs(bound)) if value * bound > 0.0 else np.inf


def work_of(space: LandmarkSpace, v: Array, times: float) -> float:
    """What `left_out` costs with `times` as many rows with coefficients; the unit is a value in double precision."""
    rows = times * np.count_nonzero(v.reshape(len(v), -1).any(axis=1))
    way = _way(space.raw.name, rows, ENTRIES)
    return COST[way] * (ENTRIES if way == DRAWN else 0.5 * rows**2)


def _way(kernel: str, rows: float, entries: float) -> str:
    """Return how the sum over the pairs of so many rows is found."""
    pairs = 0.5 * rows**2
    if pairs <= entries:
        return STREAMED
    return SINGLY if kernel == "rbf" and pairs <= QUICK_ENTRIES * (entries / ENTRIES) else DRAWN


def left_out(space: LandmarkSpace, v: Array, entries: int = ENTRIES, seed: int = 0) -> LeftOut:
    """v'(K - K~)v of the kernel without the constant feature, which the landmarks do not have to span.

    Of several columns of v it is the sum.
    """
    v = v.reshape(len(v), -1)
    rows = np.flatnonzero(v.any(axis=1))
    X, Z = space.rows, space.features(False).Z
    if len(rows) < len(space):  # else no copies
        v, X, Z = v[rows], X[rows], Z[rows]
    q = _pull(Z, v)
    way = _way(space.raw.name, len(rows), entries)
    if way != DRAWN:
        quick = way == SINGLY
        kernel = by_products(space.raw, X, np.float32 if quick else np.float64)
        unit = SINGLE * (16.0 + _spread(space.raw.gamma, X)) if quick else 1e-12
        total = max(_streamed(kernel, X, v) - float(np.vdot(q, q)), 0.0)
        # Roundings of kernel values add up as random ones do; those of the features reach all of a column's length.
        rounding = unit * float(np.einsum("ij,ij,i->", v, v, space.raw.diagonal(X)))
        if Z.dtype == np.float32:
            lengths = np.sqrt(np.einsum("ij,ij,i->j", v, v, space.raw.diagonal(X)))
            rounding += 2.0 * SINGLE * float(np.linalg.norm(q, axis=0) @ lengths)
        return LeftOut(max(total - rounding, 0.0), total + rounding, 1.0)
    return _estimated(space, X, v, Z, q, space.left(rows), entries, np.random.default_rng(seed))


def _spread(gamma: float, X: Array) -> float:
    """The mean size of the squares that an exponent of the rbf kernel is the difference of: so its roundings grow."""
    return 2.0 * gamma * float(np.square(X - X.mean(axis=0)).sum(axis=1).mean())


def _pull(Z: Array | NDArray[np.float32], v: Array) -> Array:
    """Z'v in double precision."""
    if Z.dtype == np.float64:
        return np.asarray(Z.T @ v)
    step = max(1, BLOCK // Z.shape[1])
    return np.asarray(sum(Z[i : i + step].astype(np.float64).T @ v[i : i + step] for i in range(0, len(v), step)))


def _streamed(kernel: Callable[[Array, Array], Array], X: Array, v: Array) -> float:
    """v'Kv, from half of K."""
    total, step = 0.0, max(1, BLOCK // max(1, len(v)))
    for first in range(0, len(v), step):
        heed_stop()
        last = min(first + step, len(v))
        values = kernel(X[first:last], X[first:])
        own = last - first
        near, far = v[first:last].astype(values.dtype), v[last:].astype(values.dtype)
        total += float(np.vdot(v[first:last], values[:, :own] @ near))
        total += 2.0 * float(np.vdot(v[first:last], values[:, own:] @ far))
    return total


def streamed_product(kernel: Callable[[Array, Array], Array], X: Array, v: Array) -> Array:
    """Kv, all of K made in blocks."""
    step = max(1, BLOCK // max(1, len(v)))
    parts = []
    for first in range(0, len(v), step):
        heed_stop()
        parts.append(kernel(X[first : first + step], X) @ v)
    return np.concatenate(parts)


def _estimated(
    space: LandmarkSpace, X: Array, v: Array, Z: Array, q: Array, left: Array, entries: int, rng: np.random.Generator
) -> LeftOut:
    """Columns j drawn with chances p_j proportional to ||v_j|| times the length that is left of phi(x_j).

    v_j ((K - K~)v)_j / p_j has the mean that is looked for, T, and by Cauchy and Schwarz no more than size T^(1/2).
    """
    weight = np.linalg.norm(v, axis=1) * np.sqrt(left)
    size = float(weight.sum())
    if size == 0.0:
        return LeftOut(0.0, 0.0, 1.0)
    drawn = rng.choice(len(v), max(100, entries // len(v)), p=weight / size)
    step = max(1, BLOCK // len(v))
    values = []
    for first in range(0, len(drawn), step):
        heed_stop()
        part = drawn[first : first + step]
        column = space.raw(X[part], X) @ v - Z[part].astype(np.float64) @ q
        values.append(size * np.einsum("ij,ij->i", v[part], column) / weight[part])
    found = np.concatenate(values)
    n, log = len(found), np.log(4.0 / RISK)
    mean, spread = float(found.mean()), float(np.sqrt(2.0 * found.var(ddof=1) * log / n))
    reach = 7.0 * 2.0 * size * log / (3.0 * (n - 1))  # times T^(1/2)
    high = (0.5 * (reach + np.sqrt(reach**2 + 4.0 * max(mean + spread, 0.0)))) ** 2
    high = min(high, size**2)
    low = max(mean - spread - reach * float(np.sqrt(high)), 0.0)
    return LeftOut(float(low), float(high), 1.0 - RISK)
