"""PUMMA (Ishibashi, Hatano & Takeda 2009, Figure 1), with explicit weights for any p >= 2 and with a kernel for p = 2.

An example whose margin is below 1 - delta replaces the example of its class in the pair (x_pos, x_neg), and the relaxed
problem (3) is solved anew with z = x_pos - x_neg; b gives the two the scores +1 and -1 (Eq. 16). Without the bias there
is a single example instead of a pair, with z = y x and w.z >= 1: the aggressive variant of ROMMA (section 3.2).

Until both classes have been seen, the prediction is the class seen, or -1 before the first example.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mdcore.solvers.arrays import Array, Mask
from mdcore.solvers.compiled import compiled
from mdcore.solvers.learner import Learner, Progress
from mdcore.solvers.linalg import energy_norm
from mdcore.solvers.pnorm import link
from mdcore.solvers.relaxed import KERNEL_LIMIT, LIMIT, p_norm, two_norm
from mdcore.solvers.rows import Index, Rows, row_add, row_dot

EQUAL = 1e-14  # share of ||phi(x)||^2 + ||phi(z)||^2 below which ||phi(x) - phi(z)||^2 is rounding


@compiled()
def learn(
    rows: Rows, y: Array, start: int, most: int, p: float, delta: float, bias: bool, w: Array, theta: Array,
    pair: Array, seen: Mask, b: float, touched: Mask,
) -> tuple[int, int, int, int, float]:  # fmt: skip
    """Update w, theta = f(w), the pair (x_pos, x_neg) and `seen` in place; return the values of `advance`, and b."""
    c = 2.0 if bias else 1.0
    z = np.empty_like(w)
    updates = mistakes = contradictions = 0
    i = start
    while i < len(y) and updates < most:
        product = row_dot(rows, i, w)
        margin = y[i] * (product + b)
        mistakes += margin <= 0.0
        own, other = (0, 1) if y[i] > 0.0 else (1, 0)
        if margin < 1.0 - delta or (bias and not seen[own]):
            alone = bias and not seen[other]
            if alone:
                b = y[i]
            else:
                z[:] = -y[i] * pair[other]  # zero without the bias
                row_add(rows, i, y[i], z)
                square = np.dot(w, theta)
                wz = np.dot(w, z)
                if p == 2.0:
                    alpha, beta, met = two_norm(np.dot(z, z), wz, square, c, LIMIT)
                else:
                    alpha, beta, met = p_norm(z, theta, square, c, p)
                contradictions += not met
                if alpha == 0.0:
                    i += 1
                    continue
                theta *= beta
                theta += alpha * z
                link(theta, p, w)
                if bias:
                    b = -(row_dot(rows, i, w) + np.dot(w, pair[other])) / 2.0
                updates += 1
                touched[i] = True
            if bias:
                pair[own] = 0.0
                row_add(rows, i, 1.0, pair[own])
                seen[own] = True
        i += 1
    return i, updates, mistakes, contradictions, b


@compiled()
def learn_kernel(
    gram: Array, y: Array, start: int, most: int, delta: float, soft: float, bias: bool, a: Array, f: Array,
    pair: Index, b: float, touched: Mask,
) -> tuple[int, int, int, int, float]:  # fmt: skip
    """Do the same as `learn` for p = 2 and w = sum_j a_j phi(x_j), with f_i = <w, phi(x_i)>.

    `pair` holds the rows of x_pos and x_neg, -1 for none. The kernel is k(x_i, x_j) + soft [i = j], which gives the
    2-norm soft margin.
    """
    c = 2.0 if bias else 1.0
    updates = mistakes = contradictions = 0
    i = start
    while i < len(y) and updates < most:
        margin = y[i] * (f[i] + b)
        mistakes += margin <= 0.0
        own, other = (0, 1) if y[i] > 0.0 else (1, 0)
        if margin < 1.0 - delta or (bias and pair[own] < 0):
            j = pair[other]
            if bias and j < 0:
                b = y[i]
            else:
                zz, wz = gram[i, i] + soft, y[i] * f[i]
                if bias:
                    scale = gram[i, i] + gram[j, j]
                    zz += gram[j, j] + soft - 2.0 * gram[i, j]
                    wz -= y[i] * f[j]
                    zz = zz if zz > EQUAL * scale else 0.0
                alpha, beta, met = two_norm(zz, wz, np.dot(a, f), c, KERNEL_LIMIT)
                contradictions += not met
                if alpha == 0.0:
                    i += 1
                    continue
                a *= beta
                f *= beta
                _add(gram, soft, alpha * y[i], i, a, f)
                if bias:
                    _add(gram, soft, -alpha * y[i], j, a, f)
                    b = -(f[i] + f[j]) / 2.0
                updates += 1
                touched[i] = True
            pair[own] = i
        i += 1
    return i, updates, mistakes, contradictions, b


@compiled()
def _add(gram: Array, soft: float, factor: float, i: int, a: Array, f: Array) -> None:
    """w += factor * phi(x_i)."""
    a[i] += factor
    for j in range(len(f)):
        f[j] += factor * gram[i, j]
    f[i] += factor * soft


class Pumma(Learner):
    """PUMMA with explicit weights; without the bias, ROMMA."""

    def __init__(self, d: int, *, p: float, delta: float, bias: bool) -> None:
        super().__init__(d, p)
        self.delta, self.bias = delta, bias
        self.b = -1.0 if bias else 0.0
        self.theta, self.pair, self.seen = np.zeros(d), np.zeros((2, d)), np.zeros(2, dtype=np.bool_)

    def advance(self, rows: Any, y: Array, start: int, most: int) -> Progress:
        position, updates, mistakes, contradictions, self.b = learn(
            rows, y, start, most, self.p, self.delta, self.bias, self.w, self.theta, self.pair, self.seen, self.b,
            self.touched,
        )  # fmt: skip
        return position, updates, mistakes, contradictions


class KernelPumma(Learner):
    """PUMMA for p = 2 with a kernel: it learns from the Gram matrix of the examples, and `w` holds coefficients."""

    def __init__(self, m: int, *, delta: float, soft: float, bias: bool) -> None:
        super().__init__(m)
        self.delta, self.soft, self.bias = delta, soft, bias
        self.b = -1.0 if bias else 0.0
        self.f, self.rows_of_pair = np.zeros(m), np.full(2, -1)

    def advance(self, rows: Any, y: Array, start: int, most: int) -> Progress:
        position, updates, mistakes, contradictions, self.b = learn_kernel(
            rows, y, start, most, self.delta, self.soft, self.bias, self.w, self.f, self.rows_of_pair, self.b,
            self.touched,
        )  # fmt: skip
        return position, updates, mistakes, contradictions

    def view(self, X: Any) -> Any:
        return X

    def values(self, X: Any) -> Array:
        """Return f(x_i) of the training examples, with the term of the soft margin."""
        return self.f + self.b

    def length(self, w: Array) -> float:
        """Return ||w||, with the term of the soft margin."""
        return energy_norm(w, self.f)
