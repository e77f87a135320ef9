"""The largest minimum margin by accelerated normalised gradients (Ji, Srebro & Telgarsky 2021, Algorithm 1).

w is stored as sum_i c_i y_i phi(x_i), so that a step costs one product with K = YGY. In the paper's notation, the rows
of Z are the y_i phi_i divided by the largest ||phi_i||, and q_t is the softmax of the negative margins:

    g_t = t/(t+1) (g_{t-1} + Z'q_t),   w_{t+1} = w_t + step (g_t + Z'q_t).

For any nonnegative weights q that sum to one, no unit vector w has a minimum margin above ||sum_i q_i y_i phi_i||. This
bound is known up to rounding: once it is no larger than that, no step can find a margin or prove that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.certificate import EPS, grown
from mdcore.solvers.linalg import energy_norm

BARELY = 1.5  # multiple of the rounding error up to which the bound counts as zero


@dataclass(frozen=True)
class FMMSolution:
    """The unit vector w = sum_i c_i y_i phi(x_i), an upper bound on all minimum margins, and the last weights `q`.

    `path` holds the minimum margin after every step; `inseparable` is true if the bound is no more than rounding.
    """

    c: Array
    q: Array
    margin: float
    bound: float
    path: Array
    n_iter: int
    converged: bool
    inseparable: bool


def maximise_margin(
    product: Callable[[Array], Array], m: int, *, radius: float, units: float, step: float, tol: float, max_iter: int
) -> FMMSolution:
    """Maximise the minimum margin, in at most `max_iter` steps.

    `product(v)` returns Kv, and `radius` is the largest ||phi_i||. The error of an entry of K is at most `units`
    rounding errors of radius^2. End early if the margin is at least (1 - tol) bound or, unless tol = 0, if the bound is
    no more than rounding.
    """

    def length_of_mean(v: Array, Kv: Array) -> float:
        return float(np.hypot(energy_norm(v, Kv) / v.sum(), rounding))

    rounding = radius * float(np.sqrt(EPS * (units + grown(m) + np.sqrt(max_iter))))
    theta = step / (radius**2 or 1.0)
    q = np.full(m, 1.0 / m)
    c, g, margins, Kg = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    bound, path, converged, inseparable = np.inf, [], False, False
    for t in range(max_iter):
        beta = t / (t + 1.0)
        Kq = product(q)
        g, Kg = beta * (g + q), beta * (Kg + Kq)
        c += theta * (g + q)
        margins += theta * (Kg + Kq)
        q = _softmax(-margins)
        length = energy_norm(c, margins)
        path.append(float(margins.min()) / length if length > 0.0 else 0.0)
        bound = min(bound, length_of_mean(c, margins))
        if t > 0:
            bound = min(bound, length_of_mean(g, Kg))
        converged = bool(path[-1] > 0.0 and path[-1] >= (1.0 - tol) * bound)
        inseparable = bound <= BARELY * rounding
        if converged or (inseparable and tol > 0.0) or over_budget():
            break
    w = c / length if length > 0.0 else c
    return FMMSolution(w, q, path[-1], bound, np.array(path), len(path), converged, inseparable)


def _softmax(v: Array) -> Array:
    e = np.exp(v - v.max())
    return np.asarray(e / e.sum())
