"""The problems of the tests solved by cvxpy with Clarabel, each as its paper states it.

The accuracy of a conic solver varies, so its solution is evaluated where this is possible: the solutions of
`LDMProblem` and `ODMProblem` are bounds from below and above.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from tests.class_oracles import Block, CrammerSingerProblem, MCODMProblem
from tests.oracles import (
    FreeMarginProblem,
    KOMDProblem,
    LDMProblem,
    LeaveOneOut,
    NormMarginProblem,
    ODMProblem,
    RelaxedProblem,
    SVRProblem,
    link,
)

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


def minimise(objective: cp.Expression, constraints: list[cp.Constraint]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the test judges the solution anyway
        return float(cp.Problem(cp.Minimize(objective), constraints).solve(**CLARABEL))


@singledispatch
def solve(problem: Any) -> Any:
    """Return the optimum of a problem, or bounds on it, or else, for a relaxed problem, its solution."""
    raise NotImplementedError(type(problem).__name__)


# Two classes


def ldm_weights(problem: LDMProblem) -> tuple[Array, Array]:
    """Return w and the multipliers of the margin constraints."""
    m, w = len(problem.y), cp.Variable(problem.F.shape[1])
    g = cp.multiply(problem.y, problem.F @ w)
    objective = 0.5 * cp.sum_squares(w) - problem.lambda2 * cp.sum(g) / m
    if problem.lambda1:
        objective += cp.sum_squares(np.sqrt(2.0 * problem.lambda1 / m) * (g - cp.sum(g) / m))
    if np.isinf(problem.C):
        constraints = [g >= 1.0]
    else:
        xi = cp.Variable(m)
        objective += problem.C * cp.sum(xi)
        constraints = [g >= 1.0 - xi, xi >= 0.0]
    minimise(objective, constraints)
    return w.value, np.asarray(constraints[0].dual_value)


@solve.register
def _(problem: LDMProblem) -> list[float]:
    w, multipliers = ldm_weights(problem)
    return [problem.lower_bound(multipliers), problem.value(w)]


@solve.register
def _(problem: LeaveOneOut) -> float:
    wrong = 0
    for i in range(len(problem.y)):
        others = np.arange(len(problem.y)) != i
        part = LDMProblem(problem.F[others], problem.y[others], problem.C, problem.lambda1, problem.lambda2)
        wrong += bool(problem.y[i] * (problem.F[i] @ ldm_weights(part)[0]) <= 0.0)
    return wrong / len(problem.y)


@solve.register
def _(problem: ODMProblem) -> list[float]:
    """Scale slacks so that each costs its square, whatever lam, mu and theta are."""
    m, w = len(problem.y), cp.Variable(problem.F.shape[1])
    xi, eps = cp.Variable(m), cp.Variable(m)
    g = cp.multiply(problem.y, problem.F @ w)
    constraints = [
        g >= 1.0 - problem.theta - xi / np.sqrt(problem.price),
        g <= 1.0 + problem.theta + eps / np.sqrt(problem.price * problem.mu),
    ]
    minimise(0.5 * cp.sum_squares(w) + cp.sum_squares(xi) + cp.sum_squares(eps), constraints)
    below, above = (np.asarray(constraint.dual_value) for constraint in constraints)
    return [problem.lower_bound(below - above), problem.value(w.value)]


@solve.register
def _(problem: SVRProblem) -> float:
    w, b = cp.Variable(problem.F.shape[1]), cp.Variable() if problem.bias else 0.0
    outside = cp.pos(cp.abs(problem.y - problem.F @ w - b) - problem.epsilon)
    return minimise(0.5 * cp.sum_squares(w) + problem.C * cp.sum(outside), [])


@solve.register
def _(problem: KOMDProblem) -> float:
    y, lam, g = problem.y, problem.lam, cp.Variable(len(problem.y))
    apart = cp.sum_squares(problem.F.T @ cp.multiply(y, g))
    simplices = [g >= 0.0, cp.sum(g[y > 0]) == 1.0, cp.sum(g[y < 0]) == 1.0]
    return minimise((1.0 - lam) * apart + lam * cp.sum_squares(g), simplices)


@solve.register
def _(problem: FreeMarginProblem) -> float:
    w, margin = cp.Variable(problem.F.shape[1]), cp.Variable()
    return -minimise(-margin, [cp.multiply(problem.y, problem.F @ w) >= margin, cp.norm(w) <= 1.0])


# The p-norm family


def _least_q_norm(d: int, p: float, constraints: Callable[[cp.Variable, cp.Variable], list[cp.Constraint]]) -> Array:
    """Return (w, b) with the smallest ||w||_q, from |w_i| <= r_i^(1/q) t^(1-1/q), sum r_i = t = ||w||_q."""
    w, b, t, r = cp.Variable(d), cp.Variable(), cp.Variable(), cp.Variable(d)
    norm = [cp.norm(w, 2) <= t] if p == 2.0 else [cp.PowCone3D(r, t * np.ones(d), w, 1.0 - 1.0 / p), cp.sum(r) == t]
    minimise(t, [*norm, *constraints(w, b)])
    return np.r_[w.value, b.value]


@solve.register
def _(problem: NormMarginProblem) -> float:
    X, y, p = problem.X, problem.y, problem.p
    w = _least_q_norm(X.shape[1], p, lambda w, b: [cp.multiply(y, X @ w + b) >= 1.0])
    return float((y * (X @ w[:-1] + w[-1])).min() / np.linalg.norm(w[:-1], ord=1.0 / (1.0 - 1.0 / p)))


@solve.register
def _(problem: RelaxedProblem) -> Array:
    """Return (w, b).

    Large coordinates make the solver inaccurate, and the problem does not depend on origin and unit.
    """
    x_pos, x_neg, w_old, p = problem.x_pos, problem.x_neg, problem.w_old, problem.p
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


# Several classes


@solve.register
def _(problem: MCODMProblem) -> float:
    F, y, theta = problem.F, problem.y, problem.theta
    m, k = len(y), int(y.max()) + 1
    W, xi, eps = cp.Variable((F.shape[1], k)), cp.Variable(m), cp.Variable(m)
    price = problem.lam / m / (1.0 - theta) ** 2
    scores = F @ W
    own = cp.sum(cp.multiply(scores, np.eye(k)[y]), axis=1)
    above = problem.M if problem.runner is None else cp.sum(cp.multiply(scores, np.eye(k)[problem.runner]), axis=1)
    constraints = [own - above <= 1.0 + theta + eps / np.sqrt(price * problem.mu)]
    for l in range(k):
        rows = np.flatnonzero(y != l)
        constraints.append(own[rows] - scores[rows, l] >= 1.0 - theta - xi[rows] / np.sqrt(price))
    return minimise(0.5 * cp.sum_squares(W) + cp.sum_squares(xi) + cp.sum_squares(eps), constraints)


@solve.register
def _(problem: CrammerSingerProblem) -> float:
    F, y = problem.F, problem.y
    m, k = len(y), int(y.max()) + 1
    W, xi = cp.Variable((F.shape[1], k)), cp.Variable(m)
    scores, hot = F @ W, np.eye(k)[y]
    own = cp.sum(cp.multiply(scores, hot), axis=1)
    constraints = [xi >= 1.0 - hot[:, l] - own + scores[:, l] for l in range(k)]
    return minimise(0.5 * cp.sum_squares(W) + problem.C * cp.sum(xi), constraints)


@solve.register
def _(problem: Block) -> float:
    k = len(problem.B)
    alpha, beta = cp.Variable(k), cp.Variable(nonneg=True)
    others = [l for l in range(k) if l != problem.y]
    pair = cp.hstack([alpha[problem.y], beta])
    cross = np.array([[problem.D, -problem.A], [-problem.A, problem.E]])
    objective = 0.5 * problem.A * cp.sum_squares(alpha[others]) + problem.B @ alpha + problem.F * beta
    objective += 0.5 * cp.quad_form(pair, cp.psd_wrap(cross))
    return minimise(objective, [cp.sum(alpha) == 0, *(alpha[l] <= 0 for l in others)])
