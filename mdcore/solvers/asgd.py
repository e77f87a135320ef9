"""Averaged stochastic gradient descent for the linear LDM (Zhang & Zhou 2014, Algorithm 2), dense or CSR rows.

The objective is Eq. (14) divided by mC, so that the hinge has weight one and the ridge is 1/(mC). Vectors are stored as
scaled sums, w = v / scale and mean = (u + shift * v) / divisor, so that a step costs only the nonzeros of two rows.
Step size and averaging follow Xu (2011): the step is eta0 / (1 + ridge * eta0 * t)^(3/4), and the mean is taken from a
step t0 on. An epoch pairs two random permutations of the rows: each pair is uniform, and every row is visited.
"""

from __future__ import annotations

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import raise_if_stopped
from mdcore.solvers.compiled import compiled
from mdcore.solvers.rows import Matrix, Rows, as_rows, row_add, row_dot, squared_lengths

Settings = tuple[float, float, float, float, float, float]

TUNING_ROWS = 1000
LADDER = np.arange(-8, 11)  # exponents of the step sizes tried: powers of two, relative to 1 / (size of a gradient)
LEAST = 1e-3  # curvature assumed of the hinge, relative to ||x||^2, so that its steps are bounded
GROWN = 1e5  # scale above which the sums are normalised, before they lose digits


@compiled()
def run_epoch(
    X: Rows, y: Array, firsts: Index, seconds: Index, settings: Settings, bias: float, state: Array, v: Array, u: Array,
) -> None:  # fmt: skip
    """Take one step per sampled pair (i, j), in place.

    `settings` holds (ridge, lambda1, lambda2) of the divided objective, eta0, the step t0 at which averaging begins,
    and the longest step that does not overshoot on these rows. `state` is (t, scale, divisor, shift), with
    w = v / scale and mean = (u + shift v) / divisor. The last entries of v and u belong to the constant feature, and
    stay zero without one.
    """
    ridge, lambda1, lambda2, eta0, t0, longest = settings
    t, scale, divisor, shift = state
    d = len(v) - 1
    for k in range(len(firsts)):
        i = firsts[k]
        eta = min(eta0 / (1.0 + ridge * eta0 * t) ** 0.75, longest)
        f = (row_dot(X, i, v) + bias * v[d]) / scale
        slope = -(lambda2 + 1.0) * y[i] if y[i] * f < 1.0 else -lambda2 * y[i]
        if lambda1 > 0.0:
            j = seconds[k]
            other = (row_dot(X, j, v) + bias * v[d]) / scale
            slope += 4.0 * lambda1 * (f - y[i] * y[j] * other)
        scale /= 1.0 - eta * ridge
        push = -eta * slope * scale
        if push != 0.0:
            row_add(X, i, push, v)
            v[d] += bias * push
        t += 1.0
        rate = 1.0 / max(1.0, t - t0)
        if rate >= 1.0:
            u[:] = 0.0
            divisor, shift = scale, 1.0
        else:
            if push != 0.0:
                row_add(X, i, -push * shift, u)
                u[d] -= bias * push * shift
            divisor /= 1.0 - rate
            shift += rate * divisor / scale
        if scale > GROWN or divisor > GROWN:
            u += shift * v
            u /= divisor
            v /= scale
            scale, divisor, shift = 1.0, 1.0, 0.0
    state[0], state[1], state[2], state[3] = t, scale, divisor, shift


class AveragedSGD:
    """A run of Algorithm 2 that can be continued on more rows."""

    def __init__(self, d: int, *, lambda1: float, lambda2: float, C: float, bias: bool, rng: np.random.Generator):
        self.lambda1, self.lambda2, self.C, self.bias, self.rng = lambda1, lambda2, C, float(bias), rng
        self.eta0 = 0.0
        self._reset(d)

    def _reset(self, d: int) -> None:
        self._v, self._u = np.zeros(d + 1), np.zeros(d + 1)
        self._state = np.array([0.0, 1.0, 1.0, 0.0])

    @property
    def steps(self) -> int:
        return int(self._state[0])

    @property
    def w(self) -> Array:
        """The averaged weights, with that of the constant feature last."""
        _, _, divisor, shift = self._state
        return np.asarray((self._u + shift * self._v) / divisor)

    def run(self, X: Matrix, y: Array, *, m: int, epochs: int, average_from: int) -> None:
        """Run `epochs` passes over the rows; `m` is the number of examples in the objective, which scales C."""
        rows = as_rows(X)
        if not self.eta0:
            self._tune(X, y, m)
        settings = (*self._divided(m), self.eta0, float(average_from), self._longest(X, m))
        for _ in range(epochs):
            raise_if_stopped()
            firsts, seconds = self.rng.permutation(len(y)), self.rng.permutation(len(y))
            run_epoch(rows, y, firsts, seconds, settings, self.bias, self._state, self._v, self._u)

    def _longest(self, X: Matrix, m: int) -> float:
        """Return the step beyond which the variance term of some pair grows.

        The limit is needed because later rows may be longer than the rows that eta0 was tuned on.
        """
        ridge, lambda1, _ = self._divided(m)
        largest = float(squared_lengths(X).max()) + self.bias
        return 1.0 / (8.0 * lambda1 * largest + ridge + LEAST * largest)

    def _divided(self, m: int) -> tuple[float, float, float]:
        return 1.0 / (m * self.C), self.lambda1 / (m * self.C), self.lambda2 / (m * self.C)

    def _tune(self, X: Matrix, y: Array, m: int) -> None:
        """Set eta0 to the step size of a geometric ladder with the smallest objective after one pass over a sample."""
        chosen = self.rng.permutation(len(y))[:TUNING_ROWS]
        sample, labels = X[chosen], y[chosen]
        rows, d = as_rows(sample), X.shape[1]
        ridge, lambda1, lambda2 = self._divided(m)
        squares = squared_lengths(sample) + self.bias
        quadratic = 8.0 * lambda1 * squares.max() + ridge  # curvature for one pair: steps beyond 1/quadratic overshoot
        hinge = squares.mean() * (1.0 + lambda2)
        firsts, seconds = self.rng.permutation(len(labels)), self.rng.permutation(len(labels))
        costs = {}
        for eta0 in 2.0 ** (LADDER - np.ceil(np.log2(hinge + quadratic))):
            if eta0 * quadratic >= 1.0:
                break
            self._reset(d)
            settings = (ridge, lambda1, lambda2, float(eta0), len(labels) / 2, np.inf)
            run_epoch(rows, labels, firsts, seconds, settings, self.bias, self._state, self._v, self._u)
            w = self.w
            margins = labels * (sample @ w[:-1] + w[-1])
            cost = 0.5 * ridge * (w @ w) + 2.0 * lambda1 * margins.var() - lambda2 * margins.mean()
            costs[eta0] = cost + np.maximum(1.0 - margins, 0.0).mean()
        self._reset(d)
        finite = {eta0: cost for eta0, cost in costs.items() if np.isfinite(cost)}
        self.eta0 = min(finite, key=finite.__getitem__)
