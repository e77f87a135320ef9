"""Independent solutions of the papers' problems: a conic solver, dense linear algebra, explicit leave-one-out.

Nothing here depends on how mdcore solves the problems. A kernel matrix G (including the constant feature) is factored
as G = FF', so that row i of F is phi(x_i) in coordinates, w is a vector of the same length, and primals are as printed.

The accuracy of a conic solver varies, so its solution is evaluated, not trusted: `upper` is the primal value of its w,
`lower` the minimum of the Lagrangian at its multipliers, a lower bound for every w.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

Array = NDArray[np.float64]

CLARABEL = {
    "solver": cp.CLARABEL,
    "tol_gap_abs": 1e-12,
    "tol_gap_rel": 1e-12,
    "tol_feas": 1e-12,
    "max_iter": 200,
    "static_regularization_constant": 1e-14,  # the default of 1e-8 affects the sixth digit
    "iterative_refinement_max_iter": 50,
    "accept_unknown": True,
}


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


# The conic solver


def square_root(G: Array) -> Array:
    """Return F with FF' = G for a positive semi-definite G, without eigenvalues of the size of rounding errors.

    These would be additional features that separate duplicate rows.
    """
    values, vectors = np.linalg.eigh((G + G.T) / 2.0)
    kept = values > len(G) * np.finfo(float).eps * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


@dataclass(frozen=True)
class Optimum:
    """Bounds lower <= min <= upper; `w` attains `upper`."""

    lower: float
    upper: float
    w: Array


def minimise(objective: cp.Expression, constraints: list[cp.Constraint]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the caller evaluates the solution anyway
        cp.Problem(cp.Minimize(objective), constraints).solve(**CLARABEL)


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

    def solve(self) -> Optimum:
        m, w = len(self.y), cp.Variable(self.F.shape[1])
        g = cp.multiply(self.y, self.F @ w)
        objective = 0.5 * cp.sum_squares(w) - self.lambda2 * cp.sum(g) / m
        if self.lambda1:
            objective += cp.sum_squares(np.sqrt(2.0 * self.lambda1 / m) * (g - cp.sum(g) / m))
        if np.isinf(self.C):
            constraints = [g >= 1.0]
        else:
            xi = cp.Variable(m)
            objective += self.C * cp.sum(xi)
            constraints = [g >= 1.0 - xi, xi >= 0.0]
        minimise(objective, constraints)
        return Optimum(self.lower_bound(np.asarray(constraints[0].dual_value)), self.value(w.value), w.value)

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

    def solve(self) -> Optimum:
        """Return the optimum, with slacks scaled so that each costs its square, whatever lam, mu and theta are."""
        m, w = len(self.y), cp.Variable(self.F.shape[1])
        xi, eps = cp.Variable(m), cp.Variable(m)
        g = cp.multiply(self.y, self.F @ w)
        constraints = [
            g >= 1.0 - self.theta - xi / np.sqrt(self.price),
            g <= 1.0 + self.theta + eps / np.sqrt(self.price * self.mu),
        ]
        minimise(0.5 * cp.sum_squares(w) + cp.sum_squares(xi) + cp.sum_squares(eps), constraints)
        below, above = (np.asarray(constraint.dual_value) for constraint in constraints)
        return Optimum(self.lower_bound(below - above), self.value(w.value), w.value)


Problem = LDMProblem | ODMProblem


def leave_one_out_error(F: Array, y: Array, **parameters: float) -> float:
    """Return the share of examples misclassified by the LDM (5) of all other examples."""
    wrong = 0
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        w = LDMProblem(F[others], y[others], **parameters).solve().w
        wrong += bool(y[i] * (F[i] @ w) <= 0.0)
    return wrong / len(y)


# The p-norm family, PUMMA paper


def link(v: Array, r: float) -> Array:
    """Return f for r = q, and its inverse for r = p (Lemma 3), as printed."""
    norm = np.linalg.norm(v, ord=r)
    with np.errstate(divide="ignore"):
        return np.sign(v) * np.abs(v) ** (r - 1.0) / norm ** (r - 2.0) if norm > 0.0 else v


def _least_q_norm(d: int, p: float, constraints: Callable[[cp.Variable, cp.Variable], list[cp.Constraint]]) -> Array:
    """Return (w, b) with the smallest ||w||_q, from |w_i| <= r_i^(1/q) t^(1-1/q), sum r_i = t = ||w||_q."""
    w, b, t, r = cp.Variable(d), cp.Variable(), cp.Variable(), cp.Variable(d)
    norm = [cp.norm(w, 2) <= t] if p == 2.0 else [cp.PowCone3D(r, t * np.ones(d), w, 1.0 - 1.0 / p), cp.sum(r) == t]
    minimise(t, [*norm, *constraints(w, b)])
    return np.r_[w.value, b.value]


def largest_margin(X: Array, y: Array, p: float) -> float:
    """Return the largest p-norm margin of a hyperplane with bias, problem (1)."""
    w = _least_q_norm(X.shape[1], p, lambda w, b: [cp.multiply(y, X @ w + b) >= 1.0])
    return float((y * (X @ w[:-1] + w[-1])).min() / np.linalg.norm(w[:-1], ord=1.0 / (1.0 - 1.0 / p)))


def relaxed_hyperplane(x_pos: Array, x_neg: Array, w_old: Array, p: float) -> Array:
    """Return (w, b) of the relaxed problem (3), with the middle of the pair as origin and its distance as unit.

    Large coordinates make the solver inaccurate, and the problem does not depend on origin and unit.
    """
    theta = link(w_old, 1.0 / (1.0 - 1.0 / p))
    size = float(np.linalg.norm(theta, ord=p))
    middle, unit = (x_pos + x_neg) / 2.0, float(np.linalg.norm(x_pos - x_neg, ord=p))
    pair = (x_pos - middle) / unit, (x_neg - middle) / unit
    old = size * unit  # ||w_old||_q in the new unit
    solution = _least_q_norm(
        len(w_old),
        p,
        lambda w, b: [
            w @ pair[0] + b >= 1.0,
            w @ pair[1] + b <= -1.0,
            *([w @ (theta / size) >= old] if old > 0.0 else []),
        ],
    )
    w = solution[:-1] / unit
    return np.r_[w, solution[-1] - w @ middle]


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
