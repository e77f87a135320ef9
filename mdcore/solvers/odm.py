"""The optimal margin distribution machine as a piecewise quadratic problem in the margins.

With K = YGY, margins g = Ka and w = sum_i a_i y_i phi(x_i), for weights p_i that sum to one,

    P(a) = 1/2 a'Ka + sum_i s_i [(1 - theta - g_i)_+^2 + mu (g_i - 1 - theta)_+^2],   s_i = lam p_i / (1 - theta)^2 .

On the examples outside the band the optimum obeys (K + diag(1/(2 s_i))) a = t, with s_i multiplied by mu above the
band and t_i the nearer end of the band; all other a_i are zero. The 2m dual variables (z, b) of the paper thus reduce
to a = z - b. For small s_i, sweeps of coordinate descent in random order reach the solution. If they are too slow,
Newton's method with an exact line search takes over; it needs few factorisations, as the sweeps have found most of the
examples outside the band.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.certificate import EPS, DualPoint, Solution
from mdcore.solvers.compiled import compiled
from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_solve, crossing
from mdcore.solvers.losses import band
from mdcore.solvers.margin_newton import MarginProblem

TOGETHER = 4  # sweeps between two evaluations of the gap
FACTORS = 10  # Newton's method as a whole costs about one sweep per so many examples outside the band
SETTLED = 1e-4  # share of tol to which the sweeps go: a gap of 1e-8 still allows an error of 1e-4 in w
PATTERNS = 20
CANCELLED = 1e-8  # relative rounding error of ||w||^2 above which w is computed as explicit weights


@dataclass(frozen=True, eq=False)
class ODMProblem:
    """The band 1 ± theta, where the loss is zero, and the factors s_i of the loss below and above."""

    theta: float
    s_below: Array
    s_above: Array

    @property
    def below(self) -> float:
        return 1.0 - self.theta

    @property
    def above(self) -> float:
        return 1.0 + self.theta

    @classmethod
    def of(cls, weight: Array, *, lam: float, mu: float, theta: float) -> Self:
        """Return the problem with sample weights `weight`."""
        s = lam * (weight / weight.sum()) / (1.0 - theta) ** 2
        return cls(theta, s, mu * s)

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        return {
            "below the band": float(self.s_below @ np.maximum(self.below - g + blur, 0.0) ** 2),
            "above the band": float(self.s_above @ np.maximum(g + blur - self.above, 0.0) ** 2),
        }

    def dual_points(self, found: Solution, signs: Array, own: Array, reach: float | None) -> list[DualPoint]:
        conjugate, linear = self.conjugate(found.forces), self.above * float(np.abs(found.forces).sum())
        return [DualPoint(found.forces, conjugate, abs(conjugate) + 2.0 * linear, np.zeros(len(found.forces)))]

    def in_features(self) -> MarginProblem:
        """Return the problem for the solver in explicit features."""
        return MarginProblem(band(self.s_below, self.s_above, self.theta), self.s_below / self.s_below.sum())

    def price(self, g: Array) -> float:
        return sum(self.loss(g).values())

    def force(self, g: Array) -> Array:
        """Return minus the gradient of the loss with respect to the margins: a candidate for the dual z - b."""
        short, excess = np.maximum(self.below - g, 0.0), np.maximum(g - self.above, 0.0)
        return np.asarray(2.0 * (self.s_below * short - self.s_above * excess))

    def conjugate(self, a: Array) -> float:
        """Return the sum of z^2/(4 s) + b^2/(4 mu s) - (1 - theta) z + (1 + theta) b for a = z - b."""
        z, b = np.maximum(a, 0.0), np.maximum(-a, 0.0)
        quadratic = z @ (z / (4.0 * self.s_below)) + b @ (b / (4.0 * self.s_above))
        return float(quadratic - self.below * z.sum() + self.above * b.sum())

    def outside(self, g: Array) -> tuple[NDArray[np.intp], Array, Array]:
        """Return the examples outside the band, the end of the band nearer to each, and their factors of the loss."""
        A = np.flatnonzero((g < self.below) | (g > self.above))
        low = g[A] < self.below
        return A, np.where(low, self.below, self.above), np.where(low, self.s_below[A], self.s_above[A])


def solve_odm(
    problem: ODMProblem,
    G: Array,
    y: Array,
    *,
    root: Callable[[], Array],
    start: Array | None = None,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> Solution:
    """Minimise P, starting at `start` if given; `root()` returns Z with ZZ' = G.

    `root` is called only if ||w||^2 = a'Ka suffers from cancellation; the solution then has weights W of Z. The forces
    are zero inside the band.
    """
    goal = SETTLED * tol
    best, n_iter = _sweep(G, y, problem, np.zeros(len(y)) if start is None else start.copy(), goal), 1
    if best.gap > goal:
        best, n_iter = _newton(G, y, problem, best, tol, max_iter)
    size = np.abs(best.a)
    if EPS * (size @ (np.abs(G) @ size)) > CANCELLED * abs(best.a @ best.margins):
        best = _by_weights(root(), y, problem, best)
    return Solution(y * best.a, best.a, W=best.w, n_iter=n_iter, converged=bool(best.gap <= tol))


@dataclass(frozen=True, eq=False)
class _Point:
    a: Array
    margins: Array
    gap: float
    w: Array | None = None


def _margins(G: Array, y: Array, a: Array) -> Array:
    return np.asarray(y * (G @ (y * a)))


def _certified(a: Array, g: Array, problem: ODMProblem) -> _Point:
    """Return the point with its gap, (P(a) + the dual objective at the same a) / P(a)."""
    half = 0.5 * (a @ g)
    primal = half + problem.price(g)
    return _Point(a, g, float((primal + half + problem.conjugate(a)) / primal) if primal > 0.0 else 0.0)


def _sweep(G: Array, y: Array, problem: ODMProblem, a: Array, goal: float) -> _Point:
    """Run sweeps from a, in place, until the gap is `goal` or stops falling, or Newton's method is expected to be
    faster.

    The order is random because a fixed order would take many times as many sweeps.
    """
    prices = problem.below, problem.above, problem.s_below, problem.s_above
    g, before = _margins(G, y, a), np.inf
    for done in count(1):
        coordinate_sweeps(G, y, a, g, *prices, TOGETHER, done)
        gap = _certified(a, g, problem).gap
        if not goal < gap < before or over_budget():
            break
        to_come = np.log(gap / goal) / np.log(before / gap) if goal > 0.0 else np.inf
        if done > 1 and TOGETHER * (done + to_come) > np.count_nonzero(a) / FACTORS:
            break
        before = gap
    return _certified(a, _margins(G, y, a), problem)


def _newton(G: Array, y: Array, problem: ODMProblem, start: _Point, tol: float, max_iter: int) -> tuple[_Point, int]:
    """Return the best point found, and the number of steps, with the sweeps before counted as one."""
    best, a, g, n_iter = start, start.a, start.margins, 1
    # At least one step: the minimiser of the right piece determines w to the last digit.
    while (best.gap > tol or n_iter == 1) and n_iter < max_iter and not over_budget():
        n_iter += 1
        target = _newton_target(G, y, g, problem)
        toward = _margins(G, y, target)
        t = _line_search(a, g, target - a, toward - g, problem.force)
        before = g
        a, g = a + t * (target - a), g + t * (toward - g)
        settled = t == 1.0 and np.array_equal(np.sign(problem.force(g)), np.sign(problem.force(before)))
        candidate = target if settled else problem.force(g)
        found = _certified(candidate, toward if settled else _margins(G, y, candidate), problem)
        if found.gap < best.gap:
            best = found
        elif settled:
            break
    return best, n_iter


def _newton_target(G: Array, y: Array, g: Array, problem: ODMProblem) -> Array:
    """Return the minimiser of the quadratic piece that contains g."""
    A, end, s = problem.outside(g)
    a = np.zeros(len(g))
    if len(A):
        system = G[A].take(A, axis=1)
        add_to_diagonal(system, 0.5 / s)
        a[A] = y[A] * cholesky_solve(cholesky(system), y[A] * end)
    return a


def _by_weights(Z: Array, y: Array, problem: ODMProblem, best: _Point) -> _Point:
    """Return the same solution from explicit weights, or `best` itself if these are not found."""
    w = _weights_of_pattern(Z, y, best.margins, problem)
    if w is None:
        return best
    g = y * (Z @ w)
    a = problem.force(g)
    primal = 0.5 * (w @ w) + problem.price(g)
    dual = 0.5 * float(np.sum((Z.T @ (y * a)) ** 2)) + problem.conjugate(a)
    return _Point(a, g, float((primal + dual) / primal), w)


def _weights_of_pattern(Z: Array, y: Array, g: Array, problem: ODMProblem) -> Array | None:
    """Return w = (I + Z_A' 2S Z_A)^-1 Z_A' 2S Y t for the piece that contains g.

    Repeat with the margins of w until w lies in its own piece; return None if it does not.
    """
    for _ in range(PATTERNS):
        side = np.sign(problem.force(g))
        A, end, s = problem.outside(g)
        weight = 2.0 * s
        system = (Z[A].T * weight) @ Z[A]
        add_to_diagonal(system, 1.0)
        w = cholesky_solve(cholesky(system), Z[A].T @ (weight * y[A] * end))
        g = y * (Z @ w)
        if np.array_equal(side, np.sign(problem.force(g))):
            return w
    return None


def _line_search(a: Array, g: Array, da: Array, dg: Array, force: Callable[[Array], Array]) -> float:
    """Return a near-exact minimiser of P along da, where its derivative is piecewise linear and increasing."""

    def derivative(t: float) -> float:
        at = g + t * dg
        return float(dg @ (a + t * da) - dg @ force(at))

    at_start, at_end = derivative(0.0), derivative(1.0)
    enough = 1e-3 * abs(at_start)
    if at_start >= 0.0 or at_end <= enough:
        return 1.0
    return crossing(derivative, (0.0, at_start), (1.0, at_end), enough)


@compiled()
def coordinate_sweeps(
    G: Array,
    y: Array,
    a: Array,
    g: Array,
    below: float,
    above: float,
    s_below: Array,
    s_above: Array,
    sweeps: int,
    seed: int,
) -> None:
    """Minimise the dual over one a_i after another, in place, each sweep in another random order."""
    m = len(a)
    np.random.seed(seed)  # noqa: NPY002 - seeds only the generator of compiled code in this thread
    for _ in range(sweeps):
        for i in np.random.permutation(m):  # noqa: NPY002
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
