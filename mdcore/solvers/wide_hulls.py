"""The nearest points of two convex hulls in explicit features: D unknowns for any number of rows.

    min_g (1 - lam) ||w||^2 + lam ||g||^2,   w = sum_i g_i y_i z_i,  g >= 0 with sum one over each class

For any w, a lower bound of the value is the minimum over g of 2 (1 - lam) <w, sum_i g_i y_i z_i> + lam ||g||^2, minus
(1 - lam) ||w||^2. The minimiser is a projection onto two simplices, and the bound is concave in w with the gradient
2 (1 - lam) (sum_i g_i y_i z_i - w). Newton's method finds a zero of the gradient, with systems that involve only rows
of nonzero weight. If lam is small, a proximal term ||g - held||^2, which shrinks from step to step, is added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.features import Features
from mdcore.solvers.hulls import LOST, NOTHING, HullSolution, gap_of
from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_solve, line_search

SMOOTH, SMOOTHEST = 1e-2, 1e-9  # first proximal factor, per row, and last, relative to the mean squared length of a row
NARROWER = 0.1
NEWTON_STEPS = 40
SETTLED = 0.1  # share of the gap, or of the tolerance, that an inexact step may contribute
PATIENCE = 5  # steps without halving the gap, after which the method ends


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights `g` with their `w`, its margins `s`, the value, and a bound on its excess over the minimum."""

    g: Array
    w: Array
    s: Array
    value: float
    excess: float


def nearest_in_features(
    Z: Features, y: Array, *, lam: float, start: Array | None, tol: float, max_iter: int
) -> HullSolution:
    """Solve the problem; the `gap` of the solution is relative to its value if that is not nearly zero."""
    problem = _Hulls(Z, y, lam)
    best = problem.at(problem.equal)
    least = max(NOTHING * best.value, LOST * problem.level)
    if start is not None:
        best = min(best, problem.at(problem.feasible(start)), key=lambda point: point.value)
    centre, mu, narrowest = best, SMOOTH * len(y) * problem.level, SMOOTHEST * problem.level
    n_iter = waited = 0

    def gap(point: _Point) -> float:
        return point.excess / max(point.value, least)

    while gap(best) > tol and n_iter < max_iter and waited < PATIENCE and not over_budget():
        n_iter += 1
        centre, solved = problem.step(centre, max(mu - lam, 0.0), SETTLED * tol * least)
        waited = waited + 1 if mu <= max(lam, narrowest) and gap(centre) >= 0.5 * gap(best) else 0
        best = min(best, centre, key=gap)
        if not solved and mu > lam:  # rounding errors of margins count relative to mu
            centre, narrowest = best, mu / NARROWER
        mu = max(NARROWER * mu, narrowest)
    return HullSolution(best.g, gap(best), n_iter, gap(best) <= tol)


class _Hulls:
    def __init__(self, Z: Features, y: Array, lam: float) -> None:
        self.Z, self.y, self.lam, self.share = Z, y, lam, 1.0 - lam
        self.classes = [np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)]
        self.equal = np.empty(len(y))
        for rows in self.classes:
            self.equal[rows] = 1.0 / len(rows)
        self.level = self.share * float(Z.squares.mean()) + lam or 1.0

    def feasible(self, g: Array) -> Array:
        found = np.maximum(g, 0.0)
        for rows in self.classes:
            total = found[rows].sum()
            found[rows] = found[rows] / total if total > 0.0 else self.equal[rows]
        return found

    def at(self, g: Array) -> _Point:
        w = self.Z.pull(self.y * g)
        s = self.y * self.Z.scores(w)
        value = self.share * float(w @ w) + self.lam * float(g @ g)
        return _Point(g, w, s, value, gap_of(value, self.share * s + self.lam * g, self.y))

    def step(self, centre: _Point, rho: float, enough: float) -> tuple[_Point, bool]:
        """Return the solution of the problem plus rho ||g - centre||^2, and whether it is accurate enough."""
        mu, held = self.lam + rho, rho * centre.g
        w, s = centre.w, centre.s
        g = self.weights_for(s, held, mu)
        for _ in range(NEWTON_STEPS):
            now = self.at(g)
            slope = self.share * now.s + mu * g - held
            solved = gap_of(float(g @ slope), slope, self.y) <= max(SETTLED * now.excess, enough)
            if solved or over_budget():
                return now, solved
            gradient = w - now.w
            direction = -cholesky_solve(cholesky(self.curvature(g, mu)), gradient)
            ds = self.y * self.Z.scores(direction)

            def derivative(t: float, w: Array = w, s: Array = s, d: Array = direction, ds: Array = ds) -> float:
                return float((w + t * d) @ d) - float(self.weights_for(s + t * ds, held, mu) @ ds)

            t = line_search(derivative, float(gradient @ direction))
            w, s = w + t * direction, s + t * ds
            g = self.weights_for(s, held, mu)
        return self.at(g), False

    def weights_for(self, s: Array, held: Array, mu: float) -> Array:
        """Return the g that minimises mu ||g||^2 - 2 <held, g> + 2 share <s, g>.

        It is the projection of (held - share s) / mu onto two simplices.
        """
        g = np.empty(len(s))
        for rows in self.classes:
            g[rows] = _on_simplex((held[rows] - self.share * s[rows]) / mu)
        return g

    def curvature(self, g: Array, mu: float) -> Array:
        """Return I + share/mu times the sum over both classes of the scatter of the rows with nonzero weight."""
        total = np.zeros((self.Z.width, self.Z.width))
        for rows in self.classes:
            used = rows[g[rows] > 0.0]
            ones = np.ones(len(used))
            total += self.share / mu * self.Z.scatter(ones, ones, used)
        add_to_diagonal(total, 1.0)
        return total


def _on_simplex(x: Array) -> Array:
    """Return the point nearest to x with entries >= 0 that sum to one."""
    descending = np.sort(x)[::-1]
    level = (np.cumsum(descending) - 1.0) / np.arange(1, len(x) + 1)
    last = int(np.flatnonzero(descending > level)[-1])
    found = np.maximum(x - level[last], 0.0)
    return np.asarray(found / found.sum())
