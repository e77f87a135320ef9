"""The distance of a two-class machine from its optimum, computed with forty digits.

The kernel is recomputed from the rows, and the problem is stated as in the record. The piece of the loss on which each
margin lies is guessed, at first from the model. The stationary point of a guess is the solution of one linear system
and improves the guess. Every such point is feasible, so the best of them is no better than the optimum, and a model
that is farther from it than its gap has an invalid gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

DIGITS = 40
GUESSES = 12
ZERO, HALF, ONE, MANY = Decimal(0), Decimal("0.5"), Decimal(1), Decimal("Infinity")
TRUSTED = Decimal("1e18")  # sums up to this multiple of the objective have negligible rounding errors
NEARLY = Decimal("1e-9")  # relative distance within which a dual variable counts as at its bound
RIDGE = Decimal("1e-30")  # relative to the largest kernel value, for duplicate rows
KNOWN = ("svm", "ldm", "odm", "lssvm", "svr")
LOWER, INSIDE, HIGHER, FULL, FULL_ABOVE = range(5)  # at or below the lower end, ..., at the full price of a unit


@dataclass(frozen=True, eq=False)
class Pieces:
    """A piecewise loss: zero from `low` to `high`; outside, `cap` per unit or, if squared, 1 / (2 `soft`)."""

    low: Decimal
    high: Decimal
    cap: tuple[Decimal, Decimal] = (MANY, MANY)
    soft: tuple[Decimal, Decimal] = (ZERO, ZERO)
    lambda1: Decimal = ZERO
    lambda2: Decimal = ZERO

    @property
    def is_smooth(self) -> bool:
        return self.soft[0] > 0

    def value(self, g: np.ndarray, square: Decimal) -> tuple[Decimal, Decimal]:
        """Return the objective, and the sum of the absolute values of its terms."""
        mean = sum(g) / len(g)
        reward = self.lambda2 * mean
        rest = HALF * square + 2 * self.lambda1 * sum((g - mean) ** 2) / len(g) + sum(map(self._price, g))
        return rest - reward, rest + abs(reward)

    def _price(self, margin: Decimal) -> Decimal:
        away, side = max((self.low - margin, 0), (margin - self.high, 1))
        if away <= 0:
            return ZERO
        return HALF * away * away / self.soft[side] if self.is_smooth else self.cap[side] * away

    def of_margins(self, g: np.ndarray) -> list[int]:
        return [LOWER if margin < self.low else HIGHER if margin > self.high else INSIDE for margin in g]

    def of_forces(self, a: np.ndarray) -> list[int]:
        return [self._of_force(force) for force in a]

    def _of_force(self, force: Decimal) -> int:
        for size, edge, full, cap in ((force, LOWER, FULL, self.cap[0]), (-force, HIGHER, FULL_ABOVE, self.cap[1])):
            if size > NEARLY * cap > 0:
                return full if size >= (1 - NEARLY) * cap else edge
        return INSIDE

    def mended(self, guess: list[int], g: np.ndarray, a: np.ndarray) -> list[int]:
        """Return the next guess from the margins and forces of the last one."""
        return self.of_margins(g) if self.is_smooth else list(map(self._mended, guess, g, a))

    def _mended(self, piece: int, margin: Decimal, force: Decimal) -> int:
        if piece in (LOWER, HIGHER):
            size, cap, full = (force, self.cap[0], FULL) if piece == LOWER else (-force, self.cap[1], FULL_ABOVE)
            return full if size > cap else INSIDE if size < 0 else piece
        if margin < self.low:
            return LOWER if piece == INSIDE and self.cap[0] > 0 else piece
        if margin > self.high:
            return HIGHER if piece == INSIDE else piece
        return {FULL: LOWER, FULL_ABOVE: HIGHER}.get(piece, piece)


def pieces_of(key: str, chosen: Mapping[str, Any], m: int) -> Pieces:
    p = {name: Decimal(value) for name, value in chosen.items()}
    if key in ("svm", "ldm"):
        return Pieces(ONE, MANY, (p["C"], ZERO), lambda1=p.get("lambda1", ZERO), lambda2=p.get("lambda2", ZERO))
    if key == "svr":
        return Pieces(1 - p["epsilon"], 1 + p["epsilon"], (p["C"], p["C"]))
    if key == "lssvm":
        return Pieces(ONE, ONE, soft=(1 / p["C"], 1 / p["C"]))
    soft = m * (1 - p["theta"]) ** 2 / (2 * p["lam"])
    return Pieces(1 - p["theta"], 1 + p["theta"], soft=(soft, soft / p["mu"]))


def distance(model: Any, key: str, chosen: Mapping[str, Any], X: np.ndarray, y: np.ndarray) -> float:
    """Return a lower bound on the excess of a model over the optimum, relative to the size of the objective's terms."""
    with localcontext() as context:
        context.prec = DIGITS
        signs = np.array([ONE if label == model.classes_[1] else -ONE for label in y], dtype=object)
        pieces, K, own_bias = pieces_of(key, chosen, len(y)), _kernel(model.kernel_, X), key in ("svr", "lssvm")
        if model.is_linear:
            w, b = _exactly(model.coef_[0]), Decimal(float(model.intercept_[0]))
            f, square = _exactly(X) @ w + b, w @ w + (ZERO if own_bias else b * b)
        else:
            a = _exactly(model.dual_coef_)
            f = K @ a
            square = a @ f
            f = f + Decimal(float(model.offset_))
        value, size = pieces.value(signs * f, square)
        if size == 0:
            return 0.0
        K = K * np.multiply.outer(signs, signs)
        forces = _exactly(model.beta_)
        starts = [pieces.of_margins(signs * f)] if pieces.is_smooth else [pieces.of_forces(forces)]
        if own_bias and not pieces.is_smooth:
            starts.append(pieces.of_forces(signs * forces))
        points = (point for start in starts for point in _points(pieces, K, signs if own_bias else None, start))
        return float((value - min(points, default=value)) / size)


def _points(pieces: Pieces, K: np.ndarray, signs: np.ndarray | None, guess: list[int]) -> Iterator[Decimal]:
    """Yield the objective at the stationary points of successive guesses.

    The unknowns are u in w = sum_i u_i y_i phi(x_i), and the bias if it is not part of w; the forces are
    a = u - lambda2 p + D Ku.
    """
    m, free = len(K), int(signs is not None)
    margins = np.full((m, m + free), ZERO)
    margins[:, :m] = K
    if free:
        margins[:, m] = signs
    forces = 4 * pieces.lambda1 / m * (margins - margins.sum(axis=0) / m)
    forces[np.arange(m), np.arange(m)] += ONE
    ridge, mean = RIDGE * max(map(abs, np.diagonal(K))), pieces.lambda2 / m
    seen: set[tuple[int, ...]] = set()
    while tuple(guess) not in seen and len(seen) < GUESSES:
        seen.add(tuple(guess))
        system, right = np.full((m + free, m + free), ZERO), np.full(m + free, ZERO)
        for i, piece in enumerate(guess):
            if piece in (LOWER, HIGHER):
                soft = pieces.soft[piece == HIGHER] + ridge
                system[i] = margins[i] + soft * forces[i]
                right[i] = (pieces.low if piece == LOWER else pieces.high) + soft * mean
            else:
                system[i] = forces[i]
                right[i] = mean + {FULL: pieces.cap[0], FULL_ABOVE: -pieces.cap[1]}.get(piece, ZERO)
        if free:
            system[m, :m] = signs
        u = _solved(system, right)
        g = margins @ u
        value, size = pieces.value(g, u[:m] @ (K @ u[:m]))
        if (sizes := abs(u[:m])) @ (abs(K) @ sizes) <= TRUSTED * size:  # nearly duplicate rows cancel digits
            yield value
        guess = pieces.mended(guess, g, forces @ u - mean)


def _kernel(kernel: Any, X: np.ndarray) -> np.ndarray:
    rows, gamma = _exactly(X), Decimal(kernel.gamma)
    if kernel.name in ("linear", "poly"):
        products = rows @ rows.T
        values = products if kernel.name == "linear" else (gamma * products + Decimal(kernel.coef0)) ** kernel.degree
    else:
        values = np.full((len(X), len(X)), ONE)
        for i, j in zip(*np.tril_indices(len(X), -1), strict=True):
            apart = rows[i] - rows[j]
            away = sum(apart * apart) if kernel.name == "rbf" else sum(map(abs, apart))
            values[i, j] = values[j, i] = (-gamma * away).exp()
    return values + (ONE if kernel.bias else ZERO)


def _exactly(A: np.ndarray) -> np.ndarray:
    values = np.asarray(A, dtype=np.float64)
    return np.array([Decimal(float(value)) for value in values.ravel()], dtype=object).reshape(values.shape)


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return A^-1 b by Gaussian elimination with pivoting, in place."""
    n = len(b)
    for k in range(n):
        pivot = k + max(range(n - k), key=lambda i: abs(A[k + i, k]))
        A[[k, pivot]], b[[k, pivot]] = A[[pivot, k]], b[[pivot, k]]
        A[k, k] = A[k, k] or RIDGE
        below = k + 1 + np.flatnonzero(A[k + 1 :, k])
        if len(below):
            factor = A[below, k] / A[k, k]
            A[below, k:] -= np.multiply.outer(factor, A[k, k:])
            b[below] -= factor * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - (A[k, k + 1 :] @ b[k + 1 :] if k + 1 < n else ZERO)) / A[k, k]
    return b
