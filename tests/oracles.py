"""The papers' problems as they are stated, and steps by dense linear algebra; `tests/conic.py` solves the problems.

Nothing here depends on how mdcore solves the problems. A kernel matrix G (including the constant feature) is factored
as G = FF', so that row i of F is phi(x_i) in coordinates, w is a vector of the same length, and primals are as printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

Array = NDArray[np.float64]

# Samples


def sample(name: str) -> tuple[Array, Array]:
    """Return rows and -1/+1 labels of a small sample with one property that is difficult for solvers."""
    rng = np.random.default_rng(7)
    if name == "moons":
        X, y = make_moons(40, noise=0.35, random_state=0)
        return X, 2.0 * y - 1.0
    if name == "two rows":
        return np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, -1.0])
    if name == "separable":
        X = rng.normal(size=(30, 2))
        y = np.sign(X[:, 0] + X[:, 1] + 0.05)
        return X + 0.4 * y[:, None], y
    if name == "duplicated rows":  # the last two with both labels
        X, y = _noisy(rng, 20, 3)
        return np.r_[X, X, X[:2]], np.r_[y, y, -y[:2]]
    if name == "unbalanced":
        return rng.normal(size=(40, 3)), np.r_[np.ones(2), -np.ones(38)]
    if name == "unscaled":
        X, y = _noisy(rng, 40, 3)
        return X * [1e3, 1.0, 1.0], y
    return _noisy(rng, *{"one feature": (25, 1), "overlapping": (40, 5), "larger": (150, 4)}[name])


def _noisy(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Array]:
    X = rng.normal(size=(n, d))
    return X, np.sign(X[:, 0] + 0.8 * rng.normal(size=n))


# Rows


def with_bias(X: Array) -> Array:
    return np.column_stack([X, np.ones(len(X))])


def gram(X: Array, kernel: str) -> Array:
    return X @ X.T + 1.0 if kernel == "linear" else np.exp(-cdist(X, X, "sqeuclidean")) + 1.0


def weights(model: Any) -> Array:
    """Return the weights of a linear model, with that of the constant feature last."""
    return np.r_[model.coef_[0], model.intercept_]


def square_root(G: Array) -> Array:
    """Return F with FF' = G for a positive semi-definite G, without eigenvalues of the size of rounding errors.

    These would be additional features that separate duplicate rows.
    """
    values, vectors = np.linalg.eigh((G + G.T) / 2.0)
    kept = values > len(G) * np.finfo(float).eps * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


# Problems of two classes


@dataclass(frozen=True)
class LDMProblem:
    """LDM paper, Eq. (5); with lambda1 = lambda2 = 0, Eq. (2), the SVM. C = inf is the hard margin."""

    F: Array
    y: Array
    C: float
    lambda1: float = 0.0
    lambda2: float = 0.0

    def margins(self, w: Array) -> Array:
        return self.y * (self.F @ w)

    def value(self, w: Array) -> float:
        """Return the objective at w; for the hard margin, w is first scaled up until every margin is at least one."""
        if not np.isinf(self.C):
            return self._smooth(w) + self.C * float(np.maximum(1.0 - self.margins(w), 0.0).sum())
        smallest = self.margins(w).min()
        return self._smooth(w / min(smallest, 1.0)) if smallest > 0.0 else np.inf

    def lower_bound(self, multipliers: Array) -> float:
        """Return a lower bound on the Lagrangian (9) over w, for multipliers of the margin constraints.

        The Lagrangian is 1-strongly convex in w, so its minimum is at least its value at any w minus half the squared
        norm of the gradient there. The bound needs no exact minimiser.
        """
        m = len(self.y)
        beta = np.clip(multipliers, 0.0, self.C)
        Z = self.F * self.y[:, None]
        centred = Z - Z.mean(axis=0)
        Q = np.eye(self.F.shape[1]) + 4.0 * self.lambda1 / m * centred.T @ centred
        linear = Z.T @ (beta + self.lambda2 / m)
        w = np.linalg.solve(Q, linear)
        gradient = w + 4.0 * self.lambda1 / m * centred.T @ (centred @ w) - linear
        return self._smooth(w) + float(beta @ (1.0 - self.margins(w))) - 0.5 * float(gradient @ gradient)

    def _smooth(self, w: Array) -> float:
        """Return 1/2 w'w + lambda1 gamma_hat - lambda2 gamma_bar, Eqs. (3) and (4)."""
        g = self.margins(w)
        gamma_hat = 2.0 * float(np.mean((g - g.mean()) ** 2))
        return 0.5 * float(w @ w) + self.lambda1 * gamma_hat - self.lambda2 * float(g.mean())


@dataclass(frozen=True)
class ODMProblem:
    """1/2 ||w||^2 + lam/m sum (xi^2 + mu eps^2) / (1-theta)^2,  1-theta-xi_i <= y_i w.phi_i <= 1+theta+eps_i."""

    F: Array
    y: Array
    lam: float
    mu: float
    theta: float

    @property
    def price(self) -> float:
        return self.lam / len(self.y) / (1.0 - self.theta) ** 2

    def margins(self, w: Array) -> Array:
        return self.y * (self.F @ w)

    def value(self, w: Array) -> float:
        g = self.margins(w)
        xi, eps = np.maximum(1.0 - self.theta - g, 0.0), np.maximum(g - 1.0 - self.theta, 0.0)
        return float(0.5 * (w @ w) + self.price * (xi @ xi + self.mu * (eps @ eps)))

    def lower_bound(self, multipliers: Array) -> float:
        """Return the minimum of the Lagrangian over w, xi and eps; multipliers above the band are negative."""
        z, b = np.maximum(multipliers, 0.0), np.maximum(-multipliers, 0.0)
        w = self.F.T @ (self.y * multipliers)
        slack = (z @ z + b @ b / self.mu) / (4.0 * self.price)
        return float((1.0 - self.theta) * z.sum() - (1.0 + self.theta) * b.sum() - 0.5 * (w @ w) - slack)


Problem = LDMProblem | ODMProblem


@dataclass(frozen=True)
class LeaveOneOut:
    """The share of examples misclassified by the LDM (5) of all other examples."""

    F: Array
    y: Array
    C: float
    lambda1: float
    lambda2: float


@dataclass(frozen=True)
class KOMDProblem:
    """min (1 - lam) ||sum_i y_i g_i phi_i||^2 + lam ||g||^2, where g sums to one over each class."""

    F: Array
    y: Array
    lam: float


@dataclass(frozen=True)
class SVRProblem:
    """min 1/2 ||w||^2 + C sum max(|y_i - w.phi_i - b| - epsilon, 0)."""

    F: Array
    y: Array
    C: float
    epsilon: float
    bias: bool


@dataclass(frozen=True)
class FreeMarginProblem:
    """The largest margin y_i w.phi_i over ||w|| <= 1, negative where no w separates."""

    F: Array
    y: Array


# The p-norm family, PUMMA paper


def link(v: Array, r: float) -> Array:
    """Return f for r = q, and its inverse for r = p (Lemma 3), as printed."""
    norm = np.linalg.norm(v, ord=r)
    with np.errstate(divide="ignore"):
        return np.sign(v) * np.abs(v) ** (r - 1.0) / norm ** (r - 2.0) if norm > 0.0 else v


@dataclass(frozen=True)
class NormMarginProblem:
    """The largest p-norm margin of a hyperplane with bias, problem (1)."""

    X: Array
    y: Array
    p: float


@dataclass(frozen=True)
class RelaxedProblem:
    """The relaxed problem (3) after an update, whose solution is (w, b)."""

    x_pos: Array
    x_neg: Array
    w_old: Array
    p: float


# MSVM_Av, Algorithm 1, by a dense solve in every step


def msvmav_linear_step(X: Array, y: Array, w: Array, alpha: float, beta: float) -> Array:
    """Return the next w: Eqs. (4), (5), (9) with M_k computed from its definition, (10), and normalisation."""
    n, d = X.shape
    g = y * (X @ w)
    theta, A = g.mean(), g < g.mean()
    M = np.eye(d) + X[A].T @ X[A] / (n * beta)
    w = np.linalg.solve(M, theta / (n * beta) * (X[A].T @ y[A]) + w) + X.T @ y / (2.0 * alpha * n)
    return w / np.linalg.norm(w)


def msvmav_kernel_step(K: Array, y: Array, a: Array, alpha: float, beta: float) -> Array:
    """Return the next a of Section 4.2, with the mean margin of the previous a where the paper prints a'_k."""
    n = len(y)
    g = y * (K @ a)
    theta, A = g.mean(), g < g.mean()
    M = K[:, A] @ K[A] / (n * beta) + K + np.eye(n)
    a = np.linalg.solve(M, (K + np.eye(n)) @ a + theta / (n * beta) * (K[:, A] @ y[A])) + y / (2.0 * alpha * n)
    return a / np.sqrt(a @ K @ a)


def msvmav_linear(X: Array, y: Array, alpha: float, beta: float) -> Iterator[Array]:
    """Yield w_0 of Eq. (3), w_1, ..., each negated if its mean margin is negative (section 5)."""
    w = X.T @ y / np.linalg.norm(X.T @ y)
    while True:
        yield w
        w = msvmav_linear_step(X, y, w, alpha, beta)
        w = w if y @ X @ w >= 0.0 else -w


def msvmav_kernel(K: Array, y: Array, alpha: float, beta: float) -> Iterator[Array]:
    """Yield a_0, a_1, ..., each negated if its mean margin is negative."""
    a = y / np.sqrt(y @ K @ y)
    while True:
        yield a
        a = msvmav_kernel_step(K, y, a, alpha, beta)
        a = a if y @ K @ a >= 0.0 else -a


# Derivatives


def gradient(f: Callable[[Array], float], x: Array, h: float = 1e-6) -> Array:
    """Return the gradient by central differences."""
    return np.array([(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(len(x))])
