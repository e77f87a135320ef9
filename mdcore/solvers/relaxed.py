"""The relaxed problem that ROMMA and PUMMA solve at every update (PUMMA paper, Eqs. 2 and 3).

    min_w 1/2 ||w||_q^2   such that   w.z >= c   and   w.theta >= ||w_old||_q^2,   theta = f(w_old)

The second constraint represents all examples seen before. PUMMA has z = x_pos - x_neg and c = 2, ROMMA z = y x and
c = 1 (section 3.2). The solution is w = f^-1(alpha z + beta theta), and the functions here return (alpha, beta, met).

If no w satisfies both constraints, no hyperplane separates the examples (Lemma 5). Then `met` is false and the second
constraint is dropped, so that w starts again from z alone. For z = 0 the first constraint cannot be satisfied, and
alpha is 0.
"""

from __future__ import annotations

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.compiled import compiled
from mdcore.solvers.pnorm import link

LIMIT = 1e12  # ||w|| ||z|| / c above which the margin cannot be distinguished from rounding
KERNEL_LIMIT = 1e6  # the same if ||w||^2 is a sum of products a_i a_j k(x_i, x_j)
OPPOSITE = 1e-7  # sine of the angle up to which z and theta count as opposite, so that the constraints are incompatible
NEWTON_STEPS = 100
ROOT = 1e-15


@compiled()
def two_norm(zz: float, wz: float, square: float, c: float, limit: float) -> tuple[float, float, bool]:
    """Solve for p = 2 by Eqs. (12) and (15), from z.z, w_old.z and ||w_old||^2 alone, hence with any kernel."""
    if zz == 0.0:
        return 0.0, 0.0, False
    if c * wz >= square * zz or square == 0.0:
        return c / zz, 0.0, True
    determinant = square * zz - wz * wz
    alpha, beta = square * (c - wz), square * zz - c * wz
    if determinant <= OPPOSITE**2 * square * zz or (c * alpha + square * beta) * zz > determinant * (limit * c) ** 2:
        return c / zz, 0.0, False
    return alpha / determinant, beta / determinant, True


@compiled()
def p_norm(z: Array, theta: Array, square: float, c: float, p: float) -> tuple[float, float, bool]:
    """Solve for any p >= 2; `square` is ||w_old||_q^2 = ||theta||_p^2.

    With a = z / ||z||_p, e = theta / ||theta||_p, r = c / (||z||_p ||w_old||_q) the minimum of
    G = 1/2 ||alpha z + beta theta||_p^2 - c alpha - beta ||w_old||_q^2 lies on the ray of v = tau a + (1 - tau) e where
    f^-1(v).(r e - a) = 0. The left side is positive at tau = 0, as the old w violates w.z >= c. If it is not negative
    at tau = 1, case (i) holds, w = (c / ||z||_p^2) f^-1(z) (Eq. 12, where the paper prints the q-norm). Otherwise the
    root is found by Newton's method with the exact Hessian of 1/2 ||v||_p^2. A step that leaves the root's bracket, or
    is longer than half the step before the last one, is replaced by a bisection: where z and theta nearly cancel,
    Newton's method alone may go back and forth forever.
    """
    n = len(z)
    g = np.empty(n)
    size = link(z, p, g)
    if size == 0.0:
        return 0.0, 0.0, False
    old = np.sqrt(square)
    if old == 0.0:
        return c / size**2, 0.0, True
    r = c / (size * old)
    excess = 0.0  # f^-1(z).theta
    for i in range(n):
        excess += g[i] * theta[i]
    if r * excess / (size * old) >= 1.0:
        return c / size**2, 0.0, True

    v = np.empty(n)
    low, high, tau = 0.0, 1.0, 0.5
    change = before = 1.0
    for _ in range(NEWTON_STEPS):
        length = _mixture(z, size, theta, old, tau, p, v, g)
        if length < OPPOSITE:
            return c / size**2, 0.0, False
        value = curvature = across = 0.0
        for i in range(n):
            a, e = z[i] / size, theta[i] / old
            value += g[i] * (r * e - a)
            across += g[i] * (a - e)
            if v[i] != 0.0:
                curvature += g[i] / v[i] * (a - e) * (r * e - a)
        slope = (p - 1.0) * curvature - (p - 2.0) * across * value / length**2
        if value > 0.0:
            low = tau
        else:
            high = tau
        following = tau - value / slope if slope < 0.0 else -1.0
        if not low <= following <= high or abs(following - tau) > 0.5 * before:
            following = 0.5 * (low + high)
        before, change, tau = change, abs(following - tau), following
        if change <= ROOT * tau:
            break
    length = _mixture(z, size, theta, old, tau, p, v, g)
    if length < OPPOSITE:
        return c / size**2, 0.0, False
    growth = (tau * r + 1.0 - tau) / length  # ||w|| / ||w_old||
    if growth > LIMIT * r:
        return c / size**2, 0.0, False
    scale = old * growth / length
    return scale * tau / size, scale * (1.0 - tau) / old, True


@compiled()
def _mixture(z: Array, size: float, theta: Array, old: float, tau: float, p: float, v: Array, g: Array) -> float:
    """v <- tau a + (1 - tau) e and g <- f^-1(v); return ||v||_p."""
    for i in range(len(z)):
        v[i] = tau * z[i] / size + (1.0 - tau) * theta[i] / old
    return link(v, p, g)
