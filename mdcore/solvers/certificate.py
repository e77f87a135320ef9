"""How far a model can be from the optimum: a proof from what it predicts with, rounding counted.

The problems are min_w 1/2 ||w||^2 + L(g), L convex in the margins g_i = y_i <w, phi(x_i)>. Of any dual vector v

    P* >= -1/2 ||sum_i v_i y_i phi(x_i)||^2 - L*(-v),

so that a model needs no solver's word: its own value, and that of some v, are the certificate. A problem is a value
with `loss(g, blur)`, the terms of L, each as large as margins known to within `blur` let it be.

A computed vector is known to within its rounding alone: `Vector` says how far its scores and its length may be from
those of the exact vector with the same coefficients in the exact kernel. Errors of single kernel values add up as
random ones do, those of long sums as the square root of their length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.linalg import symmetric_product

Array = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
LONG_EPS = float(np.finfo(np.longdouble).eps)
LONG = 16.0  # a sum is made of several partial ones: its error grows by the root of its length over this
ROUNDED = 1e-6  # relative gap that rounding may leave, whatever the tol, and error that a norm may have
NEGLIGIBLE = 1e-13  # share of a problem's value
THIRDS = 150  # by which an interval shrinks: lengths may be many powers of ten too large


@dataclass(frozen=True, eq=False)
class Vector:
    """w of a feature space: the scores <w, phi(x_i)> to within `blur`, and ||w||^2 = `square` to within `slack`.

    Of several classes the scores and their blur have a column for each, and the square is the sum over the classes.
    """

    scores: Array
    square: float
    blur: Array
    slack: float

    @property
    def norm(self) -> float:
        return float(np.sqrt(max(self.square, 0.0)))

    @property
    def norm_error(self) -> float:
        """How far `norm` may be from ||w||, relative to it."""
        if self.slack == 0.0:
            return 0.0
        low, high = np.sqrt(max(self.square - self.slack, 0.0)), np.sqrt(max(self.square, 0.0) + self.slack)
        return float((high - low) / low) if low > 0.0 else np.inf

    @property
    def most(self) -> float:
        """The largest that ||w||^2 may be."""
        return max(self.square, 0.0) + self.slack

    @property
    def is_impossible(self) -> bool:
        """Whether ||w||^2 is negative beyond rounding: no inner products have been summed."""
        return self.square < -self.slack or not np.isfinite(self.square)

    def times(self, t: float) -> Self:
        return replace(
            self, scores=t * self.scores, square=t * t * self.square, blur=abs(t) * self.blur, slack=t * t * self.slack
        )


def expansion(G: Array | None, a: Array, lengths: Array, units: float, scores: Array | None = None) -> Vector:
    """w = sum_i a_i phi(x_i), of several classes a column of `a` for each. Who has the scores Ga need not have G.

    `lengths` are the ||phi(x_i)||; an entry of G may be wrong by `units` roundings of ||phi(x_i)|| ||phi(x_j)||.
    """
    if scores is None:
        assert G is not None
        scores = symmetric_product(G, a) if a.ndim == 1 else G @ a
    f = scores
    sizes = np.abs(a) * (lengths if a.ndim == 1 else lengths[:, None])
    entries, sums = units * np.linalg.norm(sizes, axis=0), grown(len(a)) * sizes.sum(axis=0)
    blur = EPS * np.multiply.outer(lengths, entries + sums)
    own = EPS * grown(a.size) * float(np.abs(a * f).sum())
    return Vector(f, float(np.vdot(a, f)), blur, 2.0 * float(np.linalg.norm(np.abs(a) * blur)) + own)


def sharpened(w: Vector, square: float, a: Array, lengths: Array, units: float) -> Vector:
    """w = sum_i a_i phi(x_i) with its ||w||^2 = `square` from extended precision; scores are what they are."""
    sizes = np.abs(a) * (lengths if a.ndim == 1 else lengths[:, None])
    entries = units * np.linalg.norm(sizes) + grown(len(a)) * sizes.sum()
    slack = 2.0 * LONG_EPS * float(np.linalg.norm(sizes)) * entries + EPS * abs(square)
    return replace(w, square=square, slack=float(slack))


def explicit(Z: Array, W: Array, lengths: Array, scores: Array | None = None) -> Vector:
    """w with given weights of the features Z, of several classes a column for each: they are w, to the last bit."""
    f = np.asarray(Z @ W) if scores is None else scores
    error, square = EPS * grown(len(W)), float(np.vdot(W, W))
    return Vector(f, square, error * np.multiply.outer(lengths, np.linalg.norm(W, axis=0)), error * square)


def combination(Z: Array, a: Array, lengths: Array) -> tuple[float, float]:
    """||Z'a||^2 of coefficients, which the rounded Z'a is not quite, and how far it may be from the exact one."""
    w = np.asarray(Z.T @ a)
    square = float(np.vdot(w, w))
    error = EPS * grown(len(a)) * float(lengths @ np.abs(a).reshape(len(a), -1).sum(axis=1))
    return square, 2.0 * error * float(np.sqrt(square)) + error * error + EPS * grown(w.size) * square


def grown(n: int) -> float:
    """Return the error of a sum of n terms in units of rounding and of the sum of their sizes."""
    return 1.0 + float(np.sqrt(n)) / LONG


@dataclass(frozen=True, eq=False)
class DualPoint:
    """A vector v and the conjugate L*(-v), the sum of terms whose sizes add up to `summed`. v is rounded as numbers of
    these `sizes` are."""

    v: Array
    conjugate: float
    summed: float
    sizes: Array

    def value(self, square: float, slack: float, lengths: Array) -> float:
        """Return what no value of the problem is below, for ||sum_i v_i y_i phi(x_i)||^2 known so far."""
        most = np.sqrt(max(square, 0.0) + slack) + 2.0 * EPS * float(self.sizes @ lengths)
        return float(-0.5 * most * most - self.conjugate - EPS * grown(len(self.v)) * self.summed)


class Problem(Protocol):
    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        """Return the terms of L by name, as large as margins known to within `blur` let them be."""
        ...


@dataclass(frozen=True)
class Certificate:
    """The objective of a model, and how far it may be above the optimum, relative to the sizes of its terms."""

    objective: float
    gap: float


def certify(problem: Problem, square: float, slack: float, g: Array, blur: Array | float, lower: float) -> Certificate:
    """Of a model with ||w||^2 and margins known so far, where no value of the problem is below `lower`."""
    terms, worst = problem.loss(g), problem.loss(g, rounded_off(g, blur))
    half = 0.5 * max(square, 0.0)
    scale = half + sum(abs(term) for term in terms.values())
    most = half + 0.5 * slack + sum(worst.values()) + EPS * grown(len(g)) * scale
    value = half + sum(terms.values())
    gap = max(most - min(lower, value), 0.0)  # a bound above the value is no better than rounding leaves the value
    relative = gap / scale if scale > 0.0 else 0.0 if gap == 0.0 else np.inf
    return Certificate(value, relative if np.isfinite(relative) else np.inf)


def rounded_off(g: Array, blur: Array | float) -> Array:
    """Return the blur of margins whose last digits are lost as well when they are put beside 1, or a bias is added."""
    size = np.abs(g)
    return np.asarray(blur + EPS * size + np.minimum(EPS, size))


def best_length(problem: Problem, w: Vector, signs: Array, best_offset: Callable[[Array], float]) -> float:
    """Return the t in [0, 1] for which t w, as rounding leaves it known, is surely best; of t = 0 all is known.

    The scores of w are margins, to which a bias adds `signs` times itself. What is minimised is convex in t. Of lengths
    that are equally good the longest counts.
    """

    def most(t: float) -> float:
        shorter = w.times(t)
        b = best_offset(shorter.scores)
        margins = shorter.scores + signs * b if b else shorter.scores
        value = 0.5 * shorter.most + sum(problem.loss(margins, rounded_off(margins, shorter.blur)).values())
        return value if np.isfinite(value) else np.inf

    low, high = 0.0, 1.0
    for _ in range(THIRDS):
        near, far = low + (high - low) / 3.0, high - (high - low) / 3.0
        if most(near) <= most(far):
            high = far
        else:
            low = near
    return min((1.0, 0.5 * (low + high), 0.0), key=most)
