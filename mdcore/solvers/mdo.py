"""min_{||w||=1} sum_i max(exp(-a m_i), exp(-b m_i)), m = Sw, b > a > 0: a steep loss for margins below zero.

The sum is convex but the sphere is not, so there are local minima, and the search runs from many starts. Each loss has
a kink at zero, where margins tend to end up. It is rounded over a width that is reduced tenfold at a time, and each
smooth problem is solved by Newton's method on the sphere. The logarithm of the sum is minimised: it has the same minima
and cannot overflow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_softmax, logsumexp

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget

WIDTHS = tuple(10.0**-k for k in range(1, 9))  # relative to the mean length of the rows
LONGEST_STEP = 0.5  # radians
LEAST_DECREASE = 1e-4
HALVINGS = 40
SAME = 1e-4  # two end points closer than this after the first width count as the same
FLOOR = 1e-10  # least curvature, as a share of the largest; smaller curvatures are raised to it


@dataclass(frozen=True)
class MDOSolution:
    """The best point `w`; `values` holds the logarithm of the sum reached from every start.

    `slope` is the norm of the gradient along the sphere at w, relative to a times the mean length of the rows.
    """

    w: Array
    values: Array
    slope: float
    n_iter: int
    converged: bool


def minimise_from(starts: Iterator[Array], S: Array, *, a: float, b: float, tol: float, max_iter: int) -> MDOSolution:
    """Return the best of the local minima, with at most `max_iter` Newton steps per start.

    Starts that lead to the same point while the kinks are still wide are continued as one.
    """
    first = [_minimise(S, (w, 0), WIDTHS[:1], a, b, tol, max_iter) for w in starts]
    distinct: list[_End] = []
    place = []
    for end in first:
        met = [k for k, other in enumerate(distinct) if np.linalg.norm(end.w - other.w) <= SAME]
        place.append(met[0] if met else len(distinct))
        if not met:
            distinct.append(end)
    ends = [_minimise(S, (end.w, end.n_iter), WIDTHS[1:], a, b, tol, max_iter) for end in distinct]
    values = np.array([log_loss(S @ end.w, a, b) for end in ends])
    best = ends[int(np.argmin(values))]
    return MDOSolution(best.w, values[place], best.slope, best.n_iter, bool(best.slope <= tol))


def log_loss(m: Array, a: float, b: float) -> float:
    """Return log sum_i max(exp(-a m_i), exp(-b m_i))."""
    return float(logsumexp(np.maximum(-a * m, -b * m)))


@dataclass(frozen=True)
class _End:
    w: Array
    slope: float
    n_iter: int


def _minimise(
    S: Array, start: tuple[Array, int], widths: tuple[float, ...], a: float, b: float, tol: float, max_iter: int
) -> _End:
    size = float(np.mean(np.linalg.norm(S, axis=1))) or 1.0
    w, n_iter = start
    for width in widths:
        rounding = _Rounded(S, a, b, width * size)
        while True:
            gradient, H = rounding.derivatives(w)
            radial = float(w @ gradient)
            tangent = gradient - radial * w
            slope = float(np.linalg.norm(tangent) / (a * size))
            if slope <= tol or n_iter >= max_iter or over_budget():
                break
            n_iter += 1
            moved = rounding.line_search(w, _newton_direction(H, w, tangent, radial), tangent)
            if moved is None:
                break
            w = moved
    return _End(w, slope, n_iter)


@dataclass(frozen=True)
class _Rounded:
    """The objective log sum_i exp(e_i), e = -a m + (b - a) s log(1 + exp(-m/s)): the kink is rounded over width s."""

    S: Array
    a: float
    b: float
    s: float

    def value(self, w: Array) -> float:
        return float(logsumexp(self._exponents(self.S @ w)))

    def derivatives(self, w: Array) -> tuple[Array, Array]:
        m = self.S @ w
        p = np.exp(log_softmax(self._exponents(m)))
        below = expit(-m / self.s)
        first = -self.a - (self.b - self.a) * below
        second = (self.b - self.a) / self.s * below * (1.0 - below)
        gradient = self.S.T @ (p * first)
        H = (self.S.T * (p * (first**2 + second))) @ self.S - np.outer(gradient, gradient)
        return gradient, H

    def line_search(self, w: Array, direction: Array, tangent: Array) -> Array | None:
        """Return the point after the first of the successively halved steps with enough decrease, on the sphere.

        Return None if rounding hides any decrease.
        """
        value, descent, t = self.value(w), float(tangent @ direction), 1.0
        for _ in range(HALVINGS):
            moved = w + t * direction
            moved /= np.linalg.norm(moved)
            if self.value(moved) <= value + LEAST_DECREASE * t * descent:
                return moved
            t /= 2.0
        return None

    def _exponents(self, m: Array) -> Array:
        return np.asarray(-self.a * m + (self.b - self.a) * self.s * np.logaddexp(0.0, -m / self.s))


def _newton_direction(H: Array, w: Array, tangent: Array, radial: float) -> Array:
    """Return the Newton step in the tangent plane of the sphere, a descent direction even with negative curvature."""
    P = np.eye(len(w)) - np.outer(w, w)
    curvatures, V = np.linalg.eigh(P @ H @ P - radial * P)
    sizes = np.abs(curvatures)
    direction = -V @ (V.T @ tangent / np.maximum(sizes, FLOOR * sizes.max()))
    direction -= (w @ direction) * w
    return np.asarray(direction * (LONGEST_STEP / max(float(np.linalg.norm(direction)), LONGEST_STEP)))
