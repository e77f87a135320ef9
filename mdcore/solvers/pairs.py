"""Compiled pair moves for max_a y'a - sum_i epsilon_i |a_i| - 1/2 a'Ka with |a_i| <= C_i and e'a = 0.

With r = y - Ka, the slope of raising a_i is r_i - epsilon_i, or r_i + epsilon_i if a_i < 0. Lowering a_j costs
r_j - epsilon_j if a_j > 0, else r_j + epsilon_j. A move is along e_i - e_j, with the i of the largest slope and the j
for which an exact line search without bounds gains most (Fan, Chen, Lin 2005). The slope jumps where a coordinate
passes zero.
"""

from __future__ import annotations

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.compiled import compiled

SAME = 1e-12  # least value of ||x_i - x_j||^2, as a share of K_ii + K_jj
NO_LENGTH = 1e-300


@compiled()
def move_pairs(K: Array, own: Array, upper: Array, epsilon: Array, a: Array, r: Array, enough: float, most: int) -> int:
    """Move one pair after another, in place, until no pair has a slope above `enough`, or `most` pairs have been moved.

    Return the number of moves.
    """
    moved, gain = 0, np.empty(len(r))
    rise, fall = limits(a, upper, epsilon)
    top, bottom = _follow(r, 0.0, K[0], K[0], rise, fall)
    while moved < most and top - bottom > enough:
        i = _place(r, rise, top)
        best = _gains(r, fall, own, K[i], own[i], top, gain)
        j = int(np.argmax(gain))
        if best <= 0.0:
            break
        apart = _apart(own[i], own[j], K[i, j])
        length = _length(top - (r[j] + fall[j]), apart, a[i], a[j], upper[i], upper[j], epsilon[i], epsilon[j])
        a[i] = upper[i] if length == upper[i] - a[i] else a[i] + length
        a[j] = -upper[j] if length == upper[j] + a[j] else a[j] - length
        for k in (i, j):
            rise[k], fall[k] = _limits(a[k], upper[k], epsilon[k])
        top, bottom = _follow(r, length, K[i], K[j], rise, fall)
        moved += 1
    return moved


@compiled()
def limits(a: Array, upper: Array, epsilon: Array) -> tuple[Array, Array]:
    """Return the terms to add to r for raising each coordinate, and for lowering it; infinite if a bound forbids it."""
    rise, fall = np.empty(len(a)), np.empty(len(a))
    for i in range(len(a)):
        rise[i], fall[i] = _limits(a[i], upper[i], epsilon[i])
    return rise, fall


@compiled(inline="always")
def _limits(a: float, upper: float, epsilon: float) -> tuple[float, float]:
    rise = -np.inf if a >= upper else -epsilon if a >= 0.0 else epsilon
    fall = np.inf if a <= -upper else -epsilon if a > 0.0 else epsilon
    return rise, fall


@compiled(fastmath={"reassoc", "nnan", "nsz"})
def _follow(r: Array, length: float, first: Array, second: Array, rise: Array, fall: Array) -> tuple[float, float]:
    """Update r after a move, in place; return the largest slope of raising, and the least cost of lowering."""
    top, bottom = -np.inf, np.inf
    for k in range(len(r)):
        r[k] -= length * (first[k] - second[k])
        top = max(top, r[k] + rise[k])
        bottom = min(bottom, r[k] + fall[k])
    return top, bottom


@compiled(fastmath={"reassoc", "nnan", "nsz"})
def _gains(r: Array, fall: Array, own: Array, row: Array, own_i: float, top: float, gain: Array) -> float:
    """Write twice the gain of a move along each e_i - e_k without bounds to `gain`, and return the largest."""
    best = 0.0
    for k in range(len(r)):
        slope = max(top - (r[k] + fall[k]), 0.0)
        gain[k] = slope * slope / _apart(own_i, own[k], row[k])
        best = max(best, gain[k])
    return best


@compiled(inline="always")
def _apart(own_i: float, own_j: float, product: float) -> float:
    """Return ||x_i - x_j||^2, kept positive even for identical rows: a long step then ends at a bound."""
    return max(own_i + own_j - 2.0 * product, SAME * (own_i + own_j) + NO_LENGTH)


@compiled()
def _place(r: Array, rise: Array, top: float) -> int:
    for k in range(len(r)):
        if r[k] + rise[k] == top:
            return k
    return 0


@compiled()
def _length(
    slope: float, apart: float, a_i: float, a_j: float, upper_i: float, upper_j: float, epsilon_i: float,
    epsilon_j: float,
) -> float:  # fmt: skip
    """Return the length of the move along e_i - e_j; the slope drops by 2 epsilon where a coordinate passes zero."""
    first, bend = (-a_i, 2.0 * epsilon_i) if a_i < 0.0 else (np.inf, 0.0)
    second, further = (a_j, 2.0 * epsilon_j) if a_j > 0.0 else (np.inf, 0.0)
    if second < first:
        first, bend, second, further = second, further, first, bend
    length = slope / apart
    if length > first:
        length = max(first, (slope - bend) / apart)
    if length > second:
        length = max(second, (slope - bend - further) / apart)
    return min(length, upper_i - a_i, upper_j + a_j)


@compiled()
def follow_all(held: Array, place: Index, change: Array, r: Array) -> None:
    """Update r, in place, for changes of the coordinates whose rows of K are held[place]."""
    for k in range(len(place)):
        if change[k] != 0.0:
            row = held[place[k]]
            for l in range(len(r)):
                r[l] -= change[k] * row[l]


@compiled()
def gather(held: Array, place: Index, W: Index, out: Array) -> None:
    """Write the entries W of the rows held[place] to `out`."""
    for k in range(len(place)):
        row = held[place[k]]
        for l in range(len(W)):
            out[k, l] = row[W[l]]
