"""The dual of the large margin distribution machine (Zhang & Zhou 2014, Eq. 12) and of its special case, the SVM.

With K = YGY, margins g = Ku, w = sum_i u_i y_i phi(x_i), and weights p_i of the examples that sum to one (1/m each
without sample weights), the primal is

    1/2 u'Ku + lambda1 * 2 (sum_i p_i g_i^2 - (p'g)^2) - lambda2 p'g + sum_i C_i (1 - g_i)_+ .

Write D = 4 lambda1 (diag(p) - pp') and H = (K^-1 + D)^-1, computed without inverting K. The dual is

    min_b 1/2 b'Hb + (lambda2 Hp - e)'b,  0 <= b <= C,   margins g = H(b + lambda2 p),   u = b + lambda2 p - Dg.

A form of the dual that does not need H: for any b within its bounds and any h, with v = b + lambda2 p - Dh, the value
e'b - 1/2 h'Dh - 1/2 v'Kv is at most the minimum of the primal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import blas

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.box_qp import Certificate, QPSolution, continue_box_qp, solve_box_qp
from mdcore.solvers.certificate import DualPoint, Solution
from mdcore.solvers.compiled import compiled
from mdcore.solvers.linalg import (
    add_to_diagonal,
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    solve_lower,
    symmetric_product,
)
from mdcore.solvers.losses import hinge
from mdcore.solvers.margin_newton import MarginProblem
from mdcore.solvers.working_set import Columns, solve_by_columns

CANCELS = 1e-3  # if no diagonal entry of SGS reaches this, I - (I + SGS)^-1 loses too many digits
HARD_TOL = 1e-6


@dataclass(frozen=True, eq=False)
class LDMProblem:
    """The problem for one sample; `upper` holds C_i, infinite for the hard margin, and p sums to one."""

    lambda1: float
    lambda2: float
    upper: Array
    p: Array

    @classmethod
    def of(cls, weight: Array, *, C: float, lambda1: float = 0.0, lambda2: float = 0.0) -> Self:
        """Return the problem with sample weights `weight`."""
        return cls(lambda1, lambda2, C * weight, weight / weight.sum())

    @property
    def is_hard(self) -> bool:
        return bool(np.isinf(self.upper).any())

    @property
    def is_svm(self) -> bool:
        """Whether this is the SVM with finite C, whose solver needs only columns of the Gram matrix."""
        return self.lambda1 == self.lambda2 == 0.0 and not self.is_hard

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        mean = float(self.p @ g)
        deviation = float(np.sqrt(self.p @ (g - mean) ** 2)) + float(np.sqrt(self.p @ (blur * np.ones_like(g)) ** 2))
        return {
            "λ₁ · 2 variance": 2.0 * self.lambda1 * deviation * deviation,  # overflows to inf; ** would raise
            "−λ₂ · mean": -self.lambda2 * (mean - float(self.p @ (blur * np.ones_like(g)))),
            "C · hinge loss": self.hinge_cost(g - blur),
        }

    def hinge_cost(self, g: Array) -> float:
        """Return sum_i C_i (1 - g_i)_+; for the hard margin 0 if every margin is at least 1 - 1e-6, else inf."""
        if self.is_hard:
            return 0.0 if g.min() >= 1.0 - HARD_TOL else np.inf
        return float(self.upper @ np.maximum(1.0 - g, 0.0))

    def dual_point(self, b: Array, h: Array) -> DualPoint:
        steep, middle, total = 4.0 * self.lambda1 * self.p, float(self.p @ h), float(b.sum())
        spread = 2.0 * self.lambda1 * float(self.p @ (h - middle) ** 2)
        held = b + self.lambda2 * self.p
        sizes = held + steep * (np.abs(h) + float(self.p @ np.abs(h)))
        return DualPoint(held - steep * (h - middle), spread - total, spread + total, sizes)

    def dual_points(self, found: Solution, signs: Array, own: Array, reach: float | None) -> list[DualPoint]:
        """Return a dual point for the model's margins, which rounding may have changed, and one for the solver's."""
        assert found.g is not None
        return [self.dual_point(found.forces, own), self.dual_point(found.forces, found.g)]

    def in_features(self) -> MarginProblem:
        """Return the problem, with finite C, for the solver in explicit features."""
        return MarginProblem(hinge(self.upper), self.p, self.lambda1, self.lambda2)


def dual_matrix(G: Array, y: Array, p: Array, lambda1: float) -> Array:
    """Return H = (K^-1 + 4 lambda1 (diag(p) - pp'))^-1, also for singular K.

    With S = diag(4 lambda1 p)^(1/2) the diagonal part gives B = Y S^-1 T S^-1 Y, T = SGS (I + SGS)^-1, and the
    rank-one part gives H = B + 4 lambda1 (Bp)(Bp)' / (1 - 4 lambda1 p'Bp). For s = Yp^(1/2) the denominator is
    1 - s'Ts = s'(I + SGS)^-1 s, which is computed without cancellation.
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
    return np.asarray(T.T)  # T is symmetric and column-major, so its transpose is row-major


def _rank_one_part(lambda1: float, left: float) -> float:
    """Return 4 lambda1 / (1 - 4 lambda1 p'Bp), given the denominator `left`."""
    if left <= 0.0:
        raise ValueError("λ₁ is too large: ‖w‖² is lost to rounding beside the variance. Reduce λ₁.")
    return 4.0 * lambda1 / left


def _scaled(G: Array, c: Array) -> Array:
    """Return SGS for S = diag(c)^(1/2)."""
    return c[0] * G if c.min() == c.max() else G * np.sqrt(c) * np.sqrt(c)[:, None]


class FactoredDual:
    """dual_matrix(G, y, p, lambda1) for lambda1 > 0 in factored form, without the inverse, its most expensive part.

    With LL' = I + SGS the diagonal part is B = Y G S (LL')^-1 S^-1 Y. A diagonal block of B is Y S^-1 (I - WW') S^-1 Y
    restricted to the block, where the rows of W are the block's columns of L^-1. If SGS is small, blocks lose digits to
    cancellation; products with vectors do not, and iterative refinement with them restores the accuracy.

    `last` are the coordinates whose blocks will be requested: they are ordered last in L, so that their columns of L^-1
    come from a small triangle. `Hp` is the product of the matrix with p.
    """

    def __init__(self, G: Array, y: Array, p: Array, lambda1: float, last: Index) -> None:
        m = len(y)
        self._G, self.y, self._s = G, y, np.sqrt(4.0 * lambda1 * p)
        self._order = np.concatenate([np.delete(np.arange(m), last), last])
        self._place = np.empty(m, dtype=np.intp)  # position of each coordinate in the order
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
        first = self._place[F].min(initial=len(self.y))  # a column of L^-1 is zero above its diagonal
        W = self._columns[self._row[F], first:]
        scale = self.y[F] / self._s[F]
        block = -(W @ W.T)
        add_to_diagonal(block, 1.0)
        block *= scale
        block *= scale[:, None]
        block += np.outer(self._factor * self._v[F], self._v[F])
        return np.asarray(block)

    def _keep_columns(self, F: Index, first: int) -> None:
        """Compute the columns of L^-1 for coordinates F, which stand at position `first` or later in the order.

        They are stored as rows and kept, because a free coordinate usually stays free.
        """
        if not len(F):
            return
        unit = np.zeros((len(F), len(self.y) - first))
        unit[np.arange(len(F)), self._place[F] - first] = 1.0
        columns = np.zeros((len(F), len(self.y)))
        columns[:, first:] = solve_lower(self._L[first:, first:], unit.T).T
        self._row[F] = len(self._columns) + np.arange(len(F))
        self._columns = np.concatenate([self._columns, columns])

    def _bend(self, vector: Array) -> Array:
        """Return B @ vector."""
        return self._multiply(self._solve(vector))

    def _solve(self, vector: Array) -> Array:
        return cholesky_solve(self._L, (self.y * vector / self._s)[self._order])[self._place]

    def _multiply(self, solved: Array) -> Array:
        return np.asarray(self.y * symmetric_product(self._G, self._s * solved))


@compiled()
def _identity_plus_scaled(G: Array, s: Array, order: Index, A: Array) -> None:
    """A <- I + SGS for S = diag(s), rows and columns in `order`. Whole rows are twice as fast as half of each row."""
    ordered = s[order]
    for i in range(len(order)):
        row, scale, out = G[order[i]], ordered[i], A[i]
        for j in range(len(order)):
            out[j] = scale * ordered[j] * row[order[j]]
        out[i] += 1.0


def _shrink(A: Array, s: Array) -> tuple[Array, float]:
    """Return the lower triangle of A (I + A)^-1 = I - (I + A)^-1, column-major, and s'(I + A)^-1 s; overwrite A."""
    cancels = np.diagonal(A).max() < CANCELS  # if so, solve with right side A: three times as slow
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


@compiled()
def _finish_in_place(T: Array, scale: Array, v: Array, factor: float) -> None:
    """T_ij <- scale_i scale_j T_ij + factor v_i v_j, from the lower triangle into both, in blocks for the cache."""
    m, block = len(v), 64
    for first in range(0, m, block):
        for second in range(0, first + 1, block):
            for j in range(second, min(second + block, m)):
                for i in range(max(first, j), min(first + block, m)):
                    value = scale[i] * scale[j] * T[i, j] + factor * v[i] * v[j]
                    T[i, j] = value
                    T[j, i] = value


def solve_ldm(
    problem: LDMProblem, H: Array, y: Array, *, start: Array | None = None, tol: float = 1e-9, max_iter: int = 100
) -> Solution:
    """Solve the problem, given H = dual_matrix(...); `start` holds initial dual variables."""
    q = problem.lambda2 * (H @ problem.p) - 1.0
    qp = solve_box_qp(H, q, problem.upper, certificate=_certificate(problem), start=start, tol=tol, max_iter=max_iter)
    return _primal(problem, y, qp)


def solve_hinge(
    problem: LDMProblem, columns: Columns, y: Array, *, start: Array | None, tol: float, max_iter: int
) -> Solution:
    """Solve the SVM (lambda1 = lambda2 = 0) from columns of the Gram matrix."""
    certificate = _certificate(problem)
    qp = solve_by_columns(columns, y, problem.upper, certificate=certificate, start=start, tol=tol, max_iter=max_iter)
    return _primal(problem, y, qp)


def continue_ldm(problem: LDMProblem, H: FactoredDual, *, start: Array, tol: float) -> Solution | None:
    """Solve from the dual variables of a similar problem; return None if active-set corrections do not suffice."""
    q = problem.lambda2 * H.Hp - 1.0
    qp = continue_box_qp(H, q, problem.upper, start, certificate=_certificate(problem), tol=tol)
    return None if qp is None else _primal(problem, H.y, qp)


def _primal(problem: LDMProblem, y: Array, qp: QPSolution) -> Solution:
    g = qp.gradient + 1.0
    return Solution(y * problem.dual_point(qp.b, g).v, qp.b, g, n_iter=qp.n_iter, converged=qp.converged)


def _certificate(problem: LDMProblem) -> Certificate:
    p, lambda2 = problem.p, problem.lambda2
    return _hard_certificate(p, lambda2) if problem.is_hard else _soft_certificate(p, lambda2, problem.upper)


def _soft_certificate(p: Array, lambda2: float, upper: Array) -> Certificate:
    """Return a certificate: the duality gap sum_i C_i (1 - g_i)_+ - b_i (1 - g_i), and the summed absolute primal terms
    as its scale."""

    def certificate(b: Array, gradient: Array) -> tuple[float, float]:
        g = gradient + 1.0
        loss = upper @ np.maximum(-gradient, 0.0)
        quadratic = 0.5 * abs((b + lambda2 * p) @ g)
        return float(loss + b @ gradient), float(loss + quadratic + lambda2 * abs(p @ g))

    return certificate


def _hard_certificate(p: Array, lambda2: float) -> Certificate:
    """Return a certificate: the gap between the dual value and the primal value of w scaled up to a least margin of
    one."""

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
