"""LAPACK routines without scipy's checks, for speed in interactive use, and the line search of the Newton methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import raise_if_stopped

SEMIDEFINITE = 1e-6  # size of a negative pivot that counts as rounding, relative to the largest diagonal entry
FEW = 3  # largest number of right-hand sides that are solved one by one
BLOCK = 128  # rows and columns of a block that fits into the cache


class NotPositiveDefinite(np.linalg.LinAlgError):
    """Raised if a matrix is not positive definite at working precision."""


def cholesky(A: NDArray[Any]) -> Array:
    """Return the lower Cholesky factor of a symmetric positive definite matrix, in its precision; overwrite the
    matrix."""
    raise_if_stopped()  # every Newton step of every solver passes here
    column_major = A if A.flags.f_contiguous else A.T  # A is symmetric, so the transpose avoids a copy
    factor = lapack.spotrf if A.dtype == np.float32 else lapack.dpotrf
    L: Array
    L, info = factor(column_major, lower=1, overwrite_a=1, clean=0)
    if info != 0:
        raise NotPositiveDefinite(f"leading minor {info} is not positive")
    return L


def cholesky_solve(L: Array, b: Array) -> Array:
    """Return the solution x of LL'x = b, for one or several right-hand sides."""
    if not b.size:
        return b  # BLAS rejects empty arrays
    single = L.dtype == np.float32
    if b.ndim == 1:
        solve = blas.strsv if single else blas.dtrsv
        x: Array = solve(L, solve(L, b, lower=1), lower=1, trans=1)
        return x
    if b.shape[1] <= FEW:  # twice as fast as one call for all columns
        return np.asarray([cholesky_solve(L, column) for column in b.T]).T
    return np.asarray((lapack.spotrs if single else lapack.dpotrs)(L, b, lower=1)[0])


def symmetrise(A: Array) -> None:
    """Replace A by the mean of A and its transpose, in place, without a temporary matrix of its size."""
    for first in range(0, len(A), BLOCK):
        rows = slice(first, first + BLOCK)
        for second in range(0, first + 1, BLOCK):
            columns = slice(second, second + BLOCK)
            mean = A[rows, columns] + A[columns, rows].T
            mean *= 0.5
            A[rows, columns], A[columns, rows] = mean, mean.T


def mirror_lower(A: Array) -> None:
    """Replace the upper triangle of A by the transposed lower one, in place, without a temporary matrix of its size."""
    for first in range(0, len(A), BLOCK):
        rows = slice(first, first + BLOCK)
        for second in range(0, first, BLOCK):
            columns = slice(second, second + BLOCK)
            A[columns, rows] = A[rows, columns].T
        lower = np.tril(A[rows, rows])
        A[rows, rows] = lower + np.tril(lower, -1).T


def symmetric_product(A: Array, x: Array) -> Array:
    """Return Ax for a row-major symmetric A, reading only one triangle."""
    product: Array = blas.dsymv(1.0, A.T, x, lower=1)
    return product


def solve_lower(L: Array, B: Array) -> Array:
    """Return L^-1 B; overwrite B if it is column-major."""
    return np.asarray(lapack.dtrtrs(L, B, lower=1, overwrite_b=1)[0])


def lower_product(L: Array, B: Array) -> Array:
    """Return LB in the precision of L and B; overwrite B if it is column-major."""
    trmm = blas.strmm if B.dtype == np.float32 else blas.dtrmm
    return np.asarray(trmm(1.0, L, B, lower=1, overwrite_b=1))


def cholesky_inverse(L: Array) -> Array:
    """Return the lower triangle of A^-1, given the Cholesky factor L of A; overwrite L. The upper triangle is
    undefined."""
    inverse: Array
    inverse, info = lapack.dpotri(L, lower=1, overwrite_c=1)
    if info != 0:
        raise NotPositiveDefinite("the factor is singular")
    return inverse


def pivoted_root(G: Array) -> Array:
    """Return Z with ZZ' = G up to rounding, by the pivoted Cholesky factorisation of a semi-definite G.

    If G is accurate to single precision only, small pivots are noise and may leave a negative remainder. The
    factorisation is then repeated with a larger tolerance, so that it ends before these pivots.
    """
    diagonal = np.diagonal(G)
    rounded = SEMIDEFINITE * float(np.abs(diagonal).max(initial=0.0))
    for least_pivot in (-1.0, rounded):  # -1: LAPACK's default, for double precision
        L, pivots, rank, _ = lapack.dpstrf(G.copy(order="F"), tol=least_pivot, lower=1, overwrite_a=1)
        Z = np.zeros((len(G), rank))
        Z[pivots - 1] = np.tril(L)[:, :rank]
        left = diagonal - np.einsum("ij,ij->i", Z, Z)  # remainder after the last pivot
        if left.min(initial=0.0) >= -rounded:
            return Z
    raise NotPositiveDefinite("a pivot is negative")


def energy_norm(u: Array, Ku: Array) -> float:
    """Return sqrt(u'Ku), or 0 if rounding makes u'Ku negative."""
    return float(np.sqrt(max(float(u @ Ku), 0.0)))


def add_to_diagonal(A: Array, values: float | Array) -> None:
    A.reshape(-1, order="A")[:: len(A) + 1] += values


def line_search(derivative: Callable[[float], float], slope: float) -> float:
    """Return a near-exact minimiser along a direction, given its piecewise linear and increasing derivative.

    `slope` is the derivative at 0. The derivative is evaluated last at the returned point. A step of 1 is rejected more
    readily if the derivative there is positive: it may have been positive, past a kink, for most of the step.
    """
    low, high, at_low, at_high = 0.0, 1.0, slope, derivative(1.0)
    if -0.3 * abs(slope) <= at_high <= 1e-3 * abs(slope):
        return 1.0
    while at_high < 0.0 and high < 64.0:
        low, at_low, high = high, at_high, 2.0 * high
        at_high = derivative(high)
    return crossing(derivative, (low, at_low), (high, at_high), 0.1 * abs(slope))


def crossing(
    rising: Callable[[float], float], low: tuple[float, float], high: tuple[float, float], enough: float
) -> float:
    """Return an approximate zero of an increasing function between two points (t, value) of its graph.

    The function is evaluated last at the returned point. Unless the search runs out of steps, the integral of the
    function from 0 to that point is certainly not positive.
    """
    (a, at_a), (b, at_b) = low, high
    t, falls_back = b, 0
    for _ in range(50):
        if at_b <= at_a:
            break
        share = 0.1 if falls_back > 1 else min(max(-at_a / (at_b - at_a), 0.1), 0.9)  # 0.1: the kink is far before b
        t = a + (b - a) * share
        at_t = rising(t)
        if abs(at_t) <= enough and (at_t <= 0.0 or a * at_a + (t - a) * at_t <= 0.0):
            break
        if at_t < 0.0:
            a, at_a, falls_back = t, at_t, 0
        else:
            b, at_b, falls_back = t, at_t, falls_back + 1
    return t
