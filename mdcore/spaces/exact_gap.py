"""Upper bounds on the distance of a model in landmark features from the optimum of the exact kernel problem.

The model's w lies in the span of the landmarks, so it is feasible for the exact problem, with the same margins and the
same norm. Its dual variables are feasible there too, but the dual value is lower by 1/2 v'(K - K~)v, where
v_i = y_i u_i are the signed coefficients. This sum over pairs of rows with nonzero coefficients is either computed in
blocks, or estimated from columns drawn at random, with an interval that holds with a stated confidence (empirical
Bernstein bound; Maurer & Pontil 2009).

Any dual variables give a lower bound of the exact optimum. The model's own are optimal without the residual K - K~, and
may be far from the best with it. If the sum is computed in blocks, better ones are found from the same kernel values
(`solvers.ascent`), and the larger of the two bounds counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.ascent import Forces, ascend, upper_half
from mdcore.solvers.budget import raise_if_stopped
from mdcore.spaces.kernels import fast_kernel
from mdcore.spaces.landmarks import LandmarkSpace

Pair = tuple[float, float]

ENTRIES = 2**28  # largest number of kernel values streamed in double precision, and number drawn for an estimate
QUICK_ENTRIES = 2**31  # largest number of values of the rbf kernel streamed in single precision
BLOCK = 2**21  # kernel values computed per block
RISK = 0.01  # probability that an estimated interval does not hold
SINGLE_EPS = float(np.finfo(np.float32).eps)
STREAMED, SINGLE_PRECISION, SAMPLED = "streamed", "streamed in single precision", "drawn"
COST = {STREAMED: 1.0, SINGLE_PRECISION: 0.5, SAMPLED: 2.0}  # cost of an rbf kernel value, relative, as measured


@dataclass(frozen=True)
class ResidualBounds:
    """Bounds `low` and `high` on v'(K - K~)v, which hold with probability `confidence` (1 is certainty)."""

    low: float
    high: float
    confidence: float

    def with_rounding_of(self, other: Self) -> Self:
        """Return the bounds widened by the width of those of another v, which comes from rounding alone."""
        width = other.high - other.low
        return replace(self, low=max(self.low - width, 0.0), high=self.high + width)


@dataclass(frozen=True)
class Distance:
    """An interval for the relative distance of a model's value from a lower bound of the exact optimum; nan if unknown.

    The distance from the optimum itself is at most `high`, with probability `confidence` (1 is certainty). `ends` are
    the pairs (value, lower bound) that give `low` and `high`, if the interval was computed from such pairs.
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
        """Return the distance for the sum of several problems.

        Values and bounds are added first, so that a part whose bound is zero or negative does not spoil the result. If
        a part has no `ends`, the largest `low` and `high` are used instead.
        """
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
    """A bound on the distance from the exact optimum, computed on request; it keeps a reference to the rows."""

    def distance(self, entries: int = ENTRIES) -> Distance:
        """Return the distance, estimated from about `entries` kernel values if computing it would take many more."""

    def work(self, times: float) -> float:
        """Return the cost of `distance` for a similar model on `times` as many rows, in units of a kernel value."""


@dataclass(frozen=True, eq=False)
class SpanCertificate:
    """The bound for a model in the span of the landmarks, from the signed coefficients `v` of its dual point.

    For several classes `v` has one column per class. `primal` and `dual` are the two values. `linear` is the part of
    the dual value that is linear in the dual variables, or 0 if they cannot be scaled. `constant` is the part of v that
    does not scale with the dual variables, or None if there is none. `forces` are the dual variables of the rows with
    nonzero coefficients, in their order, or None if they are not to be improved.
    """

    space: LandmarkSpace
    v: Array
    primal: float
    dual: float
    linear: float = 0.0
    constant: Array | None = None
    forces: Forces | None = None

    def distance(self, entries: int = ENTRIES) -> Distance:
        return min((point._from(left) for point, left in self._points(entries)), key=lambda found: found.high)

    def work(self, times: float) -> float:
        return residual_cost(self.space, self.v, times)

    def with_forces(self, forces: Forces) -> Self:
        """Return the certificate with the dual variables of all rows, which may be scaled and improved.

        Only those that it needs are kept, and none if there are too many rows to improve them.
        """
        rows = self._rows
        too_many = _strategy(self.space.raw.name, len(rows), ENTRIES) == SAMPLED
        return replace(self, linear=forces.linear, forces=None if too_many else forces.of(rows))

    @property
    def _rows(self) -> Index:
        return np.flatnonzero(self.v.reshape(len(self.v), -1).any(axis=1))

    def _points(self, entries: int) -> Iterator[tuple[Self, ResidualBounds]]:
        """Yield this certificate and, if no kernel value is left out, that of better dual variables, with their
        residuals."""
        rows = self._rows
        strategy = _strategy(self.space.raw.name, len(rows), entries)
        if self.forces is None or strategy == SAMPLED:
            yield self, residual_bounds(self.space, self.v, entries)
            return
        order = np.random.default_rng(0).permutation(len(rows))  # neighbours in a table may be alike
        rows, forces = rows[order], self.forces.of(order)
        X = self.space.rows[rows]
        kernel, unit = _streamed(self.space, X, strategy)
        found, *forms = ascend(kernel, X, self.v[rows], forces, constant=float(self.space.kernel.bias))
        v = self.v.copy()
        v[rows] += found.coefficients - forces.coefficients
        before, after = (_computed(self.space, each, form, unit) for each, form in zip((self.v, v), forms, strict=True))
        yield self, before
        own, moved = (float(np.square(_pull(self._features, each)).sum()) for each in (self.v, v))
        dual = self.dual + found.value - forces.value + 0.5 * (own - moved)
        yield replace(self, v=v, dual=dual, linear=found.linear), after.with_rounding_of(before)

    @property
    def _features(self) -> Array | NDArray[np.float32]:
        return np.asarray(self.space.features(self.space.kernel.bias).Z)

    def _from(self, left: ResidualBounds) -> Distance:
        scaled = self._scaled()
        best, worst = ((self.primal, self._bound(size, scaled)) for size in (left.low, left.high))
        return Distance.between(best, worst, left.confidence)

    def _bound(self, left: float, scaled: Scaled | None) -> float:
        """Return a lower bound of the exact optimum: the dual value, at scaled-down dual variables if better."""
        bound = self.dual - 0.5 * left
        return bound if scaled is None else max(bound, scaled.best(left))

    def _scaled(self) -> Scaled | None:
        if self.linear <= 0.0:
            return None
        Z = self._features
        own = _pull(Z, self.v).ravel()
        rest = self.linear - 0.5 * float(own @ own) - self.dual
        if self.constant is None:
            return Scaled(self.linear, rest, own, np.zeros_like(own), 0.0)
        lengths = np.sqrt(self.space.residuals(np.arange(len(self.space))))
        return Scaled(self.linear, rest, own, _pull(Z, self.constant), float(np.abs(self.constant) @ lengths))


@dataclass(frozen=True, eq=False)
class Scaled:
    """The exact dual value for dual variables scaled by t: linear t - rest t^2 - 1/2 ||t v + (1 - t) c||^2.

    `own` and `constant` are v and c in landmark features; the residual of c outside their span is at most `left` long.
    """

    linear: float
    rest: float
    own: Array
    constant: Array
    left: float

    def best(self, residual: float) -> float:
        """Return the largest value over t in [0, 1], given the squared length `residual` of the residual of v.

        The inner product of the two residuals is bounded by the product of their lengths.
        """
        long = float(np.sqrt(residual))
        own, along = float(self.own @ self.own) + long**2, float(self.own @ self.constant) + long * self.left
        c = float(self.constant @ self.constant) + self.left**2
        bend, slope = self.rest + 0.5 * (own - 2.0 * along + c), self.linear - along + c
        t = float(np.clip(0.5 * slope / bend, 0.0, 1.0)) if bend > 0.0 else 1.0
        return t * slope - t * t * bend - 0.5 * c


@dataclass(frozen=True, eq=False)
class HullCertificate:
    """The bound for a problem that minimises `share` ||sum_i v_i phi(x_i)||^2 over signed weights `v` of the rows.

    The part outside the span of the landmarks is missing from both the value and its lower bound `dual`; it is added to
    the value only.
    """

    space: LandmarkSpace
    v: Array
    primal: float
    dual: float
    share: float

    def distance(self, entries: int = ENTRIES) -> Distance:
        left = residual_bounds(self.space, self.v, entries)
        best, worst = ((self.primal + self.share * size, self.dual) for size in (left.low, left.high))
        return Distance.between(best, worst, left.confidence)

    def work(self, times: float) -> float:
        return residual_cost(self.space, self.v, times)


@dataclass(frozen=True, eq=False)
class SumCertificate:
    """The bound for a sum of problems."""

    parts: Sequence[DualBound]

    def distance(self, entries: int = ENTRIES) -> Distance:
        return Distance.of_sum([part.distance(max(1, entries // len(self.parts))) for part in self.parts])

    def work(self, times: float) -> float:
        return sum(part.work(times) for part in self.parts)


def relative_distance(value: float, bound: float) -> float:
    """Return the largest relative distance of `value` from a minimum in [bound, value]; inf if the minimum may be
    zero."""
    if value <= bound:
        return 0.0
    return (value - bound) / min(abs(value), abs(bound)) if value * bound > 0.0 else np.inf


def residual_cost(space: LandmarkSpace, v: Array, times: float) -> float:
    """Return the cost of `residual_bounds` for `times` as many rows with nonzero coefficients, in kernel values in
    double precision."""
    rows = times * np.count_nonzero(v.reshape(len(v), -1).any(axis=1))
    strategy = _strategy(space.raw.name, rows, ENTRIES)
    return COST[strategy] * (ENTRIES if strategy == SAMPLED else 0.5 * rows**2)


def _strategy(kernel: str, rows: float, entries: float) -> str:
    """Return how to compute the sum over all pairs of `rows` rows: STREAMED, SINGLE_PRECISION or SAMPLED."""
    pairs = 0.5 * rows**2
    if pairs <= entries:
        return STREAMED
    return SINGLE_PRECISION if kernel == "rbf" and pairs <= QUICK_ENTRIES * (entries / ENTRIES) else SAMPLED


def residual_bounds(space: LandmarkSpace, v: Array, entries: int = ENTRIES, seed: int = 0) -> ResidualBounds:
    """Return bounds on v'(K - K~)v, summed over the columns of v.

    K is the kernel without the constant feature, which the features represent exactly.
    """
    v = v.reshape(len(v), -1)
    rows = np.flatnonzero(v.any(axis=1))
    strategy = _strategy(space.raw.name, len(rows), entries)
    if strategy != SAMPLED:
        X = space.rows[rows]
        kernel, unit = _streamed(space, X, strategy)
        return _computed(space, v, _quadratic_form(kernel, X, v[rows]), unit)
    X, Z = space.rows, space.features(False).Z
    if len(rows) < len(space):  # if all rows count, avoid the copies
        v, X, Z = v[rows], X[rows], Z[rows]
    return _estimate(space, X, v, Z, _pull(Z, v), space.residuals(rows), entries, np.random.default_rng(seed))


def _streamed(space: LandmarkSpace, X: Array, strategy: str) -> tuple[Callable[[Array, Array], Array], float]:
    """Return the kernel as a function that a strategy streams, and the rounding error of its values."""
    if strategy == STREAMED:
        return fast_kernel(space.raw, X), 1e-12
    return fast_kernel(space.raw, X, np.float32), SINGLE_EPS * (16.0 + _spread(space.raw.gamma, X))


def _computed(space: LandmarkSpace, v: Array, form: float, unit: float) -> ResidualBounds:
    """Return bounds on v'(K - K~)v for v'Kv = `form`, whose kernel values have rounding errors of size `unit`.

    These errors add up like random errors; those of the features grow with a column's length.
    """
    v = v.reshape(len(v), -1)
    q, squares = _pull(space.features(False).Z, v), np.einsum("ij,ij,i->j", v, v, space.raw.diagonal(space.rows))
    total = max(form - float(np.vdot(q, q)), 0.0)
    rounding = unit * float(squares.sum())
    if space.features(False).single:
        rounding += 2.0 * SINGLE_EPS * float(np.linalg.norm(q, axis=0) @ np.sqrt(squares))
    return ResidualBounds(max(total - rounding, 0.0), total + rounding, 1.0)


def _spread(gamma: float, X: Array) -> float:
    """Return the mean size of the terms whose difference is the rbf exponent: its rounding error is proportional to
    this."""
    return 2.0 * gamma * float(np.square(X - X.mean(axis=0)).sum(axis=1).mean())


def _pull(Z: Array | NDArray[np.float32], v: Array) -> Array:
    """Return Z'v in double precision."""
    if Z.dtype == np.float64:
        return np.asarray(Z.T @ v)
    used, step = np.flatnonzero(v.reshape(len(v), -1).any(axis=1)), max(1, BLOCK // Z.shape[1])
    total = np.zeros(Z.shape[1:] + v.shape[1:])
    for first in range(0, len(used), step):
        rows = used[first : first + step]
        total += Z[rows].astype(np.float64).T @ v[rows]
    return total


def _quadratic_form(kernel: Callable[[Array, Array], Array], X: Array, v: Array) -> float:
    """Return v'Kv, computed from half of K."""
    total = 0.0
    for first, last, near, far in upper_half(kernel, X):
        mine = v[first:last]
        total += float(np.vdot(mine, near @ mine.astype(near.dtype)))
        total += 2.0 * float(np.vdot(mine, far @ v[last:].astype(far.dtype)))
    return total


def streamed_product(kernel: Callable[[Array, Array], Array], X: Array, v: Array) -> Array:
    """Return Kv, computed from all of K in blocks."""
    step = max(1, BLOCK // max(1, len(v)))
    parts = []
    for first in range(0, len(v), step):
        raise_if_stopped()
        parts.append(kernel(X[first : first + step], X) @ v)
    return np.concatenate(parts)


def _estimate(
    space: LandmarkSpace, X: Array, v: Array, Z: Array, q: Array, left: Array, entries: int, rng: np.random.Generator
) -> ResidualBounds:
    """Estimate T = v'(K - K~)v from random columns j, with p_j proportional to ||v_j|| times the residual of phi(x_j).

    v_j ((K - K~)v)_j / p_j is an unbiased estimate of T, and by Cauchy-Schwarz at most size T^(1/2) in absolute value.
    """
    weight = np.linalg.norm(v, axis=1) * np.sqrt(left)
    size = float(weight.sum())
    if size == 0.0:
        return ResidualBounds(0.0, 0.0, 1.0)
    drawn = rng.choice(len(v), max(100, entries // len(v)), p=weight / size)
    step = max(1, BLOCK // len(v))
    values = []
    for first in range(0, len(drawn), step):
        raise_if_stopped()
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
    return ResidualBounds(float(low), float(high), 1.0 - RISK)
