"""min_{w,b} 1/2 ||w||^2 + 1/2 sum_i (y_i - f_i)^2 / r_i, f_i = <w, x_i> + b: regularised least squares.

r_i is 1/C, or 1/(C s_i) for an example of weight s_i. With w = sum_i a_i x_i and Q the Gram matrix of the x_i the dual
is max_a y'a - 1/2 a'(Q + R)a subject to e'a = 0, and the solution solves (Q + R)a + be = y.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_solve

Array = NDArray[np.float64]


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

    K^2 is never formed: it would lose half of the digits. A new r costs a few products with U.
    """
    shrink = 1.0 / (values**2 + r)
    ones, targets = U.T @ np.ones(len(y)), U.T @ y
    b = float(ones @ (shrink * targets) / (ones @ (shrink * ones))) if bias else 0.0
    residual = targets - b * ones
    a = U @ (shrink * residual)
    return U @ (values * shrink * residual), a - a.mean() if bias else a, b


def relative_gap(square: float, a: Array, residual: Array, y: Array, r: Array | float) -> float:
    """Primal minus dual value over the primal one, for ||w||^2 = `square`, y - f = `residual` and a with e'a = 0."""
    primal = 0.5 * (square + float(np.sum(residual**2 / r)))
    dual = float(y @ a) - 0.5 * (square + float(np.sum(r * a**2)))
    return max(primal - dual, 0.0) / primal
