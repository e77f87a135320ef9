"""Algorithm 1 of MSVM_Av (Qian et al. 2022), which alternately lowers the semi-variance and raises the mean margin.

A step solves a system whose matrix depends on A, the examples below the mean margin, and then adds a constant vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np

from mdcore.solvers.arrays import Array, Mask
from mdcore.solvers.budget import over_budget
from mdcore.solvers.changing_systems import MemberSystem, SubsetSystem
from mdcore.solvers.extrapolation import Extrapolation
from mdcore.solvers.linalg import (
    add_to_diagonal,
    cholesky,
    cholesky_inverse,
    energy_norm,
    mirror_lower,
    pivoted_root,
)

CANCELS = 1e-3  # ||w|| over sum_i |a_i| ||phi(x_i)|| below which rounding exceeds 1e-10 of ||w||^2
NOTHING = 1e-15  # ||sum_i y_i phi(x_i)|| over sum_i ||phi(x_i)|| that counts as zero; with a kernel, of their squares


class NoDirection(ValueError):
    """Raised if the mean of y_i phi(x_i) is zero: every w has mean margin 0, and SV / mean^2 is undefined."""


@dataclass(frozen=True)
class MSVMAvSolution:
    """The unit vector `w` (its coefficients, with a kernel) with the smallest SV / mean^2; for tol = 0 the last one.

    `path` holds SV / mean^2 at the start and after every step. `change` is the change of the margins in the last step,
    relative to their length; `cycling` is true if the steps alternate between two states.
    """

    w: Array
    margins: Array
    path: Array
    change: float
    n_iter: int
    converged: bool
    cycling: bool


@dataclass(frozen=True, eq=False)
class KernelSteps:
    """What the steps of section 4.2 need of a Gram matrix K, whatever alpha and beta.

    With M = K + I, the step that lowers the semi-variance solves (K_A K_A' / s + M) a' = M a + (theta / s) K_A y_A for
    the columns K_A of the members. Its change a' - a is M^-1 K_A z, where (s I + B_AA) z = theta y_A - f_A for f = Ka
    and B = K M^-1 K, as M^-1 K = I - M^-1 and B = K - I + M^-1, one inverse serves all steps.
    """

    K: Array
    inverse: Array
    B: Array

    @classmethod
    def of(cls, K: Array) -> Self:
        system = K.copy()
        add_to_diagonal(system, 1.0)
        inverse = cholesky_inverse(cholesky(system))
        mirror_lower(inverse)
        B = K + inverse
        add_to_diagonal(B, -1.0)
        return cls(K, inverse, B)


def solve_linear(
    X: Array, y: Array, *, alpha: float, beta: float, tol: float, max_iter: int, extrapolate: bool = False
) -> MSVMAvSolution:
    """Run Eqs. (3)-(10); `X` includes the constant feature, if any.

    Every w is a combination of the rows, so that rows with many features are rotated into their span first.
    """
    n = len(y)
    if X.shape[1] > n:
        span, coordinates = np.linalg.qr(X.T)
        found = solve_linear(
            coordinates.T, y, alpha=alpha, beta=beta, tol=tol, max_iter=max_iter, extrapolate=extrapolate
        )
        return replace(found, w=span @ found.w)
    signed = X * y[:, None]
    centre = signed.sum(axis=0)
    _require_direction(_length(centre), float(np.linalg.norm(X, axis=1).sum()))
    system = MemberSystem(np.ascontiguousarray(X.T), n * beta)

    def step(w: Array, members: Mask, theta: float) -> Array:
        right = (theta / (n * beta)) * signed[members].sum(axis=0) + w
        return np.asarray(system.solve(members, right) + centre / (2.0 * alpha * n))

    return _alternate(centre, step, lambda w: signed @ w, _length, tol, max_iter, extrapolate)


def solve_kernel(
    steps: KernelSteps, y: Array, *, alpha: float, beta: float, tol: float, max_iter: int, extrapolate: bool = False
) -> MSVMAvSolution:
    """Run the algorithm of section 4.2, with the mean margin of the previous coefficients in the first step; a state
    holds the coefficients a and f = Ka."""
    K, n = steps.K, len(y)
    lengths, Ky = np.sqrt(np.diagonal(K)), K @ y
    _require_direction(float(y @ Ky), float(lengths.sum()) ** 2)
    S = steps.B.copy()
    add_to_diagonal(S, n * beta)
    system, towards_mean = SubsetSystem(S), y / (2.0 * alpha * n)

    @cache
    def basis() -> Array:
        return np.linalg.qr(pivoted_root(K))[0]

    def step(state: Array, members: Mask, theta: float) -> Array:
        z = system.solve(members, theta * y - state[1])
        a = state[0] + z - steps.inverse @ z + towards_mean
        following = np.stack([a, K @ a])
        if float(np.abs(a) @ lengths) * CANCELS < norm(following):
            return following
        # Components of a outside the range of K do not affect w, but may grow until Ka suffers from cancellation.
        Q = basis()
        a = Q @ (Q.T @ a)
        return np.stack([a, K @ a])

    def norm(state: Array) -> float:
        return energy_norm(state[0], state[1])

    start = np.stack([y, Ky])
    found = _alternate(start, step, lambda state: y * state[1], norm, tol, max_iter, extrapolate)
    return replace(found, w=found.w[0])


def _alternate(
    start: Array,
    step: Callable[[Array, Mask, float], Array],
    margins_of: Callable[[Array], Array],
    norm: Callable[[Array], float],
    tol: float,
    max_iter: int,
    extrapolate: bool,
) -> MSVMAvSolution:
    """Iterate until the margins change by at most `tol`, or alternate between two states, or for `max_iter` steps.

    With `extrapolate`, a step starts from Anderson's extrapolation of those before it if that has a smaller SV / mean^2
    than the state after the last step: the iteration also has fixed points that its own steps leave.
    """

    def normalised(w: Array) -> tuple[Array, Array]:
        w = w / norm(w)
        g = margins_of(w)
        return (-w, -g) if g.mean() < 0.0 else (w, g)

    w, g = normalised(start)
    path = [_semivariance_ratio(g)]
    change, n_iter, cycling = np.inf, 0, False
    before = best = (w, g)
    extrapolation = Extrapolation()
    while n_iter < max_iter and (tol == 0.0 or not (change <= tol or cycling)) and not over_budget():
        n_iter += 1
        theta = float(g.mean())
        following = normalised(step(w, g < theta, theta))
        size = max(_length(following[1]), 1e-300)
        change = _length(following[1] - g) / size
        cycling = change > tol > _length(following[1] - before[1]) / size
        before, (w, g) = (w, g), following
        path.append(_semivariance_ratio(g))
        if path[-1] <= min(path):
            best = (w, g)
        if extrapolate and change > tol:
            ahead = normalised(extrapolation.after(w, g - before[1]))
            if _semivariance_ratio(ahead[1]) <= path[-1]:
                w, g = ahead
    if tol > 0.0 and not (extrapolate and change <= tol):  # extrapolated states may be better than the limit
        w, g = best
    return MSVMAvSolution(w, g, np.array(path), change, n_iter, bool(change <= tol), cycling)


def _require_direction(size: float, terms: float) -> None:
    if size <= NOTHING * terms:
        raise NoDirection("The mean of y_i φ(x_i) is zero, so no direction has a positive mean margin.")


def _length(w: Array) -> float:
    return float(np.linalg.norm(w))


def _semivariance_ratio(g: Array) -> float:
    theta = g.mean()
    return float(np.mean(np.maximum(theta - g, 0.0) ** 2) / theta**2) if theta > 0.0 else np.inf
