"""min_{w,b} 1/2 ||w||^2 + 1/2 sum_i (y_i - f_i)^2 / r_i, f_i = <w, x_i> + b: regularised least squares.

r_i is 1/C, or 1/(C s_i) for an example with weight s_i. With w = sum_i a_i x_i, R = diag(r) and Q the Gram matrix of
the x_i, the dual is max_a y'a - 1/2 a'(Q + R)a subject to e'a = 0, and its solution obeys (Q + R)a + be = y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import DualPoint, Solution
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.losses import squares
from mdcore.solvers.margin_newton import MarginProblem

MOST_STEPS, INNER = 30, 1e-10  # of conjugate gradients, and their smallest relative residual
INNER_SINGLE = 1e-4  # the same with a factor in single precision
WELL_CONDITIONED = 1e6  # largest trace of K, relative to the shift, for which single precision is tried
REFINEMENTS = 6
DIRECTION, LAST_DIGITS = 1e-7, 1e-13  # tolerated error of w relative to w, or relative to y, as rounding allows no less
SETTLED = 1e-8  # tolerated error relative to the solution's length; that of the objective is its square


@dataclass(frozen=True, eq=False)
class SquaresProblem:
    """The loss (1 - g_i)^2 / (2 r_i) of every margin."""

    r: Array

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        return {"C/2 · squared deviations": 0.5 * float(np.sum((np.abs(1.0 - g) + blur) ** 2 / self.r))}

    def dual_point(self, u: Array, y: Array, reach: float | None) -> DualPoint:
        """Return the dual point for coefficients u of the y_i x_i.

        A free bias, of absolute value at most `reach`, requires y'u = 0; without one `reach` is None.
        """
        if reach is not None:
            u = u - y * float(y @ u) / len(u)
        imbalance = 0.0 if reach is None else abs(float(y @ u)) * reach
        squares = 0.5 * float(np.sum(self.r * u**2))
        summed = squares + float(np.abs(u).sum()) + imbalance
        return DualPoint(u, squares - float(u.sum()) + imbalance, summed, np.zeros(len(u)))

    def dual_points(self, found: Solution, signs: Array, own: Array, reach: float | None) -> list[DualPoint]:
        return [self.dual_point(found.forces, signs, reach)]

    def in_features(self) -> MarginProblem:
        """Return the problem for the solver in explicit features."""
        price = 1.0 / self.r
        return MarginProblem(squares(0.5 * price), price / price.sum())

    def best_offset(self, y: Array, g: Array) -> float:
        """Return the bias that minimises the loss, given the margins g without a bias."""
        return float(np.average(y * (1.0 - g), weights=1.0 / self.r))


def solve_by_cholesky(Q: Array, y: Array, r: Array, *, bias: bool) -> tuple[Array, float]:
    """Return a and b, from one factorisation of Q + R and one step of refinement."""
    system = Q.copy()
    add_to_diagonal(system, r)
    L = cholesky(system)
    right = np.column_stack([np.ones(len(y)), y])
    eta_nu = cholesky_solve(L, right)
    eta_nu += cholesky_solve(L, right - Q @ eta_nu - r[:, None] * eta_nu)
    eta, nu = eta_nu.T
    if not bias:
        return nu, 0.0
    b = float(nu.sum() / eta.sum())
    a = nu - b * eta
    return a - a.mean(), b


def solve_in_kernel_values(values: Array, U: Any, y: Array, r: float, *, bias: bool) -> tuple[Array, Array, float]:
    """Return w, a and b if the features of x_i are row i of K = U diag(values) U', so that Q = K^2.

    K^2 is never formed, as it would lose half of the digits. Another r costs only a few products with U. U may omit the
    eigenvectors with eigenvalue zero.
    """
    shrink = 1.0 / (values**2 + r)
    sides = np.column_stack([np.ones(len(y)), y])
    seen = U.T @ sides
    whole = U.shape[1] == len(y)
    beyond = np.zeros_like(sides) if whole else (sides - U @ seen) / r  # component in the null space of K
    ones, targets = seen.T
    along, across = (float(ones @ (shrink * part) + rest.sum()) for part, rest in zip(seen.T, beyond.T, strict=True))
    b = across / along if bias else 0.0
    residual = targets - b * ones
    a = U @ (shrink * residual) + beyond[:, 1] - b * beyond[:, 0]
    return U @ (values * shrink * residual), a - a.mean() if bias else a, b


def solve_by_shifted_factor(K: Array, y: Array, r: float, *, bias: bool) -> tuple[Array, Array, float] | None:
    """Return the same as `solve_in_kernel_values`, given K, from a Cholesky factor instead of the eigenvalues.

    With s = r^(1/2) the real part of z = (K - isI)^-1 y is K(K^2 + rI)^-1 y, and its imaginary part s(K^2 + rI)^-1 y.
    The factor is in single precision if refinement makes up for it. Return None if rounding prevents a solution.
    """
    shift = float(np.sqrt(r))
    single = np.trace(K) <= WELL_CONDITIONED * shift
    found = _refined(K, y, shift, np.float32, INNER_SINGLE, bias=bias) if single else None
    return found or _refined(K, y, shift, np.float64, INNER, bias=bias)


def _refined(
    K: Array, y: Array, shift: float, precision: type, inner: float, *, bias: bool
) -> tuple[Array, Array, float] | None:
    system: NDArray[Any] = (K / shift).astype(precision)
    add_to_diagonal(system, 1.0)
    try:
        L = cholesky(system)
    except NotPositiveDefinite:
        return None

    def shrink(V: Array) -> Array:
        return cholesky_solve(L, V)

    right = np.column_stack([np.ones(len(y)), y])
    z, left, enough = np.zeros_like(right, dtype=np.complex128), right.astype(np.complex128), inner
    for _ in range(REFINEMENTS):
        z += _shifted_inverse(shrink, left, shift, enough)
        products = K @ np.hstack([z.real, z.imag])  # both at once: reading K dominates the time
        left = right - (products[:, :2] + 1j * products[:, 2:]) + 1j * shift * z
        ones, targets = z.T
        b = float(targets.imag.sum() / ones.imag.sum()) if bias else 0.0
        found = targets - b * ones
        # The objective is y'a / 2, to which a residual u adds at most u'u / 2r.
        u = left[:, 1] - b * left[:, 0]
        far = float(np.linalg.norm(u)) / float(SETTLED * np.sqrt(shift * abs(y @ found.imag)))
        # The error of w is checked too: w is small compared with sa where K is small compared with s.
        least = max(DIRECTION * shift * float(np.linalg.norm(found.real)), LAST_DIGITS * float(np.linalg.norm(y)))
        far = max(far, float(np.linalg.norm(u.imag)) / least)
        if far <= 1.0:
            a = found.imag / shift
            return np.ascontiguousarray(found.real), a - a.mean() if bias else a, b
        enough = max(0.1 / far, inner)
    return None


def _shifted_inverse(
    shrink: Callable[[Array], Array], left: NDArray[np.complex128], shift: float, enough: float
) -> NDArray[np.complex128]:
    """Return (K - isI)^-1 left = (K + isI)(K^2 + s^2 I)^-1 left.

    For T = s(K + sI)^-1 and N = (I - 2T + 2T^2)^-1, T^2 N / s^2 is (K^2 + s^2 I)^-1, and (T - T^2) N / s is K times it.
    """
    k = left.shape[1]
    parts = np.asfortranarray(np.hstack([left.real, left.imag]) if left.imag.any() else left.real)
    once, twice = _balanced_inverse(shrink, parts, enough)
    plain, before = twice / shift, (once - twice) / shift
    if parts.shape[1] == k:
        return np.asarray(before + 1j * plain)
    return np.asarray(before[:, :k] - plain[:, k:] + 1j * (plain[:, :k] + before[:, k:]))


def _balanced_inverse(shrink: Callable[[Array], Array], B: Array, enough: float) -> tuple[Array, Array]:
    """Return TX and T^2 X for the solution of (I - 2T + 2T^2) X = B, by conjugate gradients on each column.

    For any K the eigenvalues of the matrix are between a half and one, and most of them are near one.
    """
    left, way = B.copy(order="F"), B.copy(order="F")
    once, twice = np.zeros_like(B), np.zeros_like(B)
    square = np.einsum("ij,ij->j", left, left)
    goal = enough**2 * square
    for _ in range(MOST_STEPS):
        shrunk = shrink(way)
        again = shrink(shrunk)
        bent = way - 2.0 * (shrunk - again)
        step = _ratio(square, np.einsum("ij,ij->j", way, bent))
        once += step * shrunk
        twice += step * again
        left -= step * bent
        before, square = square, np.einsum("ij,ij->j", left, left)
        if (square <= goal).all():
            break
        way *= _ratio(square, before)
        way += left
    return once, twice


def _ratio(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
