"""The dual of the large margin distribution machine (Zhang & Zhou 2014, Eq. 12) and of the SVM inside it.

With K = YGY, margins g = Ku and w = sum_i u_i y_i phi(x_i), the primal is, for weights p_i of the examples that sum to
one (1/m each without sample weights),

    1/2 u'Ku + lambda1 * 2 (sum_i p_i g_i^2 - (p'g)^2) - lambda2 p'g + sum_i C_i (1 - g_i)_+ .

Write D = 4 lambda1 (diag(p) - pp') and H = (K^-1 + D)^-1, computed without inverting K. The dual is

    min_b 1/2 b'Hb + (lambda2 Hp - e)'b,  0 <= b <= C,   margins g = H(b + lambda2 p),   u = b + lambda2 p - Dg.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.box_qp import Certificate, box_certificate, solve_box_qp
from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_inverse, cholesky_solve, energy_norm

Array = NDArray[np.float64]

SEPARABLE = 1e-7  # a hard margin below this share of the data's radius is none, at working precision


class NotSeparable(ValueError):
    """A hard margin was asked for and no hyperplane separates the classes."""


@dataclass(frozen=True)
class LDMSolution:
    """`u`: w = sum_i u_i y_i phi(x_i); `b`: the dual variables; `h`: the largest diagonal entry of H (Theorem 3)."""

    u: Array
    b: Array
    margins: Array
    h: float
    gap: float
    n_iter: int
    converged: bool


def shrunk_gram(G: Array, c: float) -> Array:
    """A = G (I + cG)^-1 = (I - (I + cG)^-1) / c, for singular G too."""
    system = np.asfortranarray(c * G)
    add_to_diagonal(system, 1.0)
    L = cholesky(system)
    if c * np.abs(G).sum(axis=1).mean() < 1e-3:  # the difference would cancel: solve instead
        A = cholesky_solve(L, np.asfortranarray(G))
        return (A + A.T) / 2.0
    A = cholesky_inverse(L)
    A *= -1.0 / c
    add_to_diagonal(A, 1.0 / c)
    return A


def dual_matrix(G: Array, y: Array, p: Array, lambda1: float) -> Array:
    """H = (K^-1 + 4 lambda1 (diag(p) - pp'))^-1: a shrunk Gram matrix and one rank-one update."""
    if lambda1 == 0.0:
        H = G * y
        H *= y[:, None]
        return H
    c = 4.0 * lambda1 * p
    if c.max() == c.min():
        H = shrunk_gram(G, c[0])
    else:
        root = np.sqrt(c)
        H = shrunk_gram(G * root * root[:, None], 1.0) / (root * root[:, None])
    H *= y
    H *= y[:, None]
    Hp = H @ p
    H += np.outer(Hp, (4.0 * lambda1 / (1.0 - 4.0 * lambda1 * (p @ Hp))) * Hp)
    return H


def solve_ldm(
    G: Array,
    y: Array,
    H: Array,
    *,
    lambda1: float,
    lambda2: float,
    upper: Array,
    p: Array,
    start: Array | None = None,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> LDMSolution:
    """Solve for given H = dual_matrix(...); `upper` is C per example, infinite for the hard margin."""
    shift = lambda2 * (H @ p)
    q = shift - 1.0
    hard = bool(np.isinf(upper).any())
    certificate = _hard_certificate(H, p, lambda2, shift) if hard else box_certificate(upper, q)
    if hard:
        require_separable(G * y * y[:, None])
    qp = solve_box_qp(H, q, upper, certificate=certificate, start=start, tol=tol, max_iter=max_iter)
    g = qp.gradient + 1.0
    u = qp.b + lambda2 * p - 4.0 * lambda1 * p * (g - p @ g)
    margins = y * (G @ (y * u))
    return LDMSolution(u, qp.b, margins, float(np.max(np.diagonal(H))), qp.gap, qp.n_iter, qp.converged)


def _hard_certificate(H: Array, p: Array, lambda2: float, shift: Array) -> Certificate:
    """Gap between the dual value and the primal value of w scaled until its smallest margin is one."""

    def certificate(b: Array, gradient: Array) -> tuple[float, float]:
        g = gradient + 1.0
        v = b + lambda2 * p
        quadratic = 0.5 * (v @ g)
        smallest = g.min()
        if smallest <= 0.0:
            return np.inf, 1.0
        reward = lambda2 * (p @ g)
        primal = quadratic / smallest**2 - reward / smallest
        return primal - (b.sum() - quadratic), quadratic + abs(reward) + b.sum()

    return certificate


def require_separable(K: Array) -> None:
    """Raise NotSeparable where the convex hulls of the classes meet, at working precision; K = YGY.

    The soft margin problem with a growing C ends in one of two certificates: a w with positive margins, or a convex
    combination b / e'b of the signed examples of (nearly) zero length, whose length no margin can exceed.
    """
    m = len(K)
    q = -np.ones(m)
    radius = np.sqrt(np.max(np.diagonal(K)))
    C, start = 10.0 / radius**2 if radius > 0.0 else 1.0, None
    for _ in range(40):
        qp = solve_box_qp(K, q, np.full(m, C), start=start, tol=1e-9)
        if qp.gradient.min() > -1.0 + 1e-9:
            return
        length = energy_norm(qp.b, qp.gradient - q) / qp.b.sum()
        if length <= SEPARABLE * radius:
            break
        C, start = 8.0 * C, qp.b
    raise NotSeparable(
        "C = inf asks for a hard margin, and no hyperplane separates the two classes with this kernel: choose a "
        "finite C, or a kernel that bends more (a larger gamma)."
    )
