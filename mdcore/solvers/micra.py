"""MICRA (Tsampouka & Shawe-Taylor 2007): a perceptron of unit length with parameters set by the number of updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from mdcore.solvers.arrays import Array, Mask
from mdcore.solvers.compiled import compiled
from mdcore.solvers.learner import Learner, Progress
from mdcore.solvers.rows import Rows, row_add, row_dot


@compiled()
def learn(
    rows: Rows, y: Array, start: int, most: int, beta: float, eta: float, eps: float, zeta: float, u: Array,
    made: int, touched: Mask,
) -> Progress:  # fmt: skip
    """Update u in place, after `made` earlier updates; return the values of `advance`.

    The first example gives the first direction, u = y x / ||x||.
    """
    updates = mistakes = 0
    i = start
    while i < len(y) and updates < most:
        t = made + updates
        margin = y[i] * row_dot(rows, i, u)
        mistakes += margin <= 0.0
        if t == 0 or margin <= beta / t**eps:
            step = eta / t**zeta if t > 0 else 1.0
            row_add(rows, i, step * y[i], u)
            length = np.sqrt(np.dot(u, u))
            if length > 0.0:
                u /= length
            updates += 1
            touched[i] = True
        i += 1
    return i, updates, mistakes, 0


class Micra(Learner):
    """MICRA with explicit weights, without a bias."""

    def __init__(self, d: int, *, beta: float, eta: float, eps: float, zeta: float) -> None:
        super().__init__(d)
        self.beta, self.eta, self.eps, self.zeta = beta, eta, eps, zeta

    def advance(self, rows: Any, y: Array, start: int, most: int) -> Progress:
        return learn(rows, y, start, most, self.beta, self.eta, self.eps, self.zeta, self.w, self.updates, self.touched)
