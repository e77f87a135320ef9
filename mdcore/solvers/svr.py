"""Support vector regression: 1/2 ||w||^2 + sum_i C_i (|y_i - f_i| - epsilon)_+, f_i = <w, x_i> + b, w = sum_i a_i x_i.

    max_a y'a - epsilon ||a||_1 - 1/2 a'Ga,   |a_i| <= C_i,   and e'a = 0 where the bias is free

as a box problem in the positive and the negative parts of a. libsvm keeps kernel values in single precision, so its gap
ends near 1e-6; this one does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.certificate import DualPoint
from mdcore.solvers.multipliers import solve_with_equalities

Array = NDArray[np.float64]


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
        return DualPoint(u, self.epsilon * float(np.abs(u).sum()) - float(u.sum()) + imbalance, np.zeros(len(u)))

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
    problem: SVRProblem, G: Array, y: Array, *, bias: bool, start: Array | None, tol: float, max_iter: int
) -> SVRSolution:
    m, epsilon, upper = len(y), problem.epsilon, problem.upper

    def signed(parts: Array) -> Array:
        return np.asarray(parts[:m] - parts[m:])

    def certificate(parts: Array, multipliers: Array) -> float:
        a, b = signed(parts), -float(multipliers.sum())
        f = G @ a
        square = float(a @ f)
        imbalance = (1.0 + epsilon + float(np.abs(f).max())) * abs(float(a.sum())) if bias else 0.0  # |b| is no larger
        primal = 0.5 * square + float(upper @ np.maximum(np.abs(y - f - b) - epsilon, 0.0))
        dual = float(y @ a) - epsilon * float(np.abs(a).sum()) - 0.5 * square
        return (max(primal - dual, 0.0) + imbalance) / primal if primal > 0.0 else 0.0

    first = np.zeros(m) if start is None else start
    solution = solve_with_equalities(
        np.block([[G, -G], [-G, G]]),
        epsilon - np.r_[y, -y],
        np.r_[upper, upper],
        np.r_[np.ones(m), -np.ones(m)][:, None] if bias else np.zeros((2 * m, 0)),
        np.zeros(int(bias)),
        certificate=certificate,
        start=np.r_[np.maximum(first, 0.0), np.maximum(-first, 0.0)],
        multipliers=np.zeros(int(bias)),
        tol=tol,
        max_iter=max_iter,
    )
    b = -float(solution.multipliers.sum())
    return SVRSolution(signed(solution.b), b, solution.gap, solution.n_iter, solution.converged)
