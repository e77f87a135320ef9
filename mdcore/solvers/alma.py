"""ALMA_p(alpha) (Gentile 2001) with B = sqrt(8)/alpha and C = sqrt(2): attains (1 - alpha) of the largest margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from mdcore.solvers.arrays import Array, Mask
from mdcore.solvers.compiled import compiled
from mdcore.solvers.learner import Learner, Progress
from mdcore.solvers.pnorm import link, row_norms
from mdcore.solvers.rows import Matrix, Rows, as_rows, row_add, row_dot


@compiled()
def learn(
    rows: Rows, norms: Array, y: Array, start: int, most: int, p: float, alpha: float, w: Array, theta: Array,
    made: int, touched: Mask,
) -> Progress:  # fmt: skip
    """Update w and theta = f(w) in place, after `made` earlier updates; return the values of `advance`."""
    updates = mistakes = 0
    i = start
    while i < len(y) and updates < most:
        k = made + updates + 1
        size = norms[i] if norms[i] > 0.0 else 1.0
        margin = y[i] * row_dot(rows, i, w) / size
        mistakes += margin <= 0.0
        gamma = np.sqrt(8.0) / alpha * np.sqrt((p - 1.0) / k)
        if margin <= (1.0 - alpha) * gamma:
            eta = np.sqrt(2.0) / np.sqrt((p - 1.0) * k)
            row_add(rows, i, eta * y[i] / size, theta)
            length = link(theta, p, w)  # = ||w||_q; w is projected onto the unit ball
            if length > 1.0:
                theta /= length
                w /= length
            updates += 1
            touched[i] = True
        i += 1
    return i, updates, mistakes, 0


class Alma(Learner):
    """ALMA_p on examples scaled to p-norm one."""

    def __init__(self, d: int, *, p: float, alpha: float) -> None:
        super().__init__(d, p)
        self.alpha, self.theta = alpha, np.zeros(d)

    def view(self, X: Matrix) -> Any:
        return as_rows(X), row_norms(X, self.p)

    def advance(self, rows: Any, y: Array, start: int, most: int) -> Progress:
        vectors, norms = rows
        return learn(vectors, norms, y, start, most, self.p, self.alpha, self.w, self.theta, self.updates, self.touched)
