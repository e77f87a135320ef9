"""The dual of support vector regression, from columns of G, and the steps of its solver.

    max_a y'a - epsilon ||a||_1 - 1/2 a'Ga,   |a_i| <= C_i,   and e'a = 0 if there is a bias

Without a bias, pair moves use one more coordinate, which belongs to a zero row and balances the sum of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import DualPoint, Solution
from mdcore.solvers.explicit import solve_explicit
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.losses import tube
from mdcore.solvers.margin_newton import MarginProblem, Start
from mdcore.solvers.pairs import follow_all, gather, limits, move_pairs
from mdcore.solvers.rows import read_only
from mdcore.solvers.working_set import Columns

BATCH, GROWTH = 256, 0.5  # columns that may be requested at once: however few are present, and relative to these
SHORT = 6000  # with at most so many rows, all columns in question are requested: most examples have a coefficient
FURTHER = 0.1  # share of the worst violation that is left when pairs end
STEPS = 8.0  # moves per example in question after which pairs count as stuck
WHOLE = 0.5  # if more than this share of the rows is in question, pairs are moved in the whole matrix
RIDGE = 1e-12
FEATURE_STEPS = 30


@dataclass(frozen=True, eq=False)
class SVRProblem:
    """The loss, which is zero for margins within `epsilon` of one, and grows with slope `upper` outside."""

    epsilon: float
    upper: Array

    def loss(self, g: Array, blur: Array | float = 0.0) -> dict[str, float]:
        return {"C · deviation": float(self.upper @ np.maximum(np.abs(1.0 - g) + blur - self.epsilon, 0.0))}

    def dual_point(self, u: Array, y: Array, reach: float | None) -> DualPoint:
        """Return the dual point for coefficients u of the y_i x_i.

        A free bias, of absolute value at most `reach`, requires y'u = 0; without one `reach` is None.
        """
        if reach is not None:
            u = self._balanced(u, y)
        imbalance = 0.0 if reach is None else abs(float(y @ u)) * (reach + self.epsilon)
        size = float(np.abs(u).sum())
        conjugate = self.epsilon * size - float(u.sum()) + imbalance
        return DualPoint(u, conjugate, (1.0 + self.epsilon) * size + imbalance, np.zeros(len(u)))

    def _balanced(self, u: Array, y: Array) -> Array:
        """Return u with y'u = 0, by a change of the coefficient farthest from its bounds; u itself if that is too
        near."""
        room = np.minimum(np.abs(u), self.upper - np.abs(u))
        i = int(np.argmax(room))
        step = y[i] * float(y @ u)
        if abs(step) >= room[i]:
            return u
        balanced = u.copy()
        balanced[i] -= step
        return balanced

    def dual_points(self, found: Solution, signs: Array, own: Array, reach: float | None) -> list[DualPoint]:
        return [self.dual_point(found.forces, signs, reach)]

    def in_features(self) -> MarginProblem:
        """Return the problem for the solver in explicit features."""
        return MarginProblem(tube(self.upper, self.epsilon), self.upper / self.upper.sum())

    def best_offset(self, y: Array, g: Array) -> float:
        """Return the bias that minimises the loss, given the margins g without a bias: there its slope changes sign."""
        short = y * (1.0 - g)
        ends = np.concatenate([short - self.epsilon, short + self.epsilon])
        order = np.argsort(ends)
        slopes = np.cumsum(np.r_[self.upper, self.upper][order]) - self.upper.sum()
        return float(ends[order][int(np.argmax(slopes >= 0.0))])


@dataclass(frozen=True, eq=False)
class Iterate:
    """Coefficients a, r = y - Ga, the bias b, and the gap relative to the primal value."""

    a: Array
    r: Array
    b: float
    gap: float


@dataclass(frozen=True, eq=False)
class Moved:
    """The iterate after `count` moves of pairs; `nowhere` is true if pairs got stuck, and used up all moves allowed."""

    at: Iterate
    count: int
    nowhere: bool


class TubeDual:
    """The dual of one sample."""

    def __init__(self, problem: SVRProblem, columns: Columns, y: Array, bias: bool) -> None:
        self.problem, self.columns, self.y, self.bias = problem, columns, y, bias

    def at(self, a: Array, r: Array | None = None, b: float | None = None) -> Iterate:
        """Return the iterate with coefficients `a`; r and the best bias are computed unless given."""
        problem, y = self.problem, self.y
        if r is None:
            r = y - self.columns.product(a)
        if b is None:
            b = problem.best_offset(np.ones(len(y)), 1.0 - r) if self.bias else 0.0
        f = y - r
        square = float(a @ f)
        imbalance = (1.0 + problem.epsilon + float(np.abs(f).max())) * abs(float(a.sum())) if self.bias else 0.0
        primal = 0.5 * square + sum(problem.loss(1.0 - r + b).values())
        dual = float(y @ a) - problem.epsilon * float(np.abs(a).sum()) - 0.5 * square
        gap = (max(primal - dual, 0.0) + imbalance) / primal if primal > 0.0 else 0.0
        return Iterate(a, r, b, gap)

    def begin(self, start: Array | None) -> Iterate:
        """Return the iterate at zero, or at feasible coefficients near `start`."""
        if start is None:
            return self.at(np.zeros(len(self.y)))
        upper = self.problem.upper
        a = np.clip(start, -upper, upper)
        excess = float(a.sum()) if self.bias else 0.0
        if excess != 0.0:
            room = a + upper if excess > 0.0 else upper - a
            inside = np.where(self.is_free(a), room, 0.0)
            room = inside if inside.sum() > abs(excess) else room
            a = np.clip(a - excess * room / room.sum(), -upper, upper)
        return self.at(a)

    def is_free(self, a: Array) -> NDArray[np.bool_]:
        return np.asarray((a != 0.0) & (np.abs(a) < self.problem.upper))

    def face(self, a: Array) -> Array:
        """Return 1 or -1 for coefficients at a bound, 1/2 or -1/2 for free coefficients, and 0 for zeros."""
        return np.asarray(np.sign(a) * np.where(self.is_free(a), 0.5, 1.0))

    def move(self, at: Iterate) -> Moved:
        """Move pairs of the examples in question: free coefficients, and coefficients that some pair would improve."""
        pays, costs, top, bottom = self._directions(at)
        in_question = self.is_free(at.a) | (pays > bottom) | (costs < top)
        if not self.columns.is_whole:
            self._ask(in_question, np.maximum(pays - bottom, top - costs))
            in_question &= self.columns.place >= 0
        W = np.flatnonzero(in_question)
        a, r, most = at.a.copy(), at.r.copy(), int(STEPS * len(W)) + BATCH
        count = self._move_among(W, a, r, FURTHER * (top - bottom), most)
        return Moved(self.at(a, r), count, count == most)

    def _directions(self, at: Iterate) -> tuple[Array, Array, float, float]:
        """Return the slopes of raising each coefficient, the costs of lowering it, the largest slope and the least
        cost."""
        rise, fall = limits(at.a, self.problem.upper, np.full(len(at.a), self.problem.epsilon))
        pays, costs = at.r + rise, at.r + fall
        top, bottom = float(pays.max()), float(costs.min())
        return pays, costs, top if self.bias else max(top, 0.0), bottom if self.bias else min(bottom, 0.0)

    def _ask(self, in_question: NDArray[np.bool_], violation: Array) -> None:
        """Fetch the columns of the examples in question; with many rows, only a batch with the worst violations."""
        known = self.columns.place >= 0
        asking = np.flatnonzero(in_question & ~known)
        if len(known) > SHORT:
            worst_first = np.argsort(-violation[asking], kind="stable")
            asking = asking[worst_first[: max(BATCH, int(GROWTH * known.sum()))]]
        self.columns.fetch(asking, np.flatnonzero(in_question & known))

    def _move_among(self, W: Index, a: Array, r: Array, enough: float, most: int) -> int:
        """Move pairs in W and update r, in place; return the number of moves."""
        columns, problem = self.columns, self.problem
        if self.bias and columns.is_whole and len(W) > WHOLE * len(a):
            epsilon = np.full(len(a), problem.epsilon)
            return int(move_pairs(columns.held, columns.diagonal, problem.upper, epsilon, a, r, enough, most))
        kept = W if self.bias else np.r_[W, -1]
        own, upper, x, short = columns.diagonal[kept], problem.upper[kept], a[kept], r[kept]
        epsilon = np.full(len(kept), problem.epsilon)
        if not self.bias:
            own[-1], upper[-1], epsilon[-1], x[-1], short[-1] = 0.0, np.inf, 0.0, 0.0, 0.0
        count = int(move_pairs(read_only(self._block(W)), own, upper, epsilon, x, short, enough, most))
        change = x[: len(W)] - a[W]
        a[W] = x[: len(W)]
        follow_all(columns.held, columns.place[W], change, r)
        return count

    def _block(self, W: Index) -> Array:
        """Return the rows and columns W of G; without a bias, append those of the zero row."""
        if self.bias:
            return self._among(W)
        K = np.zeros((len(W) + 1, len(W) + 1))
        K[:-1, :-1] = self._among(W)
        return K

    def _among(self, W: Index) -> Array:
        K = np.empty((len(W), len(W)))
        gather(self.columns.held, self.columns.place[W], W, K)
        return K

    def to_the_edges(self, at: Iterate, solves: int) -> Iterate:
        """Move to where the free examples lie on the edges of the tube, with the others fixed.

        Solve at most `solves` linear systems. A coefficient that meets a bound or zero on the way is fixed there.
        """
        a, r, b = at.a.copy(), at.r, at.b
        for _ in range(solves):
            F = np.flatnonzero(self.is_free(a))
            found = self._step_to_the_edges(F, a, r, b) if len(F) else None
            if found is None:
                break
            step, rise = found
            end = np.where(step * a[F] > 0.0, np.sign(a[F]) * self.problem.upper[F], 0.0)
            ways = np.divide(end - a[F], step, out=np.full(len(F), np.inf), where=step != 0.0)
            first = int(np.argmin(ways))
            t = min(float(ways[first]), 1.0)
            a[F] += t * step
            if t < 1.0:
                a[F[first]] = end[first]
            b += t * rise
            r = self.y - self.columns.product(a)
            if t == 1.0:
                return min(self.at(a, r, b), self.at(a, r), key=gap_of)
        return self.at(a, r)

    def _step_to_the_edges(self, F: Index, a: Array, r: Array, b: float) -> tuple[Array, float] | None:
        """Return the changes of the coefficients F and of the bias; None if the system is singular."""
        system = self._among(F)
        add_to_diagonal(system, RIDGE * float(self.columns.diagonal.max()))
        try:
            L = cholesky(system)
        except NotPositiveDefinite:
            return None
        short = (r - b)[F] - self.problem.epsilon * np.sign(a[F])
        ones, step = cholesky_solve(L, np.column_stack([np.ones(len(F)), short])).T
        rise = float((step.sum() + a.sum()) / ones.sum()) if self.bias else 0.0
        return step - rise * ones, rise

    def in_features(self, Z: Array, held: Array, tol: float) -> Iterate:
        """Solve in explicit features, ZZ' = G, starting from the dual variables `held`."""
        y, free = self.y, int(self.bias)
        features = Features(np.column_stack([Z, np.ones(len(Z))]) if free else Z)
        start, problem = Start(np.zeros(features.width), y * held), self.problem.in_features()
        found = solve_explicit(features, y, problem, free=free, start=start, tol=tol, max_iter=FEATURE_STEPS)
        return self.at(y * found.point.a)


def gap_of(at: Iterate) -> float:
    return at.gap
