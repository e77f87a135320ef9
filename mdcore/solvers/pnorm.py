"""The p-norm and its link functions (PUMMA paper, sections 2.1 and 2.3)."""

from __future__ import annotations

import math

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.compiled import compiled
from mdcore.solvers.rows import Matrix


def dual_exponent(p: float) -> float:
    """Return q with 1/p + 1/q = 1 (the paper prints q = 1 - 1/p)."""
    return p / (p - 1.0)


@compiled()
def link(v: Array, r: float, out: Array) -> float:
    """out_i <- sign(v_i) |v_i|^(r-1) / ||v||_r^(r-2), the gradient of 1/2 ||v||_r^2; return ||v||_r.

    For r = q this is f, which maps w to theta; for r = p it is the inverse of f (Lemma 3). Powers are taken only of
    numbers up to one, so that none overflows, however large r is.
    """
    if r == 2.0:
        total = 0.0
        for i in range(len(v)):
            out[i] = v[i]
            total += v[i] * v[i]
        return math.sqrt(total)
    largest: float = 0.0
    for i in range(len(v)):
        largest = max(largest, abs(v[i]))
    if largest == 0.0:
        out[:] = 0.0
        return 0.0
    total = 0.0
    for i in range(len(v)):
        share = abs(v[i]) / largest
        power = share ** (r - 2.0) if share > 0.0 else 0.0
        out[i] = v[i] * power
        total += power * share * share
    unit = total ** (1.0 / r)  # ||v||_r in units of the largest entry
    factor = unit ** (2.0 - r)
    for i in range(len(v)):
        out[i] *= factor
    return float(unit * largest)


def row_norms(X: Matrix, p: float) -> Array:
    """Return ||x_i||_p of every row, dense or sparse."""
    if isinstance(X, np.ndarray) and p == 2.0:
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", X, X)))
    if isinstance(X, np.ndarray):
        sizes = np.abs(X)
        longest = sizes.max(axis=1)
        sizes /= np.where(longest > 0.0, longest, 1.0)[:, None]  # powers of numbers up to one cannot overflow
        return np.asarray(longest * (sizes**p).sum(axis=1) ** (1.0 / p))
    largest = abs(X).max(axis=1).toarray().ravel()
    shares = abs(X)
    shares.data /= np.repeat(np.where(largest > 0.0, largest, 1.0), np.diff(X.indptr))  # stored entries may be zero
    shares.data **= p
    return np.asarray(largest * np.asarray(shares.sum(axis=1)).ravel() ** (1.0 / p))
