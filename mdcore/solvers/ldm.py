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
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import blas

from mdcore.solvers.box_qp import Certificate, solve_box_qp
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


def dual_matrix(G: Array, y: Array, p: Array, lambda1: float) -> Array:
    """H = (K^-1 + 4 lambda1 (diag(p) - pp'))^-1, for singular K too.

    With S = diag(4 lambda1 p)^(1/2) the diagonal part gives B = Y S^-1 T S^-1 Y, T = SGS (I + SGS)^-1, and the
    rank-one part H = B + 4 lambda1 (Bp)(Bp)' / (1 - 4 lambda1 p'Bp).
    """
    if lambda1 == 0.0:
        H = G * y
        H *= y[:, None]
        return H
    c = 4.0 * lambda1 * p
    T = _shrink(c[0] * G if c.min() == c.max() else G * np.sqrt(c) * np.sqrt(c)[:, None])
    scale = y / np.sqrt(c)
    Bp = scale * blas.dsymv(1.0, T, scale * p, lower=1)
    _finish_in_place(T, scale, Bp, 4.0 * lambda1 / (1.0 - 4.0 * lambda1 * float(p @ Bp)))
    return np.asarray(T.T)  # symmetric, and row-major this way


def _shrink(A: Array) -> Array:
    """The lower triangle of A (I + A)^-1 = I - (I + A)^-1, column-major; overwrites A."""
    small = np.linalg.norm(A) < 1e-3  # the difference would cancel: solve instead
    right = A.T.copy(order="F") if small else None
    add_to_diagonal(A, 1.0)
    L = cholesky(A)
    if right is not None:
        return cholesky_solve(L, right)
    T = cholesky_inverse(L)
    np.negative(T, out=T)
    add_to_diagonal(T, 1.0)
    return T


@njit(cache=True, nogil=True)
def _finish_in_place(T: Array, scale: Array, v: Array, factor: float) -> None:
    """T_ij <- scale_i scale_j T_ij + factor v_i v_j from the lower triangle to both, block by block for the cache."""
    m, block = len(v), 64
    for first in range(0, m, block):
        for second in range(0, first + 1, block):
            for j in range(second, min(second + block, m)):
                for i in range(max(first, j), min(first + block, m)):
                    value = scale[i] * scale[j] * T[i, j] + factor * v[i] * v[j]
                    T[i, j] = value
                    T[j, i] = value


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
    certificate = _hard_certificate(p, lambda2) if hard else _soft_certificate(p, lambda2, upper)
    if hard:
        require_separable(G * y * y[:, None])
    qp = solve_box_qp(H, q, upper, certificate=certificate, start=start, tol=tol, max_iter=max_iter)
    g = qp.gradient + 1.0
    u = qp.b + lambda2 * p - 4.0 * lambda1 * p * (g - p @ g)
    margins = y * (G @ (y * u))
    return LDMSolution(u, qp.b, margins, float(np.max(np.diagonal(H))), qp.gap, qp.n_iter, qp.converged)


def _soft_certificate(p: Array, lambda2: float, upper: Array) -> Certificate:
    """Duality gap sum_i C_i (1 - g_i)_+ - b_i (1 - g_i), beside the sum of the sizes of the primal terms."""

    def certificate(b: Array, gradient: Array) -> tuple[float, float]:
        g = gradient + 1.0
        loss = upper @ np.maximum(-gradient, 0.0)
        quadratic = 0.5 * abs((b + lambda2 * p) @ g)
        return float(loss + b @ gradient), float(loss + quadratic + lambda2 * abs(p @ g))

    return certificate


def _hard_certificate(p: Array, lambda2: float) -> Certificate:
    """Gap between the dual value and the primal value of w scaled up until its smallest margin is one."""

    def certificate(b: Array, gradient: Array) -> tuple[float, float]:
        g = gradient + 1.0
        quadratic = 0.5 * float((b + lambda2 * p) @ g)
        smallest = min(float(g.min()), 1.0)
        if smallest <= 0.0:
            return np.inf, 1.0
        reward = lambda2 * float(p @ g)
        primal = quadratic / smallest**2 - reward / smallest
        total = float(b.sum())
        return primal - (total - quadratic), quadratic + abs(reward) + total

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
