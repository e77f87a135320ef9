"""Independent solutions of problems with several classes, and samples; `tests/oracles.py` has those with two."""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from tests.oracles import Array, ODMProblem, minimise, square_root


def multiclass_sample(name: str) -> tuple[Array, NDArray[np.intp]]:
    """Return rows and labels 0, 1, ... of a small sample of several classes."""
    rng = np.random.default_rng(11)
    if name == "three far apart":
        y = np.repeat(np.arange(3), 12)
        return rng.normal(size=(36, 2)) + 5.0 * np.array([[0, 0], [1, 0], [0, 1]])[y], y
    if name == "five overlapping":
        y = np.repeat(np.arange(5), [12, 8, 10, 3, 7])
        return rng.normal(size=(40, 3)) + rng.normal(size=(5, 3))[y], y
    if name == "duplicated rows":
        X, y = multiclass_sample("four on a line")
        return np.r_[X, X, X[:4]], np.r_[y, y, (y[:4] + 1) % 4]
    y = np.repeat(np.arange(4), 7)
    return (y + 0.4 * rng.normal(size=28))[:, None], y


@dataclass(frozen=True)
class MCODMProblem:
    """mcODM paper, Eq. (1), and the convex problems that fix part of its second constraint; W has a column a class."""

    F: Array
    y: NDArray[np.intp]
    lam: float
    mu: float
    theta: float

    def rivals(self, W: Array) -> Array:
        """Return w_l.phi_i, without the examples' own classes."""
        scores = self.F @ W
        scores[np.arange(len(self.y)), self.y] = -np.inf
        return scores

    def margins(self, W: Array) -> Array:
        return np.sum((self.F @ W) * np.eye(W.shape[1])[self.y], axis=1) - self.rivals(W).max(axis=1)

    def value(self, W: Array) -> float:
        return ODMProblem(self.margins(W)[:, None], np.ones(len(self.y)), self.lam, self.mu, self.theta).value(
            np.ones(1)
        ) + 0.5 * (float(np.sum(W**2)) - 1.0)

    def least(self, *, M: Array | None = None, runner: NDArray[np.intp] | None = None) -> tuple[float, Array]:
        """Return the minimum of Eq. (2), with the excess over M_i (the paper) or over the score of a class."""
        m, k = len(self.y), int(self.y.max()) + 1
        W, xi, eps = cp.Variable((self.F.shape[1], k)), cp.Variable(m), cp.Variable(m)
        price = self.lam / m / (1.0 - self.theta) ** 2
        scores = self.F @ W
        own = cp.sum(cp.multiply(scores, np.eye(k)[self.y]), axis=1)
        above = M if runner is None else cp.sum(cp.multiply(scores, np.eye(k)[runner]), axis=1)
        constraints = [own - above <= 1.0 + self.theta + eps / np.sqrt(price * self.mu)]
        for l in range(k):
            rows = np.flatnonzero(self.y != l)
            constraints.append(own[rows] - scores[rows, l] >= 1.0 - self.theta - xi[rows] / np.sqrt(price))
        objective = 0.5 * cp.sum_squares(W) + cp.sum_squares(xi) + cp.sum_squares(eps)
        minimise(objective, constraints)
        return float(objective.value), W.value


def crammer_singer(F: Array, y: NDArray[np.intp], C: float) -> tuple[float, Array]:
    """Return min 1/2 sum ||w_l||^2 + C sum max_l (1 - [l = y_i] - (w_{y_i} - w_l).phi_i), and its W."""
    m, k = len(y), int(y.max()) + 1
    W, xi = cp.Variable((F.shape[1], k)), cp.Variable(m)
    scores, hot = F @ W, np.eye(k)[y]
    own = cp.sum(cp.multiply(scores, hot), axis=1)
    constraints = [xi >= 1.0 - hot[:, l] - own + scores[:, l] for l in range(k)]
    objective = 0.5 * cp.sum_squares(W) + C * cp.sum(xi)
    minimise(objective, constraints)
    return float(objective.value), W.value


@dataclass(frozen=True)
class Block:
    """The problem of the k + 1 variables of one example, Eq. (6)."""

    A: float
    B: Array
    y: int
    D: float
    E: float
    F: float

    def value(self, alpha: Array, beta: float) -> float:
        others = np.arange(len(self.B)) != self.y
        top = alpha[self.y]
        return float(
            0.5 * self.A * np.sum(alpha[others] ** 2)
            + self.B @ alpha
            + 0.5 * self.D * top**2
            - self.A * top * beta
            + 0.5 * self.E * beta**2
            + self.F * beta
        )

    def solve(self) -> float:
        """Return the minimum, computed by the conic solver."""
        k = len(self.B)
        alpha, beta = cp.Variable(k), cp.Variable(nonneg=True)
        others = [l for l in range(k) if l != self.y]
        pair = cp.hstack([alpha[self.y], beta])
        cross = np.array([[self.D, -self.A], [-self.A, self.E]])
        objective = 0.5 * self.A * cp.sum_squares(alpha[others]) + self.B @ alpha + self.F * beta
        objective += 0.5 * cp.quad_form(pair, cp.psd_wrap(cross))
        minimise(objective, [cp.sum(alpha) == 0, *(alpha[l] <= 0 for l in others)])
        return float(objective.value)

    def as_printed(self) -> tuple[Array, float]:
        """Return the result of Algorithm 2 as printed, which does not divide nu by its denominator after the loops."""
        A, B, y, D, E, F = self.A, self.B, self.y, self.D, self.E, self.F
        others = np.arange(len(B)) != y
        falling = np.sort(B[others])[::-1]

        def loop(nu: float, share: float) -> float:
            i = 0
            while i < len(falling) and nu / (i + share) < falling[i]:
                nu, i = nu + falling[i], i + 1
            return nu

        nu = loop(A * B[y] / D, A / D)
        alpha, beta = np.minimum(0.0, (nu - B) / A), 0.0
        if nu <= B[y] + D * F / A:
            alpha[y] = (nu - B[y]) / D
        else:
            det = D * E - A * A
            nu = loop((A * E * B[y] + A * A * F) / det, A * E / det)
            alpha = np.minimum(0.0, (nu - B) / A)
            alpha[y] = (E * nu - A * F - E * B[y]) / det
            beta = (A * alpha[y] - F) / E
        return alpha, beta


# In coordinates


def features(X, kernel):
    """Return phi(x_i) in coordinates, including the constant feature."""
    if kernel == "linear":
        return np.column_stack([X, np.ones(len(X))])
    return square_root(np.exp(-np.sum((X[:, None] - X[None]) ** 2, axis=2)) + 1.0)


def weights(model, F):
    """Return W in these coordinates."""
    return np.c_[model.coef_, model.intercept_].T if model.kernel == "linear" else F.T @ model.dual_coef_


def close(f, g, share=1e-5):
    np.testing.assert_allclose(f, g, rtol=0.0, atol=share * np.abs(g).max())
