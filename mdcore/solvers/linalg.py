"""LAPACK through scipy, without its checks: a picture waits for these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Array = NDArray[np.float64]


class NotPositiveDefinite(np.linalg.LinAlgError):
    """A matrix that should be positive definite is not, at working precision."""


def cholesky(A: Array) -> Array:
    """The lower factor of a symmetric positive definite matrix; overwrites a Fortran-ordered A."""
    L, info = lapack.dpotrf(A, lower=1, overwrite_a=1, clean=0)
    if info != 0:
        raise NotPositiveDefinite(f"leading minor {info} is not positive")
    return L


def cholesky_solve(L: Array, b: Array) -> Array:
    return lapack.dpotrs(L, b, lower=1)[0]


def cholesky_inverse(L: Array) -> Array:
    """The symmetric inverse from the lower factor; overwrites L."""
    inverse, info = lapack.dpotri(L, lower=1, overwrite_c=1)
    if info != 0:
        raise NotPositiveDefinite("the factor is singular")
    return mirror(inverse)


def mirror(lower: Array) -> Array:
    """The symmetric matrix with this lower triangle."""
    full = np.tril(lower)
    full += np.tril(lower, -1).T
    return full


def energy_norm(u: Array, Ku: Array) -> float:
    """sqrt(u'Ku), 0 where rounding made it negative."""
    return float(np.sqrt(max(float(u @ Ku), 0.0)))


def add_to_diagonal(A: Array, values: float | Array) -> None:
    A.reshape(-1, order="A")[:: len(A) + 1] += values
