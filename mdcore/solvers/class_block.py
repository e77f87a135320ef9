"""The k + 1 dual variables of one example of a machine with k weight vectors (mcODM paper, section 4.1).

The machines are min_W 1/2 sum_l ||w_l||^2 + sum_i loss_i. The loss of an example penalises the shortfall of its margin
and, in mcODM, its excess:

    xi >= target - (w_y - w_l).x for all l != y,    eps >= (w_y - w_r).x - upper   or   w_y.x - M - upper,

xi costs `xi^2 / (2 soft)`, continued linearly from slope `cap` on; eps costs `eps^2 / (2 upper_soft)`. The excess is
measured from the score of a runner-up class r, or if r = -1 from a number M (Eq. 2 of the paper); M = inf means that
there is no excess.

The variables are stored in one row a_i of k numbers with W = sum_i x_i a_i': a_l = alpha_l for l != y,
a_y = alpha_y - beta, and beta is added to a_r. At an optimum alpha_r beta = 0, so the row determines the variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.compiled import compiled
from mdcore.solvers.rows import Rows


class ClassLoss(NamedTuple):
    """The loss of the module's docstring; `soft` = 0 is the hinge of slope `cap`, and cap = inf the squared loss."""

    target: float
    soft: float
    cap: float
    upper: float
    upper_soft: float


@compiled()
def times(loss: ClassLoss, weight: float) -> ClassLoss:
    """Return the loss of an example with sample weight `weight`."""
    return ClassLoss(loss.target, loss.soft / weight, loss.cap * weight, loss.upper, loss.upper_soft / weight)


@compiled()
def largest_other(values: Array, own: int) -> float:
    """Return the largest value of the classes other than `own`."""
    largest = -np.inf
    for l in range(len(values)):
        if l != own:
            largest = max(largest, values[l])
    return largest


@compiled()
def level(P: float, Q: float, B: Array, order: Index, skip: int) -> float:
    """Return nu of Eq. (24): (P + sum of the largest B) / (Q + their number).

    The B enter in `order`, without class `skip`, until nu is at least the next B. Algorithm 2 prints the numerator
    where this quotient belongs.
    """
    total, count = P, Q
    for l in order:
        if l == skip:
            continue
        if count > 0.0 and total >= count * B[l]:
            break
        total += B[l]
        count += 1.0
    return total / count


@compiled()
def solve_block(
    A: float, B: Array, y: int, D: float, E: float, F: float, cap: float, runner: int, order: Index, a: Array
) -> float:
    """Minimise Eq. (6) by the sorting rule, Eqs. (19)-(24); write the row to `a` and return beta.

    `order` is work space for the k - 1 other classes. If there is a runner-up class and beta is nonzero, the class's
    alpha is zero. `cap` limits alpha_y, for a loss that grows linearly.
    """
    k = len(B)
    if B[y] >= largest_other(B, y) and F >= 0.0:  # the margin lies within the band
        a[:] = 0.0
        return 0.0
    n = 0
    for l in range(k):
        if l != y:
            p = n
            while p > 0 and B[order[p - 1]] < B[l]:
                order[p] = order[p - 1]
                p -= 1
            order[p] = l
            n += 1
    order = order[:n]
    nu = level(A * B[y] / D, A / D, B, order, -1)
    top = (nu - B[y]) / D
    if top > cap:
        top = cap
        nu = level(-A * cap, 0.0, B, order, -1)
    beta = 0.0
    if A * top > F:
        det = D * E - A * A
        nu = level((A * E * B[y] + A * A * F) / det, A * E / det, B, order, runner)
        top = (E * nu - A * F - E * B[y]) / det
        beta = (A * top - F) / E
    for l in range(k):
        a[l] = min(0.0, (nu - B[l]) / A)
    a[y] = top - beta
    if runner >= 0 and beta > 0.0:
        a[runner] = beta
    return beta


@compiled()
def example_block(A: float, f: Array, y: int, runner: int, M: float, loss: ClassLoss, order: Index, a: Array) -> float:
    """Write argmin_a A/2 ||a||^2 + f'a + (the example's own dual terms) to `a`, and return beta.

    `f` holds the scores without the example; it is overwritten with the B of Eq. (6).
    """
    E = A + loss.upper_soft
    F = loss.upper + M - f[y]
    if runner >= 0:
        E += A
        F = loss.upper + f[runner] - f[y]
    for l in range(len(f)):
        if l != y:
            f[l] += loss.target
    return solve_block(A, f, y, A + loss.soft, E, F, loss.cap, runner, order, a)


@compiled()
def proximal_blocks(
    A: float, F: Array, y: Index, runner: Index, M: Array, loss: ClassLoss, weight: Array, a: Array, beta: Array
) -> None:
    """Apply `example_block` to every example, with the same A and the scores F, which are overwritten."""
    order = np.empty(F.shape[1], dtype=np.intp)
    for i in range(len(F)):
        beta[i] = example_block(A, F[i], y[i], runner[i], M[i], times(loss, weight[i]), order, a[i])


@compiled()
def climb(K: Array, squares: Array, F: Array, y: Index, loss: ClassLoss, weight: Array, a: Array, rounds: int) -> None:
    """Solve the blocks of the examples in turn, in place and repeatedly, for a loss without excess.

    K are the kernel values among the examples, `squares` at least as large as its diagonal, and F the scores, which
    follow the rows.
    """
    k = F.shape[1]
    order = np.empty(k, dtype=np.intp)
    f, new, change = np.empty(k), np.empty(k), np.empty(k)
    for _ in range(rounds):
        for i in range(len(a)):
            for l in range(k):
                f[l] = F[i, l] - squares[i] * a[i, l]
            example_block(squares[i], f, y[i], -1, np.inf, times(loss, weight[i]), order, new)
            for l in range(k):
                change[l] = new[l] - a[i, l]
                a[i, l] = new[l]
            if change.any():
                for j in range(len(a)):
                    for l in range(k):
                        F[j, l] += K[i, j] * change[l]


@compiled()
def block_jacobians(
    A: float, a: Array, beta: Array, y: Index, runner: Index, loss: ClassLoss, weight: Array, V: Array
) -> None:
    """Compute V_i = -A da_i/df on the linear piece that contains a_i: symmetric, with eigenvalues between 0 and 1.

    In the free variables u = (the alphas below 0, alpha_y, beta) the block is a quadratic with Hessian H and the
    constraint sum alpha = 0, and a = Nu. Hence V = A N (H^-1 - H^-1 e e'H^-1 / e'H^-1 e) N'.
    """
    k = a.shape[1]
    q = np.empty(k)
    V[:] = 0.0
    for i in range(len(a)):
        r, own = runner[i], y[i]
        mine = times(loss, weight[i])
        D = A + mine.soft
        total = 0.0
        q[:] = 0.0
        for l in range(k):
            if l != own and a[i, l] < 0.0:
                V[i, l, l] = 1.0
                q[l] = 1.0 / A
                total += 1.0 / A
        top = a[i, own] + beta[i]
        if beta[i] > 0.0:
            E = A + mine.upper_soft + (A if r >= 0 else 0.0)
            det = D * E - A * A
            q[own] = (E - A) / det
            total += E / det
            V[i, own, own] = A * (E - 2.0 * A + D) / det
            if r >= 0:
                q[r] = A / det
                V[i, own, r] = V[i, r, own] = A * (A - D) / det
                V[i, r, r] = A * D / det
        elif 0.0 < top < mine.cap:
            q[own] = 1.0 / D
            total += 1.0 / D
            V[i, own, own] = A / D
        if total > 0.0:
            for l in range(k):
                for j in range(k):
                    V[i, l, j] -= A * q[l] * q[j] / total


@compiled()
def deviations(f: Array, own: int, r: int, M: float, loss: ClassLoss) -> tuple[float, float]:
    """Return the shortfall and the excess of the margin of one example with scores f; not positive means none."""
    return loss.target + largest_other(f, own) - f[own], f[own] - (f[r] if r >= 0 else M) - loss.upper


@compiled()
def has_loss(F: Array, y: Index, runner: Index, M: Array, loss: ClassLoss) -> NDArray[np.bool_]:
    """Return which examples have a positive loss."""
    pays = np.empty(len(F), dtype=np.bool_)
    for i in range(len(F)):
        short, over = deviations(F[i], y[i], runner[i], M[i], loss)
        pays[i] = short > 0.0 or over > 0.0
    return pays


@compiled()
def primal_and_conjugate(
    F: Array, a: Array, y: Index, runner: Index, M: Array, loss: ClassLoss, weight: Array
) -> tuple[float, float]:
    """Return sum_i loss_i(f_i), and the sum of the dual terms of the rows a_i without 1/2 ||W||^2."""
    primal = conjugate = 0.0
    for i in range(len(F)):
        own, r = y[i], runner[i]
        mine = times(loss, weight[i])
        short, over = deviations(F[i], own, r, M[i], mine)
        top = 0.0
        for l in range(len(a[i])):
            if l != own:
                top -= min(a[i, l], 0.0) if l == r else a[i, l]
        beta = max(a[i, r], 0.0) if r >= 0 else top - a[i, own]
        if short > 0.0:
            force = min(short / mine.soft, mine.cap) if mine.soft > 0.0 else mine.cap
            primal += force * short - 0.5 * mine.soft * force * force
        conjugate += top * (0.5 * mine.soft * top - mine.target)
        if r >= 0 or M[i] < np.inf:
            if over > 0.0:
                primal += 0.5 * over * over / mine.upper_soft
            conjugate += beta * (0.5 * mine.upper_soft * beta + mine.upper + (0.0 if r >= 0 else M[i]))
    return primal, conjugate


def row_scores(X: Rows, i: int, W: Array, f: Array) -> None:
    """f <- W'x_i; X is a dense matrix or the triple (data, indices, indptr)."""


def row_update(X: Rows, i: int, change: Array, W: Array) -> None:
    """W += x_i change'."""


@overload(row_scores)
def _row_scores(X: Any, i: int, W: Array, f: Array) -> Callable[[Any, int, Array, Array], None]:
    if isinstance(X, types.BaseTuple):

        def sparse(X: Any, i: int, W: Array, f: Array) -> None:
            data, indices, indptr = X
            f[:] = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                x, w = data[p], W[indices[p]]
                for l in range(len(f)):
                    f[l] += x * w[l]

        return sparse

    def dense(X: Any, i: int, W: Array, f: Array) -> None:
        f[:] = 0.0
        for j in range(X.shape[1]):
            x, w = X[i, j], W[j]
            for l in range(len(f)):
                f[l] += x * w[l]

    return dense


@overload(row_update)
def _row_update(X: Any, i: int, change: Array, W: Array) -> Callable[[Any, int, Array, Array], None]:
    if isinstance(X, types.BaseTuple):

        def sparse(X: Any, i: int, change: Array, W: Array) -> None:
            data, indices, indptr = X
            for p in range(indptr[i], indptr[i + 1]):
                x, w = data[p], W[indices[p]]
                for l in range(len(change)):
                    w[l] += x * change[l]

        return sparse

    def dense(X: Any, i: int, change: Array, W: Array) -> None:
        for j in range(X.shape[1]):
            x, w = X[i, j], W[j]
            for l in range(len(change)):
                w[l] += x * change[l]

    return dense


@compiled()
def sweep(
    X: Rows, squares: Array, y: Index, runner: Index, M: Array, loss: ClassLoss, weight: Array, a: Array, W: Array,
    visited: Index, idle: Index,
) -> None:  # fmt: skip
    """Solve the blocks of the visited examples in turn, in place; `idle` counts an example's visits in a row that left
    its row zero."""
    k = W.shape[1]
    order = np.empty(k, dtype=np.intp)
    f, new, change = np.empty(k), np.empty(k), np.empty(k)
    for i in visited:
        A = squares[i]
        row_scores(X, i, W, f)
        for l in range(k):
            f[l] -= A * a[i, l]
        example_block(A, f, y[i], runner[i], M[i], times(loss, weight[i]), order, new)
        size = moved = 0.0
        for l in range(k):
            change[l] = new[l] - a[i, l]
            moved += abs(change[l])
            size += abs(new[l]) + abs(a[i, l])
        idle[i] = 0 if size > 0.0 else idle[i] + 1
        if moved > 1e-15 * size:
            row_update(X, i, change, W)
            for l in range(k):
                a[i, l] = new[l]
