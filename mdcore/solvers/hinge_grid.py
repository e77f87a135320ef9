"""The LDM's dual (the SVM's for lambda1 = 0) at many (lambda2, C), one after another, in one compiled loop.

    min_b 1/2 b'Hb + (lambda2 Hp - e)'b,  0 <= b <= C

Each problem starts at the previous solution: a few sweeps of coordinate descent, then corrections of the active set, as
in `box_qp` but without its fallback. Problems that do not reach the tolerance are recognised by their gap, and are left
to `box_qp`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array
from mdcore.solvers.compiled import compiled

SWEEPS = 40
CORRECTIONS = 15
ROUNDS = 8  # of sweeps followed by corrections
SIGN_TOL = 1e-10


@compiled()
def follow_grid(H: Array, p: Array, lambda2: Array, C: Array, b: Array, tol: float, found: Array, gaps: Array) -> None:
    """Fill row k of `found` with b at lambda2[k], C[k], and `gaps` with the relative duality gaps, starting at `b`."""
    m = len(b)
    Hp = H @ p
    g, q = np.empty(m), np.empty(m)
    free = np.empty(m, dtype=np.int64)
    L, r = np.empty((m, m)), np.empty(m)
    for k in range(len(lambda2)):
        for i in range(m):
            q[i] = lambda2[k] * Hp[i] - 1.0
            b[i] = min(b[i], C[k])
        g[:] = H @ b + q
        for _ in range(ROUNDS):
            _sweep(H, b, g, C[k])
            _correct(H, q, b, g, C[k], free, L, r)
            gaps[k] = _gap(p, b, g, lambda2[k], C[k])
            if gaps[k] <= tol:
                break
        found[k] = b


@compiled()
def _sweep(H: Array, b: Array, g: Array, C: float) -> None:
    for _ in range(SWEEPS):
        moved = False
        for i in range(len(b)):
            if H[i, i] <= 0.0:
                continue
            change = min(max(b[i] - g[i] / H[i, i], 0.0), C) - b[i]
            if change != 0.0:
                moved = True
                b[i] += change
                for j in range(len(b)):
                    g[j] += change * H[i, j]
        if not moved:
            return


@compiled()
def _correct(H: Array, q: Array, b: Array, g: Array, C: float, free: NDArray[np.int64], L: Array, r: Array) -> None:
    """Repeatedly solve on the free coordinates, then move the coordinates that violate a bound or a gradient's sign.

    If this does not settle, b is left unchanged.
    """
    m, before = len(b), b.copy()
    side = np.zeros(m, dtype=np.int64)  # -1 at 0, 1 at C, 0 free
    for i in range(m):
        side[i] = -1 if b[i] <= 0.0 else 1 if b[i] >= C else 0
    for _ in range(CORRECTIONS):
        count = 0
        for i in range(m):
            if side[i] == 0:
                free[count] = i
                count += 1
            else:
                b[i] = 0.0 if side[i] < 0 else C
        g[:] = H @ b + q
        if count:
            if not _factor(H, free, count, L):
                break
            for _ in range(2):  # the second pass refines the first
                _solve(L, g, free, count, r)
                for k in range(count):
                    b[free[k]] -= r[k]
                g[:] = H @ b + q
        moves = 0
        for i in range(m):
            was = side[i]
            if was == 0:
                side[i] = -1 if b[i] <= 0.0 else 1 if b[i] >= C else 0
            elif (was > 0 and g[i] > SIGN_TOL) or (was < 0 and g[i] < -SIGN_TOL):
                side[i] = 0
            moves += was != side[i]
        if moves == 0:
            return
    b[:] = before
    g[:] = H @ b + q


@compiled()
def _factor(H: Array, free: NDArray[np.int64], count: int, L: Array) -> bool:
    """Compute the Cholesky factor of the free block; return False if it is singular."""
    level = 0.0
    for i in range(count):
        level += H[free[i], free[i]]
    ridge = 1e-12 * level / count
    for i in range(count):
        for j in range(i + 1):
            total = H[free[i], free[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if total + ridge <= 0.0:
                    return False
                L[i, i] = np.sqrt(total + ridge)
            else:
                L[i, j] = total / L[j, j]
    return True


@compiled()
def _solve(L: Array, g: Array, free: NDArray[np.int64], count: int, r: Array) -> None:
    for i in range(count):
        total = g[free[i]]
        for k in range(i):
            total -= L[i, k] * r[k]
        r[i] = total / L[i, i]
    for i in range(count - 1, -1, -1):
        r[i] /= L[i, i]
        for k in range(i):
            r[k] -= L[i, k] * r[i]


@compiled()
def _gap(p: Array, b: Array, g: Array, lambda2: float, C: float) -> float:
    """Return the duality gap relative to the summed absolute primal terms, as in `solvers.ldm`; inf outside the box."""
    loss, slack, quadratic, mean = 0.0, 0.0, 0.0, 0.0
    for i in range(len(b)):
        if not 0.0 <= b[i] <= C:
            return np.inf
        loss += C * max(-g[i], 0.0)
        slack += b[i] * g[i]
        quadratic += (b[i] + lambda2 * p[i]) * (g[i] + 1.0)
        mean += p[i] * (g[i] + 1.0)
    scale = loss + 0.5 * abs(quadratic) + lambda2 * abs(mean)
    return max(loss + slack, 0.0) / scale if scale > 0.0 else 0.0
