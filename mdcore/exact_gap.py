"""How far a machine in the features of landmarks is from the optimum of the exact kernel problem, at most.

Its w lies in the span of some phi(x), so it is a point of the exact problem, with the same margins and the same norm.
Its forces are feasible there too, and the dual value falls by 1/2 v'(K - K~)v, v_i the signed coefficients y_i u_i: a
sum over the rows with coefficients, streamed in blocks, or estimated from columns drawn at random, with an interval
that holds with the confidence said (empirical Bernstein bound; Maurer & Pontil 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mdcore.landmarks import LandmarkSpace
from mdcore.solvers.budget import heed_stop

Array = NDArray[np.float64]

ENTRIES = 2**28  # kernel values that are streamed; more of them are estimated from as many,
QUICK_ENTRIES = 2**31  # or, of the rbf kernel, streamed in single precision
BLOCK = 2**21
RISK = 0.01  # that an estimated interval does not hold


@dataclass(frozen=True)
class LeftOut:
    """v'(K - K~)v lies between `low` and `high`; with certainty where `confidence` is 1."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a fit in landmarks leaves to be said: rows, coefficients, and the two values between which its gap lies.

    `linear` is the part of the dual value that is linear in the forces; 0 where the forces cannot be scaled.
    """

    space: LandmarkSpace | None
    v: Array
    primal: float
    dual: float
    linear: float = 0.0

    def without_rows(self) -> Certificate:
        """For a model that is kept, once what is left out is known."""
        return replace(self, space=None, v=np.empty(0))

    def left_out(self) -> LeftOut:
        assert self.space is not None
        return left_out(self.space, self.v)

    def gap(self, left: float) -> float:
        """The largest relative distance to the exact optimum, for a v'(K - K~)v of this size."""
        return relative_distance(self.primal, self._bound(left))

    def _bound(self, left: float) -> float:
        """A value that the exact optimum is not below: the dual's at the forces, scaled down where that is better."""
        bound = self.dual - 0.5 * left
        quadratic = 2.0 * (self.linear - self.dual) + left
        if self.linear > 0.0 and quadratic > self.linear:
            bound = max(bound, 0.5 * self.linear**2 / quadratic)
        return bound


def relative_distance(value: float, bound: float) -> float:
    """How far `value` is from a minimum between `bound` and it, relative to that minimum; inf where it may be zero."""
    if value <= bound:
        return 0.0
    return (value - bound) / min(abs(value), abs(bound)) if value * bound > 0.0 else np.inf


def left_out(space: LandmarkSpace, v: Array, entries: int = ENTRIES, seed: int = 0) -> LeftOut:
    """v'(K - K~)v of the kernel without the constant feature, which the landmarks do not have to span."""
    rows = np.flatnonzero(v)
    v, X = v[rows], space.rows[rows]
    Z = space.features(False).Z[rows]
    q = np.asarray(Z.T @ v.astype(Z.dtype), dtype=np.float64) if Z.dtype == np.float64 else _pull(Z, v)
    pairs = 0.5 * len(rows) ** 2
    quick = space.raw.name == "rbf" and entries < pairs <= QUICK_ENTRIES * (entries / ENTRIES)
    if pairs <= entries or quick:
        total = max(_streamed(_single_rbf(space, X) if quick else space.raw, X, v) - float(q @ q), 0.0)
        # Roundings of kernel values add up as random ones do.
        unit = 1e-12 if not quick else 16.0 * float(np.finfo(np.float32).eps)
        rounding = unit * float(v @ (v * space.raw.diagonal(X)))
        return LeftOut(max(total - rounding, 0.0), total + rounding, 1.0)
    return _estimated(space, X, v, Z, q, space.left(rows), entries, np.random.default_rng(seed))


def _pull(Z: NDArray[np.float32], v: Array) -> Array:
    step = max(1, BLOCK // Z.shape[1])
    return np.asarray(sum(Z[i : i + step].astype(np.float64).T @ v[i : i + step] for i in range(0, len(v), step)))


def _single_rbf(space: LandmarkSpace, X: Array) -> Callable[[Array, Array], Array]:
    """The rbf kernel of rows around their centre, in single precision: five times as fast."""
    centre, root = X.mean(axis=0), np.sqrt(2.0 * space.raw.gamma)

    def values(A: Array, B: Array) -> Array:
        a, b = ((rows - centre).astype(np.float32) * np.float32(root) for rows in (A, B))
        exponents = a @ b.T
        exponents -= 0.5 * np.einsum("ij,ij->i", a, a)[:, None]
        exponents -= 0.5 * np.einsum("ij,ij->i", b, b)
        return np.exp(exponents, out=exponents)

    return values


def _streamed(kernel: Callable[[Array, Array], Array], X: Array, v: Array) -> float:
    """v'Kv, from half of K."""
    total, step = 0.0, max(1, BLOCK // max(1, len(v)))
    for first in range(0, len(v), step):
        heed_stop()
        last = min(first + step, len(v))
        values = kernel(X[first:last], X[first:])
        own = last - first
        near, far = v[first:last].astype(values.dtype), v[last:].astype(values.dtype)
        total += float(v[first:last] @ (values[:, :own] @ near))
        total += 2.0 * float(v[first:last] @ (values[:, own:] @ far))
    return total


def _estimated(
    space: LandmarkSpace, X: Array, v: Array, Z: Array, q: Array, left: Array, entries: int, rng: np.random.Generator
) -> LeftOut:
    """Columns j drawn with chances p_j proportional to |v_j| times the length that is left of phi(x_j).

    v_j ((K - K~)v)_j / p_j has the mean that is looked for, T, and by Cauchy and Schwarz no more than size T^(1/2).
    """
    weight = np.abs(v) * np.sqrt(left)
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
        values.append(size * v[part] * column / weight[part])
    found = np.concatenate(values)
    n, log = len(found), np.log(4.0 / RISK)
    mean, spread = float(found.mean()), float(np.sqrt(2.0 * found.var(ddof=1) * log / n))
    reach = 7.0 * 2.0 * size * log / (3.0 * (n - 1))  # times T^(1/2)
    high = (0.5 * (reach + np.sqrt(reach**2 + 4.0 * max(mean + spread, 0.0)))) ** 2
    high = min(high, size**2)
    low = max(mean - spread - reach * float(np.sqrt(high)), 0.0)
    return LeftOut(float(low), float(high), 1.0 - RISK)
