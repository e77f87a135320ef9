"""Support vector regression: 1/2 ||w||^2 + sum_i C_i (|y_i - f_i| - epsilon)_+, f_i = <w, x_i> + b, w = sum_i a_i x_i.

    max_a y'a - epsilon ||a||_1 - 1/2 a'Ga,   |a_i| <= C_i,   and e'a = 0 where the bias is free

in explicit features, of which a smooth kernel needs few. libsvm keeps kernel values in single precision, its gap ends
near 1e-6; this one does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.certificate import DualPoint
from mdcore.solvers.explicit import solve_explicit
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.losses import tube
from mdcore.solvers.margin_newton import MarginProblem

Array = NDArray[np.float64]

RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class SVRProblem:
    """Margins within `epsilon` of one cost nothing, others `upper` for each unit."""

    epsilon: float
    upper: Array

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        return {"C · deviation": float(self.upper @ np.maximum(np.abs(1.0 - g) + blur - self.epsilon, 0.0))}

    def dual_point(self, u: Array, y: Array, reach: float | None) -> DualPoint:
        """Of the coefficients of the y_i x_i. A free bias, no larger than `reach`, wants y'u = 0."""
        if reach is not None:
            u = self._balanced(u, y)
        imbalance = 0.0 if reach is None else abs(float(y @ u)) * (reach + self.epsilon)
        size = float(np.abs(u).sum())
        conjugate = self.epsilon * size - float(u.sum()) + imbalance
        return DualPoint(u, conjugate, (1.0 + self.epsilon) * size + imbalance, np.zeros(len(u)))

    def _balanced(self, u: Array, y: Array) -> Array:
        """What y'u lacks of 0 goes to the coefficient that is farthest from its bounds."""
        room = np.minimum(np.abs(u), self.upper - np.abs(u))
        i = int(np.argmax(room))
        step = y[i] * float(y @ u)
        if abs(step) >= room[i]:
            return u
        balanced = u.copy()
        balanced[i] -= step
        return balanced

    def best_offset(self, y: Array, g: Array) -> float:
        """Return the bias for which the loss of margins g without one is least: where its slope changes sign."""
        short = y * (1.0 - g)
        ends = np.concatenate([short - self.epsilon, short + self.epsilon])
        order = np.argsort(ends)
        slopes = np.cumsum(np.r_[self.upper, self.upper][order]) - self.upper.sum()
        return float(ends[order][int(np.argmax(slopes >= 0.0))])


@dataclass(frozen=True)
class SVRSolution:
    """`gap`: primal minus dual value, relative to the primal one."""

    a: Array
    b: float
    gap: float
    n_iter: int
    converged: bool


def solve_svr(
    problem: SVRProblem,
    G: Array,
    root: Array,
    y: Array,
    *,
    bias: bool,
    start: Array | None,
    tol: float,
    max_iter: int,
) -> SVRSolution:
    """Solve in the features `root`, root root' = G to rounding, and for the free coefficients from G itself."""
    free = int(bias)
    Z = Features(np.column_stack([root, np.ones(len(root))]) if free else root)
    margins = MarginProblem(tube(problem.upper, problem.epsilon), np.full(len(y), 1.0 / len(y)))
    held = None if start is None else y * start
    found = solve_explicit(Z, y, margins, free=free, forces=held, tol=tol, max_iter=max_iter)
    ends = [(y * found.point.a, float(found.point.w[-1]) if free else 0.0)]
    ends += _on_the_edges(problem, G, y, *ends[0], bias=bias)
    (a, b), gap = min(((end, _gap(problem, G, y, *end, bias=bias)) for end in ends), key=lambda one: one[1])
    return SVRSolution(a, b, gap, found.n_iter, bool(gap <= tol))


def _gap(problem: SVRProblem, G: Array, y: Array, a: Array, b: float, *, bias: bool) -> float:
    f = G @ a
    epsilon, square = problem.epsilon, float(a @ f)
    imbalance = (1.0 + epsilon + float(np.abs(f).max())) * abs(float(a.sum())) if bias else 0.0  # |b| is no larger
    primal = 0.5 * square + float(problem.upper @ np.maximum(np.abs(y - f - b) - epsilon, 0.0))
    dual = float(y @ a) - epsilon * float(np.abs(a).sum()) - 0.5 * square
    return (max(primal - dual, 0.0) + imbalance) / primal if primal > 0.0 else 0.0


def _on_the_edges(
    problem: SVRProblem, G: Array, y: Array, a: Array, b: float, *, bias: bool
) -> Iterator[tuple[Array, float]]:
    """Yield the solution whose free examples lie on the edges of the tube, the others held, if its signs are theirs."""
    size = np.abs(a)
    F = np.flatnonzero((size > 0.0) & (size < problem.upper))
    if not len(F):
        return
    short = y - G @ a - b - problem.epsilon * np.sign(a)
    system = G[np.ix_(F, F)]
    add_to_diagonal(system, RIDGE * float(np.mean(np.diagonal(system))))
    try:
        L = cholesky(system)
    except NotPositiveDefinite:
        return
    moved, offset = a.copy(), b
    for _ in range(2):  # refinement undoes the ridge
        ones, steps = cholesky_solve(L, np.column_stack([np.ones(len(F)), short[F]])).T
        db = float((steps.sum() + moved.sum()) / ones.sum()) if bias else 0.0
        moved[F] += steps - db * ones
        offset += db
        short = y - G @ moved - offset - problem.epsilon * np.sign(a)
    if (moved[F] * a[F] > 0.0).all() and (np.abs(moved) <= problem.upper).all():
        yield moved, offset
