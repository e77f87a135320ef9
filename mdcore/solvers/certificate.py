"""Certificates of near-optimality, computed from a model's own predictions and with rounding errors included.

The problems are min_w 1/2 ||w||^2 + L(g), L convex in the margins g_i = y_i <w, phi(x_i)>. For any dual vector v

    P* >= -1/2 ||sum_i v_i y_i phi(x_i)||^2 - L*(-v),

so the value of the model and the dual value of some v certify the model, independently of the solver. A problem is an
object with a method `loss(g, blur)` that returns the terms of L: upper bounds for margins known to within `blur`.

A computed vector is known up to rounding only: `Vector` bounds the distance of its scores and its length from those of
the exact vector with the same coefficients in the exact kernel. Errors of single kernel values are taken to add up like
random errors, errors of long sums to grow with the square root of their length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.linalg import symmetric_product

if TYPE_CHECKING:
    from mdcore.solvers.margin_newton import MarginProblem


EPS = float(np.finfo(np.float64).eps)
LONG_EPS = float(np.finfo(np.longdouble).eps)
LONG = 16.0  # sums are computed as several partial sums: the error grows with the root of the length over this
ROUNDED = 1e-6  # relative gap that may be due to rounding, for any tol, and tolerated relative error of a norm
NEGLIGIBLE = 1e-13  # negligible share of a problem's value
THIRDS = 150  # steps of the ternary search: lengths may be many powers of ten too large


@dataclass(frozen=True, eq=False)
class Vector:
    """A vector w of a feature space: the scores <w, phi(x_i)> to within `blur`, and ||w||^2 = `square` to within
    `slack`.

    For several classes the scores and their blur have one column per class, and the square is summed over the classes.
    """

    scores: Array
    square: float
    blur: Array
    slack: float

    @property
    def norm(self) -> float:
        return math.sqrt(max(self.square, 0.0))

    @cached_property
    def norm_error(self) -> float:
        """Upper bound on the relative error of `norm`."""
        if self.slack == 0.0:
            return 0.0
        low, high = math.sqrt(max(self.square - self.slack, 0.0)), math.sqrt(max(self.square, 0.0) + self.slack)
        return (high - low) / low if low > 0.0 else math.inf

    @property
    def most(self) -> float:
        """Upper bound on ||w||^2."""
        return max(self.square, 0.0) + self.slack

    @property
    def is_impossible(self) -> bool:
        """Whether ||w||^2 is not finite, or negative beyond rounding, so that the kernel is no inner product."""
        return self.square < -self.slack or not math.isfinite(self.square)

    def times(self, t: float) -> Self:
        return replace(
            self, scores=t * self.scores, square=t * t * self.square, blur=abs(t) * self.blur, slack=t * t * self.slack
        )


def expansion(G: Array | None, a: Array, lengths: Array, units: float, scores: Array | None = None) -> Vector:
    """Return w = sum_i a_i phi(x_i); for several classes `a` has one column per class.

    `lengths` are the ||phi(x_i)||; the error of an entry of G is at most `units` rounding errors of the number
    ||phi(x_i)|| ||phi(x_j)||. G is not needed if the scores Ga are given.
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
    """Return w = sum_i a_i phi(x_i) with ||w||^2 = `square` computed in extended precision, and the same scores."""
    sizes = np.abs(a) * (lengths if a.ndim == 1 else lengths[:, None])
    entries = units * np.linalg.norm(sizes) + grown(len(a)) * sizes.sum()
    slack = 2.0 * LONG_EPS * float(np.linalg.norm(sizes)) * entries + EPS * abs(square)
    return replace(w, square=square, slack=float(slack))


def explicit(Z: Array, W: Array, lengths: Array, scores: Array | None = None) -> Vector:
    """Return the vector with weights W of the features Z, one column per class if there are several classes.

    The weights are w itself, so that the only rounding errors are those of its scores and its length.
    """
    f = np.asarray(Z @ W) if scores is None else scores
    error, square = EPS * grown(len(W)), float(np.vdot(W, W))
    return Vector(f, square, error * np.multiply.outer(lengths, np.linalg.norm(W, axis=0)), error * square)


def combination(Z: Array, a: Array, lengths: Array) -> tuple[float, float]:
    """Return ||Z'a||^2 for coefficients a, and a bound on its distance from the exact value."""
    w = np.asarray(Z.T @ a)
    square = float(np.vdot(w, w))
    error = EPS * grown(len(a)) * float(lengths @ np.abs(a).reshape(len(a), -1).sum(axis=1))
    return square, 2.0 * error * float(np.sqrt(square)) + error * error + EPS * grown(w.size) * square


def grown(n: int) -> float:
    """Return the error of a sum of n terms, relative to the machine epsilon times the sum of their absolute values."""
    return 1.0 + float(np.sqrt(n)) / LONG


@dataclass(frozen=True, eq=False)
class DualPoint:
    """A dual vector v and the conjugate L*(-v), a sum of terms whose absolute values add up to `summed`.

    The rounding errors of the v_i are those of numbers as large as `sizes`.
    """

    v: Array
    conjugate: float
    summed: float
    sizes: Array

    def value(self, square: float, slack: float, lengths: Array) -> float:
        """Return a lower bound of the problem, given ||sum_i v_i y_i phi(x_i)||^2 = `square` to within `slack`."""
        most = np.sqrt(max(square, 0.0) + slack) + 2.0 * EPS * float(self.sizes @ lengths)
        return float(-0.5 * most * most - self.conjugate - EPS * grown(len(self.v)) * self.summed)


class Problem(Protocol):
    """A problem of the module's docstring, given by its loss."""

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        """Return the terms of L by name, each an upper bound for margins known to within `blur`."""
        ...


class MarginLoss(Problem, Protocol):
    """A loss of the margins of two classes."""

    def dual_points(self, found: Solution, signs: Array, own: Array, reach: float | None) -> list[DualPoint]:
        """Return dual points from the solver's solution, for a model with the margins `own`.

        `reach` is the largest absolute value that a free bias may have, None if there is none.
        """
        ...

    def in_features(self) -> MarginProblem:
        """Return the problem for the solver in explicit features."""
        ...


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver returns: w = sum_i a_i phi(x_i), and the dual variables of the examples, their `forces`.

    `g` are its margins, if they may differ from those of w; `W` are weights of explicit features, if they are more
    accurate than `a`; `offset` is a bias that is no part of w. The defaults are those of a closed form.
    """

    a: Array
    forces: Array
    g: Array | None = None
    W: Array | None = None
    offset: float = 0.0
    n_iter: int = 1
    converged: bool = True


@dataclass(frozen=True)
class Certificate:
    """The value `primal` of a model, and a lower bound `dual` of the optimum, less the rounding errors of the value.

    `dual` is nan if the method has no certificate. `scale` is the sum of the absolute terms of the value.
    """

    primal: float
    dual: float = np.nan
    scale: float = np.nan

    @cached_property
    def gap(self) -> float:
        """The largest possible excess of the value over the optimum, relative to the scale; nan if it is unknown."""
        if math.isnan(self.dual):
            return math.nan
        excess = max(self.primal - self.dual, 0.0)  # only rounding puts a lower bound above the value
        relative = excess / self.scale if self.scale > 0.0 else 0.0 if excess == 0.0 else math.inf
        return relative if math.isfinite(relative) else math.inf


def certify(problem: Problem, square: float, slack: float, g: Array, blur: Array | float, lower: float) -> Certificate:
    """Return the certificate of a model with ||w||^2 known to within `slack` and margins to within `blur`.

    `lower` is a lower bound of the problem.
    """
    terms, worst = problem.loss(g), problem.loss(g, rounded_off(g, blur))
    half = 0.5 * max(square, 0.0)
    scale = half + sum(abs(term) for term in terms.values())
    most = half + 0.5 * slack + sum(worst.values()) + EPS * grown(len(g)) * scale
    value = half + sum(terms.values())
    excess = most - min(lower, value)
    return Certificate(value, value - excess if math.isfinite(excess) else -math.inf, scale)


def rounded_off(g: Array, blur: Array | float) -> Array:
    """Return `blur` plus the rounding errors of comparing the margins with 1, or of adding a bias to them."""
    size = np.abs(g)
    return np.asarray(blur + EPS * size + np.minimum(EPS, size))


def best_length(problem: Problem, w: Vector, signs: Array, best_offset: Callable[[Array], float]) -> float:
    """Return the t in [0, 1] for which the upper bound on the value of t w, rounding errors included, is smallest.

    The scores of w are margins; a bias b adds `signs` times b to them. The bound is convex in t and exact at t = 0.
    Among equally good lengths the longest is returned.
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


def largest_bias(problem: Problem, w: Vector, signs: Array, offset: float, longest: float) -> float:
    """Return an upper bound on |b| at the optimum, where ||w||^2 is at most twice the value of the model (w, offset).

    The best b lies between the smallest and the largest y_i - f_i, extended by the deviation that costs nothing, and no
    row is longer than `longest`.
    """
    value = 0.5 * w.most + sum(problem.loss(signs * (w.scores + offset), w.blur).values())
    return float(1.0 + np.sqrt(2.0 * value) * longest)
