"""The largest minimum margin by accelerated normalised gradients (Ji, Srebro & Telgarsky 2021, Algorithm 1).

w is kept as sum_i c_i y_i phi(x_i), so that a step is one product with K = YGY. In their notation, Z's rows y_i phi_i
divided by the largest ||phi_i|| and q_t the softmax of the negative margins:

    g_t = t/(t+1) (g_{t-1} + Z'q_t),   w_{t+1} = w_t + step (g_t + Z'q_t).

Any weights q of the examples that sum to one bound the minimum margin of every w by ||sum_i q_i y_i phi_i||, which is
known up to rounding: where no more than that is left of it, no step can find a margin or prove that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.budget import over_budget
from mdcore.solvers.certificate import EPS, grown
from mdcore.solvers.linalg import energy_norm

Array = NDArray[np.float64]

BARELY = 1.5  # times what rounding alone leaves


@dataclass(frozen=True)
class FMMSolution:
    """w = sum_i c_i y_i phi(x_i) of length one; `bound`: no minimum margin is larger; `q`: the weights last used.

    `path` holds the minimum margin after every step; `inseparable` says that the bound is rounding.
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
    """`product(v)` is Kv, `radius` the largest ||phi_i||; K is known to `units` roundings of the square of that.

    Ends where margin >= (1 - tol) bound, or where the bound is rounding; with tol = 0 after `max_iter` steps.
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
