"""Support vector regression: 1/2 ||w||^2 + sum_i C_i (|y_i - f_i| - epsilon)_+, f_i = <w, x_i> + b, w = sum_i a_i x_i.

    max_a y'a - epsilon ||a||_1 - 1/2 a'Ga,   |a_i| <= C_i,   and e'a = 0 where the bias is free

as a box problem in the positive and the negative parts of a. libsvm keeps kernel values in single precision, so its gap
ends near 1e-6; this one does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.multipliers import solve_with_equalities

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SVRSolution:
    """`gap`: primal minus dual value, relative to the primal one."""

    a: Array
    b: float
    gap: float
    n_iter: int
    converged: bool


def solve_svr(
    G: Array, y: Array, *, upper: Array, epsilon: float, bias: bool, start: Array | None, tol: float, max_iter: int
) -> SVRSolution:
    m = len(y)

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
