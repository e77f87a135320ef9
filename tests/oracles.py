"""The papers' problems solved by other means: a conic solver, dense linear algebra, real leave-one-out.

Nothing here knows how mdcore solves them. A kernel matrix G (constant feature included) is written G = F F', so row i
of F is phi(x_i) in coordinates, w is a vector of the same length and the primal is stated exactly as it is printed.

A conic solver's own accuracy varies with the problem, so its points are not believed but evaluated: `upper` is the
exact primal value of its w, `lower` a bound that holds for every w. Both rest on the objective's 1/2 ||w||^2 alone: a
1-strongly convex function nowhere falls below its value at w less half its squared gradient there.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CLARABEL = {
    "solver": cp.CLARABEL,
    "tol_gap_abs": 1e-12,
    "tol_gap_rel": 1e-12,
    "tol_feas": 1e-12,
    "max_iter": 200,
    "accept_unknown": True,
}


def square_root(G: Array) -> Array:
    """F with F F' = G for a positive semi-definite G; eigenvalues that rounding made negative are none."""
    values, vectors = np.linalg.eigh((G + G.T) / 2.0)
    kept = values > 0.0
    return vectors[:, kept] * np.sqrt(values[kept])


@dataclass(frozen=True)
class Optimum:
    """lower <= min <= upper; `w` attains `upper`."""

    lower: float
    upper: float
    w: Array


def _solve(objective: cp.Expression, constraints: list[cp.Constraint]) -> None:
    problem = cp.Problem(cp.Minimize(objective), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": its point is evaluated by us anyway
        problem.solve(**CLARABEL)


@dataclass(frozen=True)
class LDMProblem:
    """LDM paper, Eq. (5), and Eq. (2) inside it with lambda1 = lambda2 = 0; C = inf is the hard margin."""

    F: Array
    y: Array
    C: float
    lambda1: float = 0.0
    lambda2: float = 0.0

    def margins(self, w: Array) -> Array:
        return self.y * (self.F @ w)

    def smooth(self, w: Array) -> float:
        """1/2 w'w + lambda1 gamma_hat - lambda2 gamma_bar, with Eqs. (3) and (4)."""
        g, m = self.margins(w), len(self.y)
        centred = g - g.mean()
        gamma_hat = 2.0 / m * (centred @ centred)
        return float(0.5 * (w @ w) + self.lambda1 * gamma_hat - self.lambda2 * g.mean())

    def value(self, w: Array) -> float:
        g = self.margins(w)
        if np.isinf(self.C):
            return self.smooth(w / g.min()) if g.min() > 0.0 else np.inf
        return self.smooth(w) + self.C * float(np.maximum(1.0 - g, 0.0).sum())

    @cached_property
    def _hessian(self) -> Array:
        """Q of Eq. (8), in the coordinates of w."""
        m, X = len(self.y), self.F.T
        Xy = X @ self.y
        return np.eye(len(X)) + 4.0 * self.lambda1 / m**2 * (m * X @ X.T - np.outer(Xy, Xy))

    def lower_bound(self, multipliers: Array) -> float:
        """The least value of the Lagrangian (9) over w, for multipliers in [0, C] of the margin constraints."""
        beta = np.clip(multipliers, 0.0, self.C)
        linear = self.F.T @ (self.y * (beta + self.lambda2 / len(self.y)))
        w = np.linalg.solve(self._hessian, linear)
        w = w - np.linalg.solve(self._hessian, self._hessian @ w - linear)
        g = self.margins(w)
        centred = g - g.mean()
        gradient = w + self.F.T @ (self.y * (4.0 * self.lambda1 / len(g) * centred)) - linear
        return self.smooth(w) + float(beta @ (1.0 - g)) - 0.5 * float(gradient @ gradient)

    def solve(self) -> Optimum:
        m = len(self.y)
        size = np.sqrt(np.mean(np.sum(self.F**2, axis=1)))
        v = cp.Variable(self.F.shape[1])  # w = v / size, so that margins and v are of one magnitude
        g = cp.Variable(m)
        objective = 0.5 / size**2 * cp.sum_squares(v) - self.lambda2 * cp.sum(g) / m
        if self.lambda1:
            objective += self.lambda1 * 2.0 / m * cp.sum_squares(g - cp.sum(g) / m)
        constraints = [g == cp.multiply(self.y, (self.F / size) @ v)]
        if np.isinf(self.C):
            constraints.append(g >= 1.0)
        else:
            xi = cp.Variable(m)
            objective += self.C * cp.sum(xi)
            constraints += [g >= 1.0 - xi, xi >= 0.0]
        unit = max(1.0 / size**2, self.lambda1, self.lambda2, 0.0 if np.isinf(self.C) else self.C)
        _solve(objective / unit, constraints)
        w = v.value / size
        return Optimum(self.lower_bound(unit * np.asarray(constraints[1].dual_value)), self.value(w), w)


@dataclass(frozen=True)
class ODMProblem:
    """1/2 ||w||^2 + lam/m sum (xi^2 + mu eps^2) / (1-theta)^2,  1 - theta - xi <= y_i w.phi_i <= 1 + theta + eps."""

    F: Array
    y: Array
    lam: float
    mu: float
    theta: float

    def margins(self, w: Array) -> Array:
        return self.y * (self.F @ w)

    @property
    def price(self) -> float:
        return self.lam / len(self.y) / (1.0 - self.theta) ** 2

    def slacks(self, w: Array) -> tuple[Array, Array]:
        g = self.margins(w)
        return np.maximum(1.0 - self.theta - g, 0.0), np.maximum(g - 1.0 - self.theta, 0.0)

    def value(self, w: Array) -> float:
        xi, eps = self.slacks(w)
        return float(0.5 * (w @ w) + self.price * (xi @ xi + self.mu * (eps @ eps)))

    def lower_bound(self, w: Array) -> float:
        xi, eps = self.slacks(w)
        gradient = w + self.F.T @ (self.y * (2.0 * self.price * (self.mu * eps - xi)))
        return self.value(w) - 0.5 * float(gradient @ gradient)

    def solve(self) -> Optimum:
        m = len(self.y)
        size = np.sqrt(np.mean(np.sum(self.F**2, axis=1)))
        v, xi, eps = cp.Variable(self.F.shape[1]), cp.Variable(m), cp.Variable(m)
        g = cp.multiply(self.y, (self.F / size) @ v)
        objective = 0.5 / size**2 * cp.sum_squares(v) + self.price * (
            cp.sum_squares(xi) + self.mu * cp.sum_squares(eps)
        )
        unit = max(1.0 / size**2, self.price)
        _solve(objective / unit, [g >= 1.0 - self.theta - xi, g <= 1.0 + self.theta + eps])
        w = v.value / size
        return Optimum(self.lower_bound(w), self.value(w), w)


Problem = LDMProblem | ODMProblem
