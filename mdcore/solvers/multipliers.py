"""min_b 1/2 b'Hb + q'b over 0 <= b <= u with E'b = t: the duals of machines with an unpenalised bias.

The method of multipliers replaces the equalities by penalties sigma/2 ||E'b - t||^2 and multipliers. This leaves a
sequence of box problems with the same matrix, each started from the previous solution. A few rounds are enough, since
every box problem is solved exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.box_qp import solve_box_qp
from mdcore.solvers.budget import over_budget

PENALTY = 10.0  # sigma relative to the mean diagonal of H plus max |q| / sum(u)
INNER_TOL = 1e-13
INNER_STEPS = 30
PATIENCE = 5  # rounds without halving the gap, after which the method ends


@dataclass(frozen=True)
class EqualitySolution:
    """A solution with Hb + q = E multipliers wherever 0 < b < u; `gap` is the value of the certificate."""

    b: Array
    multipliers: Array
    gap: float
    n_iter: int
    converged: bool


def solve_with_equalities(
    H: Array,
    q: Array,
    upper: Array,
    E: Array,
    t: Array,
    *,
    certificate: Callable[[Array, Array], float],
    start: Array,
    multipliers: Array,
    tol: float,
    max_iter: int,
) -> EqualitySolution:
    """Return the solution with the smallest gap found.

    `certificate(b, multipliers)` returns the relative gap of the solution that the caller derives from b and the
    multipliers.
    """
    sigma = PENALTY * float(np.mean(np.diagonal(H)) + np.abs(q).max() / upper.sum())
    penalised = H + sigma * (E @ E.T)
    b = np.clip(start, 0.0, upper)
    best, gap, n_iter, waited = (b, multipliers), certificate(b, multipliers), 0, 0
    while gap > tol and n_iter < max_iter and waited < PATIENCE and not over_budget():
        n_iter += 1
        linear = q - E @ (sigma * t + multipliers)
        b = solve_box_qp(penalised, linear, upper, start=b, tol=INNER_TOL, max_iter=INNER_STEPS).b
        multipliers = multipliers + sigma * (t - b @ E)
        now = certificate(b, multipliers)
        waited = 0 if now < 0.5 * gap else waited + 1
        if now < gap:
            best, gap = (b, multipliers), now
    return EqualitySolution(*best, gap, n_iter, bool(gap <= tol))
