"""One round of block coordinate ascent on the dual of a kernel machine, in the time of computing the dual value.

The dual value is sum_i -loss*_i(-a_i) - 1/2 v'Kv, where the coefficients v are a constant plus those of the dual
variables a. The rows are visited in blocks B. With the others fixed, the block's dual variables ascend one at a time;
this needs the values K_BB and the scores (Kv)_B. A visit computes the kernel values of B with itself and with all later
rows. Those with earlier rows were computed at earlier visits, when the coefficients of these rows had just become
final, so that their products were kept. Thus each kernel value of two rows is computed once, as for v'Kv alone, and
v'Kv is known, at the start and at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeVar

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import raise_if_stopped
from mdcore.solvers.class_block import ClassLoss, climb, primal_and_conjugate
from mdcore.solvers.losses import Loss, long_enough

Rows = Index | slice
Values = Callable[[Array, Array], Array]
F = TypeVar("F", bound="Forces")

BLOCK = 2**21  # kernel values computed per block
LEVEL = 0.1  # constant added to the kernel, relative to its diagonal, where the sum of the coefficients stays the same
ROUNDS = 20  # in which each dual variable of a block is solved for once


class Forces(Protocol):
    """The dual variables `a` of some rows, with a row of them for each, and the losses."""

    @property
    def a(self) -> Array: ...

    @property
    def coefficients(self) -> Array:
        """Their part of the coefficients v."""

    @property
    def linear(self) -> float:
        """The part of the dual value that is linear in them."""

    @property
    def value(self) -> float:
        """The part of the dual value that they change, without -1/2 v'Kv."""

    def of(self, rows: Rows) -> Self:
        """Return those of some of the rows."""

    def moved(self, a: Array) -> Self:
        """Return others of the same rows."""

    def ascended(self, K: Array, scores: Array) -> Self:
        """Return some with a larger dual value; `K` are the kernel values among the rows, `scores` those of Kv."""


@dataclass(frozen=True, eq=False)
class MarginForces:
    """The dual variables of a problem of `margin_newton`, with s fixed.

    `bias` is None or the bias of a model whose last feature is free. Then sum_i y_i a_i stays the same.
    """

    loss: Loss
    signs: Array
    a: Array
    bias: float | None

    @property
    def coefficients(self) -> Array:
        return self.signs * self.a

    @property
    def linear(self) -> float:
        return self.loss.linear(self.a)

    @property
    def value(self) -> float:
        return -self.loss.conjugate(self.a)

    def of(self, rows: Rows) -> Self:
        return replace(self, loss=self.loss.of(rows, 1.0), signs=self.signs[rows], a=self.a[rows])

    def moved(self, a: Array) -> Self:
        return replace(self, a=a)

    def ascended(self, K: Array, scores: Array) -> Self:
        if self.bias is None:
            return self.moved(self.loss.ascended(K, self.signs, self.signs * scores, self.a, ROUNDS))
        wide = K + LEVEL * float(np.diagonal(K).mean())  # keeps the sum of the changes small, before they are balanced
        found = self.loss.ascended(wide, self.signs, self.signs * (scores + self.bias), self.a, ROUNDS)
        change = balanced(self.signs * (found - self.a))
        step = self.signs * change
        slope = self.loss.conjugate(self.a) - self.loss.conjugate(self.a + step) - float(change @ scores)
        bend = float(change @ (K @ change))
        return self.moved(self.a + (min(slope / bend, 1.0) if min(slope, bend) > 0.0 else 0.0) * step)


@dataclass(frozen=True, eq=False)
class ClassForces:
    """The dual variables of a machine with several classes (`class_block`) and a hinge loss; `codes` are the labels."""

    loss: ClassLoss
    weight: Array
    codes: Index
    a: Array

    @property
    def coefficients(self) -> Array:
        return self.a

    @property
    def linear(self) -> float:
        no_runner, no_limit = np.full(len(self.a), -1), np.full(len(self.a), np.inf)
        scores = np.zeros_like(self.a)  # which do not matter for the conjugate
        return -primal_and_conjugate(scores, self.a, self.codes, no_runner, no_limit, self.loss, self.weight)[1]

    @property
    def value(self) -> float:
        return self.linear

    def of(self, rows: Rows) -> Self:
        return replace(self, weight=self.weight[rows], codes=self.codes[rows], a=self.a[rows])

    def moved(self, a: Array) -> Self:
        return replace(self, a=a)

    def ascended(self, K: Array, scores: Array) -> Self:
        a = self.a.copy()
        climb(K, long_enough(np.diagonal(K)), scores.copy(), self.codes, self.loss, self.weight, a, ROUNDS)
        return self.moved(a)


def balanced(change: Array) -> Array:
    """Return the changes with the positive or the negative ones scaled down, so that their sum is zero."""
    up, down = float(change[change > 0.0].sum()), -float(change[change < 0.0].sum())
    if up == 0.0 or down == 0.0:
        return np.zeros_like(change)
    return change * np.where(change > 0.0, min(1.0, down / up), min(1.0, up / down))


def upper_half(kernel: Values, X: Array) -> Iterator[tuple[int, int, Array, Array]]:
    """Yield the first and the last row of each block, its kernel values, and those with all later rows."""
    step = max(1, BLOCK // max(1, len(X)))
    for first in range(0, len(X), step):
        raise_if_stopped()
        last = min(first + step, len(X))
        values = kernel(X[first:last], X[first:])
        yield first, last, values[:, : last - first], values[:, last - first :]


def ascend(kernel: Values, X: Array, v: Array, forces: F, constant: float) -> tuple[F, float, float]:
    """Return better dual variables than `forces`, whose coefficients are part of v, and v'Kv before and after.

    `constant` is added to the kernel, but not to v'Kv.
    """
    start, v, kept, parts = v, v.copy(), np.zeros_like(v), list[Array]()
    total, before, after = v.sum(axis=0), 0.0, 0.0
    for first, last, near, far in upper_half(kernel, X):
        here, own = slice(first, last), near.astype(np.float64)
        later = far @ v[last:].astype(far.dtype)
        begin = forces.of(here)
        end = begin.ascended(own + constant, own @ v[here] + later + kept[here] + constant * total)
        change = end.coefficients - begin.coefficients
        v[here] += change
        total = total + change.sum(axis=0)
        before += _form(own, start[here], later)
        after += _form(own, v[here], kept[here])
        kept[last:] += far.T @ v[here].astype(far.dtype)
        parts.append(end.a)
    return forces.moved(np.concatenate(parts)), before, after


def _form(K: Array, v: Array, others: Array) -> float:
    """Return v'Kv + 2 v'others."""
    return float(np.vdot(v, K @ v)) + 2.0 * float(np.vdot(v, others))
