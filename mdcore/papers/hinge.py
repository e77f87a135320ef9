"""Held-out predictions of SVM and LDM over their whole grid: one dual matrix per λ₁, one compiled loop over λ₂, C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.threads import one_blas_thread
from mdcore.methods.base import TOL
from mdcore.solvers.arrays import Array
from mdcore.solvers.box_qp import solve_box_qp
from mdcore.solvers.hinge_grid import follow_grid
from mdcore.solvers.ldm import dual_matrix

Codes = NDArray[np.intp]

MOST_ROWS = 600  # above this size, warm starts of the separate fits are faster than the compiled loop


def hinge_correct_counts(G: Array, cross: Array, y: Codes, held_out: Codes, choices: Sequence[dict[str, Any]]) -> Codes:
    """Return the number of held-out rows that each choice classifies correctly.

    G is the Gram matrix of the training rows, `cross` the kernel between held-out and training rows; classes are 0 and
    1.
    """
    signs, m = np.where(y == 1, 1.0, -1.0), len(y)
    p = np.full(m, 1.0 / m)
    expected = np.where(held_out == 1, 1.0, -1.0)
    right = np.zeros(len(choices), dtype=np.intp)
    b = np.zeros(m)
    with one_blas_thread(m):
        for lambda1, places in _by_lambda1(choices).items():
            H = np.ascontiguousarray(dual_matrix(G, signs, p, lambda1))
            lambda2 = np.array([float(choices[j].get("lambda2", 0.0)) for j in places])
            C = np.array([float(choices[j]["C"]) for j in places])
            found, gaps = np.empty((len(places), m)), np.empty(len(places))
            follow_grid(H, p, lambda2, C, b, TOL.default, found, gaps)
            for k in np.flatnonzero(~(gaps <= TOL.default)):
                upper, start = np.full(m, C[k]), found[k] if np.isfinite(gaps[k]) else None
                found[k] = solve_box_qp(H, lambda2[k] * (H @ p) - 1.0, upper, start=start, tol=TOL.default).b
            weighted = found + lambda2[:, None] * p
            margins = weighted @ H
            u = weighted - 4.0 * lambda1 * p * (margins - (margins @ p)[:, None])
            f = (u * signs) @ cross.T
            right[places] = (np.where(f > 0.0, 1.0, -1.0) == expected).sum(axis=1)
    return right


def _by_lambda1(choices: Sequence[dict[str, Any]]) -> dict[float, list[int]]:
    """Return the positions of the choices grouped by λ₁, in their given order."""
    groups: dict[float, list[int]] = {}
    for place, choice in enumerate(choices):
        groups.setdefault(float(choice.get("lambda1", 0.0)), []).append(place)
    return groups
