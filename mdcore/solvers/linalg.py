"""LAPACK through scipy, without its checks: a picture waits for these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Array = NDArray[np.float64]


class NotPositiveDefinite(np.linalg.LinAlgError):
    """A matrix that should be positive definite is not, at working precision."""


def cholesky(A: Array) -> Array:
    """The lower factor of a symmetric positive definite matrix, which it overwrites."""
    column_major = A if A.flags.f_contiguous else A.T  # its own transpose: no copy
    L, info = lapack.dpotrf(column_major, lower=1, overwrite_a=1, clean=0)
    if info != 0:
        raise NotPositiveDefinite(f"leading minor {info} is not positive")
    return L


def cholesky_solve(L: Array, b: Array) -> Array:
    return lapack.dpotrs(L, b, lower=1)[0]


def cholesky_inverse(L: Array) -> Array:
    """The lower triangle of the inverse from the lower factor, which it overwrites; above it, anything."""
    inverse, info = lapack.dpotri(L, lower=1, overwrite_c=1)
    if info != 0:
        raise NotPositiveDefinite("the factor is singular")
    return inverse


def pivoted_root(G: Array) -> Array:
    """Z with ZZ' = G up to rounding, from the Cholesky factor with pivoting of a semi-definite G."""
    L, pivots, rank, _ = lapack.dpstrf(G.copy(order="F"), lower=1, overwrite_a=1)
    Z = np.zeros((len(G), rank))
    Z[pivots - 1] = np.tril(L)[:, :rank]
    return Z


def energy_norm(u: Array, Ku: Array) -> float:
    """sqrt(u'Ku), 0 where rounding made it negative."""
    return float(np.sqrt(max(float(u @ Ku), 0.0)))


def add_to_diagonal(A: Array, values: float | Array) -> None:
    A.reshape(-1, order="A")[:: len(A) + 1] += values
