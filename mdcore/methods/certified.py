"""The end of a fit with a convex problem: certify the model, and shorten w if rounding has spoilt it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.fit_result import FitResult, Weights, vector_of
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import (
    ROUNDED,
    Certificate,
    DualPoint,
    MarginLoss,
    Problem,
    Solution,
    Vector,
    best_length,
    certify,
    largest_bias,
)
from mdcore.spaces.space import KernelSpace


@dataclass(frozen=True, eq=False)
class Solved:
    """A problem in the space of w = sum_i a_i phi(x_i), and its solver's solution: what certifies a model."""

    space: KernelSpace
    labels: NDArray[Any]
    problem: Problem
    found: Solution

    def vector(self, a: Array, W: Array | None) -> Vector:
        return vector_of(self.space, a, W)

    def candidates(self, a: Array) -> Iterator[tuple[Array, bool]]:
        """Yield coefficients to try for w, and whether to certify them in extended precision.

        The last coefficients are projected on the span of the Gram matrix: their other part adds nothing to w.
        """
        yield a, False
        if self.space.is_linear:
            return
        yield a, True
        if self.space.has_room:
            yield self.space.basis @ (self.space.basis.T @ a), True

    def with_margins(self, w: Vector) -> Vector:
        """Return w with margins instead of scores."""
        raise NotImplementedError

    def lower_bound(self, a: Array, w: Vector, *, free: bool, sharp: bool) -> float:
        """Return a lower bound of the problem from dual points for w; `free` says whether there is a free bias."""
        raise NotImplementedError

    def weights(self, a: Array, w: Vector, W: Array | None, length: Vector, bias: float) -> Weights:
        return Weights.of_rows(self.space, a, w, W, length, bias)


@dataclass(frozen=True, eq=False)
class TwoClasses(Solved):
    """A problem with labels -1 and +1."""

    problem: MarginLoss

    @property
    def longest(self) -> float:
        """The largest length of a row."""
        return float(self.space.lengths.max())

    def with_margins(self, w: Vector) -> Vector:
        return replace(w, scores=self.labels * w.scores)

    def lower_bound(self, a: Array, w: Vector, *, free: bool, sharp: bool) -> float:
        own = self.labels * w.scores
        reach = largest_bias(self.problem, w, self.labels, self.found.offset, self.longest) if free else None
        points = self.problem.dual_points(self.found, self.labels, own, reach)
        return max(self.value_of(point, a, w, sharp) for point in points)

    def value_of(self, point: DualPoint, a: Array, w: Vector, sharp: bool) -> float:
        """Return the dual value of a point, which is usually close to w = sum_i a_i phi(x_i)."""
        return self.space.lower_bound(point, self.labels, a, w, sharp=sharp)


@dataclass(frozen=True, eq=False)
class _Tried:
    """The model t w with a separate bias, its coefficients and its certificate; `g` is w with margins."""

    t: float
    a: Array
    w: Vector
    g: Vector
    offset: float
    certificate: Certificate

    def is_proven(self, tol: float) -> bool:
        return self.certificate.gap <= max(tol, ROUNDED) and self.g.norm_error <= ROUNDED


def certified(
    solved: Solved,
    *,
    tol: float = ROUNDED,
    best_offset: Callable[[Array], float] | None = None,
    support: Index | None = None,
    **fitted: object,
) -> FitResult:
    """Return the solution w, which minimises 1/2 ||w||^2 plus the problem's loss, as a model with its certificate.

    If w is not certified, because rounding has spoilt it, return t w with the best t instead, or w = 0 if only that is
    certified. `best_offset` returns the best free bias for given margins, if there is one. The default of `tol` is for
    closed forms, which only rounding keeps from the optimum. The `support` is, by default, the rows with a force.
    """
    bias_of, free, found = best_offset or (lambda margins: 0.0), best_offset is not None, solved.found
    a, W, n_iter, converged = found.a, found.W if solved.space.is_linear else None, found.n_iter, found.converged

    def tried(t: float, a: Array, w: Vector, g: Vector, lower: float) -> _Tried:
        shorter = g if t == 1.0 else g.times(t)
        b = found.offset if t == 1.0 else bias_of(shorter.scores)
        margins = shorter.scores + solved.labels * b if b else shorter.scores
        certificate = certify(solved.problem, shorter.square, shorter.slack, margins, shorter.blur, lower)
        return _Tried(t, a, w, shorter, b, certificate)

    tries: list[_Tried] = []
    for coefficients, sharp in solved.candidates(a):
        w = solved.vector(coefficients, W)
        seen = solved.space.with_precise_length(coefficients, w) if sharp else w
        lower = solved.lower_bound(coefficients, seen, free=free, sharp=sharp)
        tries.append(tried(1.0, coefficients, w, solved.with_margins(seen), lower))
        if tries[-1].is_proven(tol) or not converged:
            break
    end = min(reversed(tries), key=lambda one: one.certificate.gap)
    if not end.is_proven(tol):
        best = tried(best_length(solved.problem, end.g, solved.labels, bias_of), end.a, end.w, end.g, lower)
        zero = tried(0.0, end.a, end.w, end.g, lower)
        end = next((one for one in (best, zero) if one.is_proven(tol)), best)
    if end.t < 1.0:
        a, W = end.t * end.a, None if W is None else end.t * W
        end = replace(end, a=a, w=solved.vector(a, W))
    weights = solved.weights(end.a, end.w, W, end.g, end.offset)
    gap, error = end.certificate.gap, end.g.norm_error
    missing = f"relative duality gap {gap:.1e} after {n_iter} iterations."
    if gap <= max(tol, ROUNDED) and error > ROUNDED:
        missing = f"rounding limits the accuracy of ‖w‖ to {100.0 * error:.2g} %. Scale the features."
    elif end.t < 1.0:
        missing += " Rounding errors are too large, and w is replaced by a shorter multiple. Scale the features."
    proven = end.is_proven(tol) and (converged or gap <= tol or end.t < 1.0)
    support = np.flatnonzero(found.forces) if support is None else support
    return FitResult(weights, end.certificate, support, n_iter, proven, missing, fitted=fitted)
