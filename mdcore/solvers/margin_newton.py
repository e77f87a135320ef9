"""Margin machines in explicit features: the duality gap, and proximal Newton steps that close it.

For rows z_i with labels y_i, margins s_i = y_i z_i'w and weights p_i that sum to one, the problem is

    min_w 1/2 |w|^2 + 2 lambda1 Var_p(s) - lambda2 mean_p(s) + sum_i loss_i(s_i) ,

where |w| leaves out the `free` last features (a bias outside ||w||). The dual has one variable a_i per row, in the
domain of the conjugate loss. With D_p = 4 lambda1 (diag(p) - pp') and S = diag(y) Z, any w and a give

    u = a + lambda2 p - D_p s,   r = S'u - w,   primal - dual = sum_i [loss(s_i) + loss*(-a_i) + a_i s_i] + 1/2 |r|^2 ,

a sum of squares and products without cancellation. The proximal point method on the dual smooths the kinks of the loss
around the dual variables of the previous step. Newton's method solves each step in w; its systems M + S_F'S_F/rho
involve only the few rows F on a kink and M = I + S'D_pS, which depends only on the rows and on lambda1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import over_budget
from mdcore.solvers.features import BLOCK, Features, RunningGram
from mdcore.solvers.linalg import (
    NotPositiveDefinite,
    add_to_diagonal,
    cholesky,
    cholesky_solve,
    line_search,
    solve_lower,
)
from mdcore.solvers.losses import Loss

NEWTON_STEPS = 40  # per proximal step
WIDEST = 3000  # with more features, systems are solved by conjugate gradients
CONJUGATE_STEPS = 200
FIRST_WIDTH, LAST_WIDTH = 4.0, 1e-9  # width of the smoothed margins around a kink: at first, and at least
WARM, HELD = 0.1, 0.01  # first width over FIRST_WIDTH: with initial weights; least, with initial dual variables too
NARROWER, LAST_NARROWER = 0.3, 0.01  # factor of the width after a slow step, and in the last step
NEAR = 10.0  # first width as a multiple of the gap, if initial weights and dual variables are given
SLOW = 0.2  # a step that leaves more than this share of the gap is slow, unless its split is small: at most NEARLY
NEARLY, STEADY = 2.0, 0.6  # times the tolerance, and a share STEADY of the split before it
SETTLED = 0.3  # share of the tolerance that an inexact Newton solution may contribute to the gap,
ROUGHLY = 3.0  # or multiple of the split
LAST_DIGITS = 1e-6  # factor of the tolerance in the last step
NO_DIGITS = 1e-4  # with a larger tolerance there is no last step
PATIENCE = 12  # steps without halving the gap, after which the method ends
LAST_ROWS = 5_000  # with more rows there is no last step: it takes too long
QUICK = 2e9  # operations that take no noticeable time
TIGHT = 1e-14  # relative regularisation of the systems


@dataclass(frozen=True, eq=False)
class MarginProblem:
    """The loss, the weights p and the parameters of the problem in the module's docstring."""

    loss: Loss
    p: Array
    lambda1: float = 0.0
    lambda2: float = 0.0

    def of(self, rows: Index) -> MarginProblem:
        """Return the problem of a sample of the rows that stands for all of them."""
        p = self.p[rows]
        share = float(p.sum() / self.p.sum())
        return MarginProblem(self.loss.of(rows, share), p / p.sum(), self.lambda1, self.lambda2)


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments S'p and S'(diag(p) - pp')S of the rows."""

    mean: Array
    spread: Array

    @classmethod
    def of(cls, Z: Features, y: Array, p: Array) -> Moments:
        return cls(Z.pull(p * y), Z.scatter(p, y))


@dataclass(frozen=True, eq=False)
class Point:
    """Weights `w` with margins `s`, dual variables `a`, coefficients `u` of the dual vector S'u, and `residual` = r.

    `excess` is the duality gap, and `split` the part of it where losses and dual variables disagree. `size` is the sum
    of the absolute terms of the primal, to which `gap` is relative.
    """

    w: Array
    s: Array
    a: Array
    u: Array
    excess: float
    split: float
    size: float
    residual: Array

    @property
    def gap(self) -> float:
        if self.size == 0.0:  # w = 0, which is optimal unless there is a duality gap
            return np.inf if self.excess > 0.0 else 0.0
        return self.excess / self.size


@dataclass(frozen=True, eq=False)
class Start:
    """Initial weights and, if known, dual variables `a`, the margins `s` of the weights, and `drawn` = S'a."""

    w: Array
    a: Array | None = None
    s: Array | None = None
    drawn: Array | None = None


def first_width(at: Point, warm: bool, held: bool) -> float:
    """Return the first width of the smoothing; `warm` and `held` say whether weights and dual variables are given."""
    most = FIRST_WIDTH * (WARM if warm else 1.0)
    return min(max(NEAR * at.gap, HELD * FIRST_WIDTH), most) if held else most


class Machine:
    """The problem of features Z and labels y, whose points and steps it computes; `free` is as in the module."""

    last_digits: ClassVar[bool] = True  # whether to take one more step after convergence

    def __init__(
        self, Z: Features, y: Array, problem: MarginProblem, free: int, moments: Callable[[], Moments] | None
    ) -> None:
        self.Z, self.y, self.problem = Z, y, problem
        self.penalty = np.ones(Z.width)
        self.penalty[Z.width - free :] = 0.0
        self.c = problem.lambda2 * problem.p
        self._moments = moments
        self.metric: Array | None = None  # M
        if Z.width <= WIDEST:
            self.metric = np.diag(self.penalty)
            if problem.lambda1 > 0.0:
                self.metric += 4.0 * problem.lambda1 * self._known.spread

    @cached_property
    def _known(self) -> Moments:
        return Moments.of(self.Z, self.y, self.problem.p) if self._moments is None else self._moments()

    @cached_property
    def _kinked(self) -> RunningGram:
        return RunningGram(self.Z)

    def rest(self) -> None:
        """Free the memory that only further steps need, before the solution is kept."""
        self.__dict__.pop("_kinked", None)

    @cached_property
    def _pushed(self) -> Array:
        """The vector lambda2 S'p."""
        if self.problem.lambda2 == 0.0:
            return np.zeros(self.Z.width)
        return self.problem.lambda2 * self._known.mean if self.problem.lambda1 > 0.0 else self.pull(self.c)

    def pull(self, u: Array) -> Array:
        return self.Z.pull(self.y * u)

    def scores(self, w: Array) -> Array:
        return self.y * self.Z.scores(w)

    def spread(self, s: Array) -> Array:
        """Return D_p s."""
        p, lambda1 = self.problem.p, self.problem.lambda1
        return 4.0 * lambda1 * p * (s - p @ s) if lambda1 > 0.0 else np.zeros_like(s)

    def at(self, start: Start) -> Point:
        """Return the point at `start`; missing dual variables are those of the smoothed loss at its margins."""
        loss, w = self.problem.loss, start.w
        s = self.scores(w) if start.s is None else start.s
        if start.a is None:
            return self.point(w, s, loss.force(s, np.zeros_like(s), self.smoothing(FIRST_WIDTH))[0])
        a = loss.clip(start.a)
        if start.drawn is None or self._is_exact:
            return self.point(w, s, a)
        assert self.metric is not None
        return self._assessed(w, s, a, self._force(s, a), start.drawn + self._pushed - self.metric @ w)

    def drawn(self, point: Point) -> Array | None:
        """Return S'a of a point, or None if computing it would take a pass over the rows."""
        return None if self.metric is None else point.residual - self._pushed + self.metric @ point.w

    @property
    def _is_exact(self) -> bool:
        """Whether every point is computed from all rows; in single precision most points are updated from others."""
        return not self.Z.single or self.metric is None

    def _force(self, s: Array, a: Array) -> Array:
        """Return u = a + lambda2 p - D_p s."""
        return a + self.c - self.spread(s)

    def point(self, w: Array, s: Array, a: Array) -> Point:
        u = self._force(s, a)
        return self._assessed(w, s, a, u, self.pull(u) - self.penalty * w)

    def beside(self, at: Point, w: Array, s: Array, a: Array) -> Point:
        """Return the point (w, s, a); in single precision from its difference to `at`, as most dual variables agree."""
        if self._is_exact:
            return self.point(w, s, a)
        return self._assessed(w, s, a, self._force(s, a), self.moved(at, w, a))

    def moved(self, at: Point, w: Array, a: Array) -> Array:
        """Return S'u - w for weights w and dual variables a, from the residual at another point and M, without
        margins."""
        assert self.metric is not None
        return at.residual + self.pull(a - at.a) - self.metric @ (w - at.w)

    def certified(self, w: Array, s: Array, held: Point, pulled: Array) -> Point:
        """Return the point (w, s) with the dual variables and the u of `held`, for which S'u = `pulled`.

        Any u is feasible; the mismatch between u and the margins s adds to the gap.
        """
        moved = s - held.s
        missed = 0.5 * float(moved @ self.spread(moved))
        return self._assessed(w, s, held.a, held.u, pulled - self.penalty * w, missed)

    def _assessed(self, w: Array, s: Array, a: Array, u: Array, r: Array, missed: float = 0.0) -> Point:
        loss, split = self.problem.loss.value_and_disagreement(s, a)
        excess = split + self.defect(w, s, r) + missed
        size = 0.5 * self.curvature(w, s) + abs(float(self.c @ s)) + loss
        return Point(w, s, a, u, max(excess, 0.0), split, size, r)

    def defect(self, w: Array, s: Array, r: Array) -> float:
        """Return the part of the gap that is due to r = S'u - w."""
        held = self.penalty > 0.0
        own = 0.5 * float(r[held] @ r[held])
        if held.all():
            return own
        # The dual requires S'u = 0 on free features. Optimal free weights are bounded, because the margins are.
        return own + float(np.abs(r[~held]) @ (np.abs(w[~held]) + 2.0 + np.abs(s).max(initial=0.0)))

    def largest_curvature(self) -> float:
        work = float(len(self.Z)) * self.Z.width**2
        if self.problem.lambda1 == 0.0 or self.metric is None or self.Z.sparse or work > QUICK:
            return float(self.Z.squares.max())
        factor = cholesky(self.metric.copy())
        step = max(1, BLOCK // self.Z.width)
        blocks = (self.Z.Z[first : first + step] for first in range(0, len(self.Z), step))
        solved = (solve_lower(factor, np.array(block.T, dtype=np.float64, order="F")) for block in blocks)
        return max(float(np.einsum("ij,ij->j", column, column).max()) for column in solved)

    def smoothing(self, width: float) -> Array:
        """Return the rho for which the dual variable of a row at a kink crosses its range over `width` of margins."""
        cap = self.problem.loss.cap.max(axis=0)
        rho: Array = np.divide(width, cap, out=np.ones_like(cap), where=cap > 0.0)
        rho[np.isinf(cap)] = 0.0
        return rho

    def descend(self, best: Point, width: float, tol: float, max_iter: int) -> tuple[Point, int, float]:
        """Take proximal steps until the gap is `tol`, and narrow the smoothing from `width` whenever a step is slow.

        Return the best point, the number of steps, and the last width.
        """
        kinked = self.problem.loss.kinked
        centre, n_iter, waited, done = best, 0, 0, False
        while not done and n_iter < max_iter and waited < PATIENCE and not over_budget():
            n_iter += 1
            # For few rows, one more step gives the last digits of w: a gap of 1e-8 still allows an error of 1e-4 in w.
            done = best.gap <= (tol if kinked else LAST_DIGITS * tol)
            if done and (not self.last_digits or tol > NO_DIGITS or len(self.Z) > LAST_ROWS):
                break
            if done:
                width = max(LAST_NARROWER * width, LAST_WIDTH)
            found = self.proximal_step(centre, self.smoothing(width), LAST_DIGITS * tol if done else tol)
            if found is None:
                width = max(width, 1e-6) * 10.0
                waited += 1
                continue
            waited = 0 if found.gap < 0.5 * best.gap else waited + 1
            steady = found.split < min(NEARLY * tol * found.size, STEADY * centre.split)
            if found.gap > SLOW * centre.gap and not steady:
                width = max(NARROWER * width, LAST_WIDTH)
            centre = found
            if found.gap < best.gap:
                best = found
            elif best.gap <= tol:
                break
        return best, n_iter, width

    def proximal_step(self, centre: Point, rho: Array, tol: float) -> Point | None:
        """Minimise with the loss smoothed around the centre's dual variables, by Newton's method from the centre's w.

        Return the point reached once it is accurate enough for a gap of `tol`, or None if a Newton system is not
        positive definite.
        """
        loss, w, s = self.problem.loss, centre.w, centre.s
        a, slope = loss.force(s, centre.a, rho)
        now = centre
        for _ in range(NEWTON_STEPS if loss.kinked else 1):
            now = self.beside(now, w, s, a)
            gradient = -now.residual
            rough = now.excess - now.split
            if now.gap <= tol or rough <= max(ROUGHLY * now.split, SETTLED * tol * now.size) or over_budget():
                break
            direction = self.newton_direction(gradient, slope)
            if direction is None:
                return None
            ds = self.scores(direction)
            flat, curved = float(direction @ gradient + ds @ a), self.curvature(direction, ds)

            def derivative(t: float, s: Array = s, ds: Array = ds, flat: float = flat, curved: float = curved) -> float:
                return flat + t * curved - loss.force_along(s, ds, t, centre.a, rho)

            t = line_search(derivative, float(gradient @ direction))
            w, s = w + t * direction, s + t * ds
            a, slope = loss.force(s, centre.a, rho)
        else:
            now = self.beside(now, w, s, a)
        return self.settled(now, centre, rho)

    def settled(self, found: Point, centre: Point, rho: Array) -> Point:
        """Return the point that Newton's method found, with margins computed from w instead of summed over the
        steps."""
        s = self.scores(found.w)
        return self.beside(found, found.w, s, self.problem.loss.force(s, centre.a, rho)[0])

    def curvature(self, direction: Array, ds: Array) -> float:
        """Return d'Md for d = `direction` and its scores `ds`."""
        if self.metric is not None:
            return float(direction @ (self.metric @ direction))
        return float(direction @ (self.penalty * direction)) + float(ds @ self.spread(ds))

    def newton_direction(self, gradient: Array, slope: Array) -> Array | None:
        """Return -(M + S_F' diag(slope) S_F)^-1 gradient, or None if the matrix is not positive definite."""
        if self.metric is None:
            return self._by_conjugate_gradients(gradient, slope)
        direction = self._solved(self._kinked.gram(slope), gradient)
        if direction is None and self.Z.single:
            F = np.flatnonzero(slope)
            direction = self._solved(self.Z.take(F).in_double().gram(slope[F]), gradient)
        return direction

    def _solved(self, gram: Array, gradient: Array) -> Array | None:
        """Return -(M + gram)^-1 gradient, or None if the matrix is not positive definite."""
        assert self.metric is not None
        system = self.metric + gram
        diagonal = np.diagonal(system)
        add_to_diagonal(system, np.where(diagonal > 0.0, TIGHT * diagonal, 1.0))
        try:
            return -cholesky_solve(cholesky(system), gradient)
        except NotPositiveDefinite:
            return None

    def _by_conjugate_gradients(self, gradient: Array, slope: Array) -> Array:
        """Return the Newton direction without forming a matrix, to a preconditioned residual of a tenth."""
        p = self.problem.p

        def product(v: Array) -> Array:
            sv = self.scores(v)
            return self.penalty * v + self.pull(slope * sv + self.spread(sv))

        weight = slope + 4.0 * self.problem.lambda1 * p
        scale = self.penalty + self.Z.column_squares(weight)
        scale[scale <= 0.0] = 1.0
        x, residual = np.zeros_like(gradient), -gradient
        z = residual / scale
        d, rz = z, float(residual @ z)
        stop = 1e-2 * rz
        for _ in range(CONJUGATE_STEPS):
            Ad = product(d)
            step = rz / float(d @ Ad)
            x, residual = x + step * d, residual - step * Ad
            z = residual / scale
            following = float(residual @ z)
            if following <= stop:
                break
            d, rz = z + (following / rz) * d, following
        return x
