"""The exact solution path of min_b 1/2 b'Hb + q'b, 0 <= b <= C, q = lambda2 Hp - e, along C or along lambda2.

The solution is piecewise linear in either parameter. Between two kinks the set F of free examples is constant, and b
moves along the solution of H_FF d = r. The Cholesky factor of H_FF is updated from kink to kink by adding or removing
one row, which takes O(m |F|) work per kink, while a fit from a neighbouring point factors H_FF anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array
from mdcore.solvers.compiled import compiled

LOWER, FREE, UPPER = 0, 1, 2
SINGULAR = 1e-12  # a pivot below this share of its diagonal entry means that the free block is singular
MOST_KINKS = 50  # per example; more kinks mean that ties keep the path from advancing


class Degenerate(np.linalg.LinAlgError):
    """Raised if the path cannot be followed, as the free examples are linearly dependent or kinks are too many."""


@dataclass(frozen=True, eq=False)
class DualPath:
    """The solutions `b[k]` at `values[k]`; between `kinks` the solution is linear."""

    values: Array
    b: Array
    kinks: Array


def follow(
    H: Array, p: Array, b: Array, *, lambda2: float, C: float, along: Literal["C", "lambda2"], values: Array
) -> DualPath:
    """Follow the path from the solution `b` at the first of the ascending `values`; the other parameter is fixed."""
    m, values = len(b), np.asarray(values, dtype=np.float64)
    if (np.diff(values) <= 0.0).any():
        raise ValueError("a path is followed along ascending values.")
    lambda2, C = (values[0], C) if along == "lambda2" else (lambda2, values[0])
    Hp = H @ p
    g = H @ b + lambda2 * Hp - 1.0
    state = np.where(b <= 0.0, LOWER, np.where(b >= C, UPPER, FREE))
    free = np.flatnonzero(state == FREE)
    L, order = np.zeros((m, m)), np.zeros(m, dtype=np.int64)
    order[: len(free)] = free
    L[: len(free), : len(free)] = _factor(H[np.ix_(free, free)])
    found, kinks = np.empty((len(values), m)), np.empty(MOST_KINKS * m)
    count = _follow(
        np.ascontiguousarray(H), Hp, b.copy(), g, state, L, order, len(free), C, along == "C", values, found, kinks
    )
    if count < 0:
        raise Degenerate("the free examples are linearly dependent, or too many bounds are met at once")
    return DualPath(values, found, kinks[:count])


def _factor(A: Array) -> Array:
    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise Degenerate("the free examples are linearly dependent") from None
    if (np.diagonal(L) ** 2 <= SINGULAR * np.diagonal(A)).any():
        raise Degenerate("the free examples are linearly dependent")
    return np.asarray(L, dtype=np.float64)


@compiled()
def _follow(
    H: Array,
    Hp: Array,
    b: Array,
    g: Array,
    state: NDArray[np.int64],
    L: Array,
    order: NDArray[np.int64],
    f: int,
    C: float,
    along_C: bool,
    values: Array,
    found: Array,
    kinks: Array,
) -> int:
    """Fill `found` and `kinks`; return the number of kinks, or -1 if the path cannot be followed.

    The free examples are order[:f], and L[:f, :f] is the Cholesky factor of their block.
    """
    m = len(b)
    db, dg, r = np.empty(m), np.empty(m), np.empty(m)
    s, count = values[0], 0
    found[0] = b
    reached = 1
    while reached < len(values):
        _direction(H, Hp, state, L, order, f, along_C, db, dg, r)
        step, who, to = np.inf, -1, FREE
        for i in range(m):
            t, side = np.inf, FREE
            if state[i] == FREE:
                rise = db[i] - 1.0 if along_C else db[i]  # relative to the upper bound, which may move too
                if db[i] < 0.0:
                    t, side = -b[i] / db[i], LOWER
                if rise > 0.0 and ((s if along_C else C) - b[i]) / rise < t:
                    t, side = ((s if along_C else C) - b[i]) / rise, UPPER
            elif (state[i] == LOWER and dg[i] < 0.0) or (state[i] == UPPER and dg[i] > 0.0):
                t = -g[i] / dg[i]
            if t < step:
                step, who, to = max(t, 0.0), i, side
        while reached < len(values) and values[reached] <= s + step:
            for i in range(m):
                found[reached, i] = b[i] + (values[reached] - s) * db[i]
            reached += 1
        if reached == len(values):
            break
        if count == len(kinks):
            return -1
        for i in range(m):
            b[i] += step * db[i]
            g[i] += step * dg[i]
        s += step
        kinks[count] = s
        count += 1
        state[who] = to
        if to == FREE:
            g[who] = 0.0
            if not _add(H, L, order, f, who, r):
                return -1
            f += 1
        else:
            b[who] = 0.0 if to == LOWER else (s if along_C else C)
            _remove(L, order, f, who)
            f -= 1
    return count


@compiled()
def _direction(
    H: Array,
    Hp: Array,
    state: NDArray[np.int64],
    L: Array,
    order: NDArray[np.int64],
    f: int,
    along_C: bool,
    db: Array,
    dg: Array,
    r: Array,
) -> None:
    """Compute db and dg per unit of the parameter: g stays zero on the free examples; examples at C move with C."""
    m = len(db)
    for i in range(m):
        db[i] = 0.0
        dg[i] = 0.0 if along_C else Hp[i]
    if along_C:
        for i in range(m):
            if state[i] == UPPER:
                db[i] = 1.0
                for j in range(m):
                    dg[j] += H[i, j]
    for k in range(f):
        r[k] = -dg[order[k]]
    _solve_lower(L, f, r)
    for k in range(f - 1, -1, -1):
        r[k] /= L[k, k]
        for j in range(k):
            r[j] -= L[k, j] * r[k]
    for k in range(f):
        i = order[k]
        db[i] = r[k]
        for j in range(m):
            dg[j] += r[k] * H[i, j]


@compiled()
def _solve_lower(L: Array, f: int, r: Array) -> None:
    for k in range(f):
        total = r[k]
        for j in range(k):
            total -= L[k, j] * r[j]
        r[k] = total / L[k, k]


@compiled()
def _add(H: Array, L: Array, order: NDArray[np.int64], f: int, who: int, r: Array) -> bool:
    """Append a row for `who` to the factor; return False if it is linearly dependent on the others."""
    for k in range(f):
        r[k] = H[order[k], who]
    _solve_lower(L, f, r)
    pivot = H[who, who]
    for k in range(f):
        L[f, k] = r[k]
        pivot -= r[k] * r[k]
    if pivot <= SINGULAR * H[who, who]:
        return False
    L[f, f] = np.sqrt(pivot)
    order[f] = who
    return True


@compiled()
def _remove(L: Array, order: NDArray[np.int64], f: int, who: int) -> None:
    """Remove the row of `who` from the factor; rotations restore the triangular form below it."""
    k = 0
    while order[k] != who:
        k += 1
    for i in range(k, f - 1):
        order[i] = order[i + 1]
        for j in range(i + 2):
            L[i, j] = L[i + 1, j]
    for i in range(k, f - 1):
        length = np.hypot(L[i, i], L[i, i + 1])
        c, s = L[i, i] / length, L[i, i + 1] / length
        for j in range(i, f - 1):
            left, right = L[j, i], L[j, i + 1]
            L[j, i] = c * left + s * right
            L[j, i + 1] = c * right - s * left
