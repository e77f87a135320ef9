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

from mdcore.solvers.box_qp import Certificate, Index, QPSolution, continue_box_qp, solve_box_qp
from mdcore.solvers.linalg import (
    add_to_diagonal,
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    energy_norm,
    solve_lower,
    symmetric_product,
)

Array = NDArray[np.float64]

CANCELS = 1e-3  # entries of SGS below which I - (I + SGS)^-1 has lost too many digits
NEGLIGIBLE = 1e-13  # share of the objective's quadratic part
SEPARABLE = 1e-7  # a hard margin below this share of the data's radius is none, at working precision


class NotSeparable(ValueError):
    """A hard margin was asked for and no hyperplane separates the classes."""


@dataclass(frozen=True)
class LDMSolution:
    """`u`: w = sum_i u_i y_i phi(x_i); `b`: the dual variables."""

    u: Array
    b: Array
    gap: float
    n_iter: int
    converged: bool


def dual_matrix(G: Array, y: Array, p: Array, lambda1: float) -> Array:
    """H = (K^-1 + 4 lambda1 (diag(p) - pp'))^-1, for singular K too.

    With S = diag(4 lambda1 p)^(1/2) the diagonal part gives B = Y S^-1 T S^-1 Y, T = SGS (I + SGS)^-1, and the
    rank-one part H = B + 4 lambda1 (Bp)(Bp)' / (1 - 4 lambda1 p'Bp). For s = Yp^(1/2) that denominator is
    1 - s'Ts = s'(I + SGS)^-1 s, which does not cancel.
    """
    if lambda1 == 0.0:
        H = G * y
        H *= y[:, None]
        return H
    c = 4.0 * lambda1 * p
    T, left = _shrink(_scaled(G, c), y * np.sqrt(p))
    scale = y / np.sqrt(c)
    Bp = scale * blas.dsymv(1.0, T, scale * p, lower=1)
    _finish_in_place(T, scale, Bp, _rank_one_part(lambda1, left))
    return np.asarray(T.T)  # symmetric, and row-major this way


def _rank_one_part(lambda1: float, left: float) -> float:
    """4 lambda1 / (1 - 4 lambda1 p'Bp)."""
    if left <= 0.0:
        raise ValueError("lambda1 is so large that nothing is left of ||w|| beside the variance; reduce it.")
    return 4.0 * lambda1 / left


def _scaled(G: Array, c: Array) -> Array:
    """SGS for S = diag(c)^(1/2)."""
    return c[0] * G if c.min() == c.max() else G * np.sqrt(c) * np.sqrt(c)[:, None]


class FactoredDual:
    """dual_matrix(G, y, p, lambda1) for lambda1 > 0, without the inverse that costs most of it.

    With LL' = I + SGS the diagonal part is B = Y G S (LL')^-1 S^-1 Y, and a block of it Y S^-1 (I - WW') S^-1 Y for
    columns of L^-1 in the rows of W. Where SGS is small the block loses digits, which the products, that do not, give
    back. The coordinates `last` come last in L, where their columns are those of the inverse of a small triangle: those
    whose blocks will be asked for. `Hp` is the product with p.
    """

    def __init__(self, G: Array, y: Array, p: Array, lambda1: float, last: Index) -> None:
        m = len(y)
        self._G, self._y, self._s = G, y, np.sqrt(4.0 * lambda1 * p)
        self._order = np.concatenate([np.delete(np.arange(m), last), last])
        self._place = np.empty(m, dtype=np.intp)  # of each coordinate in that order
        self._place[self._order] = np.arange(m)
        A = np.empty((m, m))
        _identity_plus_scaled(G, self._s, self._order, A)
        self._L = cholesky(A)
        self._columns, self._row = np.empty((0, m)), np.full(m, -1)
        self._keep_columns(last, m - len(last))
        solved = self._solve(p)  # (I + SGS)^-1 s / (2 lambda1^(1/2)) for s = Yp^(1/2)
        self._v = self._multiply(solved)
        self._factor = _rank_one_part(lambda1, 2.0 * np.sqrt(lambda1) * float(y * np.sqrt(p) @ solved))
        self.Hp = (1.0 + self._factor * float(self._v @ p)) * self._v

    def __matmul__(self, vector: Array) -> Array:
        return self._bend(vector) + self._factor * float(self._v @ vector) * self._v

    def block(self, F: Index) -> Array:
        self._keep_columns(F[self._row[F] < 0], 0)
        first = self._place[F].min(initial=len(self._y))  # a column of L^-1 is zero above its diagonal
        W = self._columns[self._row[F], first:]
        scale = self._y[F] / self._s[F]
        block = -(W @ W.T)
        add_to_diagonal(block, 1.0)
        block *= scale
        block *= scale[:, None]
        block += np.outer(self._factor * self._v[F], self._v[F])
        return np.asarray(block)

    def _keep_columns(self, F: Index, first: int) -> None:
        """Columns of L^-1 for coordinates at `first` or behind, kept in rows: a free coordinate mostly stays one."""
        if not len(F):
            return
        unit = np.zeros((len(F), len(self._y) - first))
        unit[np.arange(len(F)), self._place[F] - first] = 1.0
        columns = np.zeros((len(F), len(self._y)))
        columns[:, first:] = solve_lower(self._L[first:, first:], unit.T).T
        self._row[F] = len(self._columns) + np.arange(len(F))
        self._columns = np.concatenate([self._columns, columns])

    def _bend(self, vector: Array) -> Array:
        """B times a vector."""
        return self._multiply(self._solve(vector))

    def _solve(self, vector: Array) -> Array:
        return cholesky_solve(self._L, (self._y * vector / self._s)[self._order])[self._place]

    def _multiply(self, solved: Array) -> Array:
        return np.asarray(self._y * symmetric_product(self._G, self._s * solved))


@njit(cache=True, nogil=True)
def _identity_plus_scaled(G: Array, s: Array, order: Index, A: Array) -> None:
    """A <- I + SGS for S = diag(s), its rows and columns in that order. Whole rows: twice as fast as half of each."""
    ordered = s[order]
    for i in range(len(order)):
        row, scale, out = G[order[i]], ordered[i], A[i]
        for j in range(len(order)):
            out[j] = scale * ordered[j] * row[order[j]]
        out[i] += 1.0


def _shrink(A: Array, s: Array) -> tuple[Array, float]:
    """The lower triangle of A (I + A)^-1 = I - (I + A)^-1, column-major, and s'(I + A)^-1 s; overwrites A."""
    cancels = np.diagonal(A).max() < CANCELS  # then solve instead, three times as slow
    right = A.T.copy(order="F") if cancels else None
    add_to_diagonal(A, 1.0)
    L = cholesky(A)
    left = float(s @ cholesky_solve(L, s))
    if right is not None:
        return cholesky_solve(L, right), left
    T = cholesky_inverse(L)
    np.negative(T, out=T)
    add_to_diagonal(T, 1.0)
    return T, left


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
    q = lambda2 * (H @ p) - 1.0
    if np.isinf(upper).any():
        require_separable(G * y * y[:, None])
    certificate = _certificate(p, lambda2, upper)
    qp = solve_box_qp(H, q, upper, certificate=certificate, start=start, tol=tol, max_iter=max_iter)
    return _primal(p, lambda1, lambda2, qp)


def continue_ldm(
    H: FactoredDual,
    *,
    lambda1: float,
    lambda2: float,
    upper: Array,
    p: Array,
    start: Array,
    tol: float,
) -> LDMSolution | None:
    """Solve from the dual variables of a problem nearby; None where they are too far away to do without H."""
    q = lambda2 * H.Hp - 1.0
    qp = continue_box_qp(H, q, upper, start, certificate=_certificate(p, lambda2, upper), tol=tol)
    return None if qp is None else _primal(p, lambda1, lambda2, qp)


def _primal(p: Array, lambda1: float, lambda2: float, qp: QPSolution) -> LDMSolution:
    g = qp.gradient + 1.0
    u = qp.b + lambda2 * p - 4.0 * lambda1 * p * (g - p @ g)
    return LDMSolution(u, qp.b, qp.gap, qp.n_iter, qp.converged)


def relative_gap(
    u: Array,
    b: Array,
    g: Array,
    H: Array | FactoredDual,
    lengths: Array,
    blur: Array,
    *,
    lambda1: float,
    lambda2: float,
    upper: Array,
    p: Array,
) -> float:
    """Duality gap of w = sum_i u_i y_i phi(x_i), whose margins g were computed from w up to `blur`, and of b.

    The solver's own takes its margins from H, and does not see what rounding in H makes of w. The Lagrangian of b has
    the gradient sum_i r_i y_i phi(x_i) at w, r = u - b - lambda2 p + Dg, and its minimum, the dual value, is r'Hr / 2
    below its value there: H counts for a term that is zero but for rounding. Mostly the `lengths` ||phi(x_i)|| show
    that it is, r'Hr <= ||sum_i r_i y_i phi(x_i)||^2, and spare the product.
    """
    mean = float(p @ g)
    r = u - b - lambda2 * p + 4.0 * lambda1 * p * (g - mean)
    quadratic = 0.5 * float(u @ g) + 2.0 * lambda1 * float(p @ (g - mean) ** 2)
    residual = float(np.abs(r) @ lengths)
    most = residual * residual  # inf where a power would not return
    below = 0.5 * (most if most <= NEGLIGIBLE * quadratic else float(r @ (H @ r)))
    reward = lambda2 * mean
    dual = quadratic - reward + float(b @ (1.0 - g)) - below
    if np.isinf(upper).any():  # w is scaled up until its smallest margin is one
        smallest = min(float((g - blur).min()), 1.0)
        if smallest <= 0.0:
            return np.inf
        primal, scale = quadratic / smallest**2 - reward / smallest, quadratic + abs(reward) + float(b.sum())
    else:
        loss = float(upper @ np.maximum(1.0 - g + blur, 0.0))
        primal = quadratic - lambda2 * float(p @ (g - blur)) + loss
        scale = quadratic + abs(reward) + loss
    return max(primal - dual, 0.0) / scale if scale > 0.0 else 0.0


def _certificate(p: Array, lambda2: float, upper: Array) -> Certificate:
    hard = bool(np.isinf(upper).any())
    return _hard_certificate(p, lambda2) if hard else _soft_certificate(p, lambda2, upper)


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
