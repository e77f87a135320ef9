"""The optimal margin distribution machine as a piecewise quadratic problem in the margins.

With K = YGY, margins g = Ka and w = sum_i a_i y_i phi(x_i), for weights p_i that sum to one,

    P(a) = 1/2 a'Ka + sum_i s_i [(1 - theta - g_i)_+^2 + mu (g_i - 1 - theta)_+^2],   s_i = lam p_i / (1 - theta)^2 .

On the examples outside the band the optimum obeys (K + diag(1/(2 s_i))) a = t, with s_i multiplied by mu above the
band and t_i the nearer end of it; all other a_i are zero. So the 2m dual variables (z, b) of the paper fold into
a = z - b. A few sweeps of coordinate descent find most of the set, and Newton's method with an exact line search
finishes with one or two factorisations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from mdcore.solvers.budget import over_budget
from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_solve, crossing

Array = NDArray[np.float64]

SWEEPS = 10
PATTERNS = 20
CANCELLED = 1e-8  # share of ||w||^2 that rounding may take before it is computed from explicit weights


@dataclass(frozen=True)
class ODMSolution:
    """`a`: w = sum_i a_i y_i phi(x_i), zero inside the band; `gap` relative to the sum of the terms' sizes.

    `w` are weights of explicit features, where a alone would not give them to working precision.
    """

    a: Array
    margins: Array
    w: Array | None
    gap: float
    n_iter: int
    converged: bool


def solve_odm(
    G: Array,
    y: Array,
    *,
    lam: float,
    mu: float,
    theta: float,
    p: Array,
    root: Callable[[], Array],
    start: Array | None = None,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> ODMSolution:
    """`root()` gives Z with ZZ' = G; it is asked for only where ||w||^2 = a'Ka cancels."""
    below, above = 1.0 - theta, 1.0 + theta
    s_below = lam * p / (1.0 - theta) ** 2
    s_above = mu * s_below

    def force(g: Array) -> Array:
        """-gradient of the loss in the margins: the dual candidate z - b."""
        return 2.0 * (s_below * np.maximum(below - g, 0.0) - s_above * np.maximum(g - above, 0.0))

    def loss(g: Array) -> float:
        return s_below @ np.maximum(below - g, 0.0) ** 2 + s_above @ np.maximum(g - above, 0.0) ** 2

    def margins(a: Array) -> Array:
        return y * (G @ (y * a))

    def conjugate(a: Array) -> float:
        """sum of z^2/(4 s) + b^2/(4 mu s) - (1 - theta) z + (1 + theta) b for a = z - b."""
        z, b = np.maximum(a, 0.0), np.maximum(-a, 0.0)
        return z @ (z / (4.0 * s_below)) + b @ (b / (4.0 * s_above)) - below * z.sum() + above * b.sum()

    def certify(a: Array, g: Array) -> float:
        """(P(a) + dual objective of the same a) / scale."""
        half, cost = 0.5 * (a @ g), loss(g)
        scale = half + cost
        return float((scale + half + conjugate(a)) / scale) if scale > 0.0 else 0.0

    a = np.zeros(len(y)) if start is None else start.copy()
    g = margins(a)
    coordinate_sweeps(G, y, a, g, below, above, s_below, s_above, SWEEPS)
    g = margins(a)
    best_a, best_g, best_gap = a, g, certify(a, g)
    n_iter = 1
    # One Newton step at least: a gap of 1e-8 leaves 1e-4 of w open, and the right piece leaves nothing.
    while (best_gap > tol or n_iter == 1) and n_iter < max_iter and not over_budget():
        n_iter += 1
        target = _newton_target(G, y, g, below, above, s_below, s_above)
        toward = margins(target)
        t = _line_search(a, g, target - a, toward - g, force)
        before = g
        a, g = a + t * (target - a), g + t * (toward - g)
        settled = t == 1.0 and np.array_equal(np.sign(force(g)), np.sign(force(before)))
        candidate = target if settled else force(g)
        reached = toward if settled else margins(candidate)
        gap = certify(candidate, reached)
        if gap < best_gap:
            best_a, best_g, best_gap = candidate, reached, gap
        elif settled:
            break
    w = None
    size = np.abs(best_a)
    if np.finfo(float).eps * (size @ (np.abs(G) @ size)) > CANCELLED * abs(best_a @ best_g):
        Z = root()
        w = _weights_of_pattern(Z, y, best_g, below, above, s_below, s_above)
        if w is not None:
            best_g = y * (Z @ w)
            best_a = force(best_g)
            half, cost = 0.5 * (w @ w), loss(best_g)
            dual = 0.5 * float(np.sum((Z.T @ (y * best_a)) ** 2)) + conjugate(best_a)
            best_gap = float((half + cost + dual) / (half + cost))
    return ODMSolution(best_a, best_g, w, max(best_gap, 0.0), n_iter, bool(best_gap <= tol))


def _weights_of_pattern(
    Z: Array, y: Array, g: Array, below: float, above: float, s_below: Array, s_above: Array
) -> Array | None:
    """w = (I + Z_A' 2S Z_A)^-1 Z_A' 2S Y t of the piece g lies in, repeated until w lies in its own piece."""
    for _ in range(PATTERNS):
        side = np.where(g < below, 1, np.where(g > above, -1, 0))
        A = np.flatnonzero(side)
        weight = 2.0 * np.where(side[A] > 0, s_below[A], s_above[A])
        system = (Z[A].T * weight) @ Z[A]
        add_to_diagonal(system, 1.0)
        w = cholesky_solve(cholesky(system), Z[A].T @ (weight * y[A] * np.where(side[A] > 0, below, above)))
        g = y * (Z @ w)
        if np.array_equal(side, np.where(g < below, 1, np.where(g > above, -1, 0))):
            return w
    return None


def _newton_target(G: Array, y: Array, g: Array, below: float, above: float, s_below: Array, s_above: Array) -> Array:
    """The minimiser of the quadratic piece that g lies in."""
    low = g < below
    A = np.flatnonzero(low | (g > above))
    a = np.zeros(len(g))
    if len(A):
        low = low[A]
        system = G[A].take(A, axis=1)
        add_to_diagonal(system, 0.5 / np.where(low, s_below[A], s_above[A]))
        a[A] = y[A] * cholesky_solve(cholesky(system), y[A] * np.where(low, below, above))
    return a


def _line_search(a: Array, g: Array, da: Array, dg: Array, force: Callable[[Array], Array]) -> float:
    """The minimiser of P along da: its derivative there is piecewise linear and increasing."""

    def derivative(t: float) -> float:
        at = g + t * dg
        return float(dg @ (a + t * da) - dg @ force(at))

    at_start, at_end = derivative(0.0), derivative(1.0)
    enough = 1e-3 * abs(at_start)
    if at_start >= 0.0 or at_end <= enough:
        return 1.0
    return crossing(derivative, (0.0, at_start), (1.0, at_end), enough)


@njit(cache=True, nogil=True)
def coordinate_sweeps(
    G: Array, y: Array, a: Array, g: Array, below: float, above: float, s_below: Array, s_above: Array, sweeps: int
) -> None:
    """Minimise the dual over one a_i after the other, in place."""
    m = len(a)
    for _ in range(sweeps):
        for i in range(m):
            rest = g[i] - G[i, i] * a[i]
            if rest < below:
                target = (below - rest) / (G[i, i] + 0.5 / s_below[i])
            elif rest > above:
                target = (above - rest) / (G[i, i] + 0.5 / s_above[i])
            else:
                target = 0.0
            change = target - a[i]
            if change != 0.0:
                a[i] = target
                row, signed = G[i], change * y[i]
                for j in range(m):
                    g[j] += signed * row[j] * y[j]
