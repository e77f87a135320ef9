"""Problems of several classes as their papers state them, and samples; `tests/oracles.py` has those of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.oracles import Array, square_root


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
    """mcODM paper, Eq. (1), whose W has a column for each class.

    Its convex problems fix part of the second constraint: the excess is over M_i, as in Eq. (2) of the paper, or over
    the score of a class.
    """

    F: Array
    y: NDArray[np.intp]
    lam: float
    mu: float
    theta: float
    M: Array | None = None
    runner: NDArray[np.intp] | None = None

    def rivals(self, W: Array) -> Array:
        """Return w_l.phi_i, without the examples' own classes."""
        scores = self.F @ W
        scores[np.arange(len(self.y)), self.y] = -np.inf
        return scores

    def value(self, W: Array) -> float:
        scores, rows = self.F @ W, np.arange(len(self.y))
        own, rival = scores[rows, self.y], self.rivals(W).max(axis=1)
        above = scores[rows, self.runner] if self.runner is not None else rival if self.M is None else self.M
        xi, eps = np.maximum(1.0 - self.theta - own + rival, 0.0), np.maximum(own - above - 1.0 - self.theta, 0.0)
        price = self.lam / len(self.y) / (1.0 - self.theta) ** 2
        return float(0.5 * np.sum(W**2) + price * (xi @ xi + self.mu * (eps @ eps)))


@dataclass(frozen=True)
class CrammerSingerProblem:
    """min 1/2 sum ||w_l||^2 + C sum max_l (1 - [l = y_i] - (w_{y_i} - w_l).phi_i)."""

    F: Array
    y: NDArray[np.intp]
    C: float


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
