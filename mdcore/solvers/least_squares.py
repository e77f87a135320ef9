"""min_{w,b} 1/2 ||w||^2 + 1/2 sum_i (y_i - f_i)^2 / r_i, f_i = <w, x_i> + b: regularised least squares.

r_i is 1/C, or 1/(C s_i) for an example of weight s_i. With w = sum_i a_i x_i and Q the Gram matrix of the x_i the dual
is max_a y'a - 1/2 a'(Q + R)a subject to e'a = 0, and the solution solves (Q + R)a + be = y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.certificate import DualPoint
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve

Array = NDArray[np.float64]

MIDDLE, HALF_WIDTH = 0.5 - 0.5j, 0.5 + 0.5j  # of the eigenvalues from -i to 1
MOST_STEPS, SETTLED = 60, 1e-13


@dataclass(frozen=True, eq=False)
class SquaresProblem:
    """Every margin has (1 - g_i)^2 / (2 r_i) to pay."""

    r: Array

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        return {"C/2 · squared deviations": 0.5 * float(np.sum((np.abs(1.0 - g) + blur) ** 2 / self.r))}

    def dual_point(self, u: Array, y: Array, reach: float | None) -> DualPoint:
        """Of the coefficients of the y_i x_i. A free bias, no larger than `reach`, wants y'u = 0."""
        if reach is not None:
            u = u - y * float(y @ u) / len(u)
        imbalance = 0.0 if reach is None else abs(float(y @ u)) * reach
        squares = 0.5 * float(np.sum(self.r * u**2))
        summed = squares + float(np.abs(u).sum()) + imbalance
        return DualPoint(u, squares - float(u.sum()) + imbalance, summed, np.zeros(len(u)))

    def best_offset(self, y: Array, g: Array) -> float:
        """Return the bias for which the loss of margins g without one is least."""
        return float(np.average(y * (1.0 - g), weights=1.0 / self.r))


def solve_by_cholesky(Q: Array, y: Array, r: Array, *, bias: bool) -> tuple[Array, float]:
    """a and b from one factorisation of Q + R and one step of refinement."""
    system = Q.copy(order="F")
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


def solve_in_kernel_values(values: Array, U: Array, y: Array, r: float, *, bias: bool) -> tuple[Array, Array, float]:
    """w, a and b where the features of x_i are row i of K = U diag(values) U', so that Q = K^2.

    K^2 is never formed: it would lose half of the digits. A new r costs a few products with U, which need not hold the
    vectors of eigenvalues that are zero.
    """
    shrink = 1.0 / (values**2 + r)
    sides = np.column_stack([np.ones(len(y)), y])
    seen = U.T @ sides
    whole = U.shape[1] == len(y)
    beyond = np.zeros_like(sides) if whole else (sides - U @ seen) / r  # in the directions in which K is zero
    ones, targets = seen.T
    along, across = (float(ones @ (shrink * part) + rest.sum()) for part, rest in zip(seen.T, beyond.T, strict=True))
    b = across / along if bias else 0.0
    residual = targets - b * ones
    a = U @ (shrink * residual) + beyond[:, 1] - b * beyond[:, 0]
    return U @ (values * shrink * residual), a - a.mean() if bias else a, b


def solve_by_shifted_factor(K: Array, y: Array, r: float, *, bias: bool) -> tuple[Array, Array, float] | None:
    """Return the same for all of K at the price of one Cholesky factor, without its eigenvalues; None where rounding
    forbids.

    With s = r^(1/2) the real part of z = (K - isI)^-1 y is K(K^2 + rI)^-1 y, and its imaginary part s(K^2 + rI)^-1 y.
    Multiplied by (K + sI)^-1 the system has its eigenvalues between -i and 1, where Chebyshev's iteration gains a digit
    in three steps, whatever K.
    """
    shift = float(np.sqrt(r))
    system = K.copy(order="F")
    add_to_diagonal(system, shift)
    try:
        L = cholesky(system)
    except NotPositiveDefinite:
        return None

    def solved(left: NDArray[np.complex128]) -> NDArray[np.complex128]:
        return np.asarray(_by_parts(lambda part: cholesky_solve(L, part), left))

    left = np.column_stack([np.ones(len(y)), y]).astype(np.complex128)
    enough = SETTLED * np.linalg.norm(left, axis=0)
    z = np.zeros_like(left)
    ratio, step = MIDDLE / HALF_WIDTH, solved(left) / MIDDLE
    rho = 1.0 / ratio
    for _ in range(MOST_STEPS):
        z += step
        left -= _by_parts(lambda part: K @ part, step) - 1j * shift * step
        if (np.linalg.norm(left, axis=0) <= enough).all():
            break
        following = 1.0 / (2.0 * ratio - rho)
        step = following * rho * step + (2.0 * following / HALF_WIDTH) * solved(left)
        rho = following
    else:
        return None
    ones, targets = z.T
    b = float(targets.imag.sum() / ones.imag.sum()) if bias else 0.0
    found = targets - b * ones
    a = found.imag / shift
    return np.ascontiguousarray(found.real), a - a.mean() if bias else a, b


def _by_parts(product: Callable[[Array], Array], Z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return a real linear map of complex columns."""
    parts = product(np.asfortranarray(np.hstack([Z.real, Z.imag])))
    k = Z.shape[1]
    return np.asarray(parts[:, :k] + 1j * parts[:, k:])
