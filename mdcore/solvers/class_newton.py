"""The linear systems of the Newton steps for several classes, from the linear pieces that contain the dual rows."""

from __future__ import annotations

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.linalg import add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.rows import Matrix


def free_directions(a: Array, beta: Array, y: Index, cap: Array) -> Index:
    """Return the rank of V_i (`block_jacobians`): the number of variables off their bounds, less one as the alphas sum
    to 0.

    `cap` is the upper bound of each example's alpha_y.
    """
    i = np.arange(len(a))
    top = a[i, y] + beta
    variables = (a < 0.0).sum(axis=1) - (a[i, y] < 0.0) + ((beta > 0.0) | (top < cap)) + (beta > 0.0)
    return np.where((top > 0.0) | (beta > 0.0), variables - 1, 0)


def factors(V: Array) -> tuple[Index, Array]:
    """Return (owner, T) such that V_i is the sum of t_n t_n' over the rows t_n of T with owner[n] = i."""
    active = np.flatnonzero(V.any(axis=(1, 2)))
    values, vectors = np.linalg.eigh(V[active])
    which, column = np.nonzero(values > 1e-14)
    return active[which], vectors[which, :, column] * np.sqrt(values[which, column])[:, None]


def solve_weights(X: Matrix, V: Array, rho: float, right: Array) -> Array:
    """Return (I + sum_i V_i (x) x_i x_i' / rho)^-1 right; any one entry of V_i is zero for most examples."""
    d, k = right.shape
    system = np.empty((k, d, k, d))
    for l in range(k):
        for j in range(l + 1):
            rows = np.flatnonzero(V[:, l, j])
            part, weight = X[rows], V[rows, l, j, None] / rho
            if isinstance(part, np.ndarray):
                block = part.T @ (part * weight)
            else:
                block = (part.T @ part.multiply(weight)).toarray()
            system[l, :, j, :] = system[j, :, l, :] = block
    matrix = system.reshape(k * d, k * d)
    add_to_diagonal(matrix, 1.0)
    return np.asarray(cholesky_solve(cholesky(matrix), right.T.ravel()).reshape(k, d).T)
