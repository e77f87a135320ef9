"""The norms that make distances of decisions: ||w|| of f_y - f_l less its constant, for every pair of classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import ROUNDED


def between_two(norm: float) -> Array:
    """Return the norms for two classes and a single f, which stands for f_1 - f_0 and has this norm."""
    return np.array([[0.0, norm], [norm, 0.0]])


def of_weights(W: Array, q: float = 2.0) -> Array:
    """Return ||w_i - w_j||_q for every pair of rows of W."""
    return np.stack([np.linalg.norm(W - w, ord=q, axis=1) for w in W])


def of_expansions(A: Array, scores: Array) -> Array:
    """Return ||w_i - w_j|| for every pair of columns of the coefficients A, whose scores are KA; 0 if rounding makes
    the square negative.

    Coefficients and scores are subtracted first: inner products of nearly equal functions would lose digits.
    """
    squares = [np.einsum("ij,ij->j", A - a[:, None], scores - s[:, None]) for a, s in zip(A.T, scores.T, strict=True)]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def with_boundary(norms: Array, constants: Sequence[float] | Array, reach: float) -> Array:
    """Return the norms, nan where f_y - f_l is constant to working precision, so that there is no boundary.

    `constants` are those of the functions, `reach` is the largest length of a row without the constant feature: w
    moves a function by at most ||w|| reach on the rows, which must be more than rounding of its constant.
    """
    sizes = np.abs(constants)
    varying = norms * reach > ROUNDED * np.maximum(sizes[:, None], sizes)
    return np.where(varying | np.eye(len(norms), dtype=np.bool_), norms, np.nan)
