"""min_W 1/2 sum_l ||w_l||^2 + sum_i loss_i(W'x_i): k weight vectors, stored explicitly as the columns of W.

Block coordinate descent on the dual solves the variables of one example at a time (`class_block`). As W is stored, a
visit costs one row only, dense or CSR (mcODM paper, section 4.2). For kernels the rows are explicit features, ZZ' = G.

If descent slows down, as for nearly singular Gram matrices and steep losses, the proximal point method on the dual
takes over, at first on only those examples that are awake: with a positive loss or nonzero dual variables. Its steps
a <- argmin dual + rho/2 ||a - centre||^2 are computed by a semismooth Newton method in W, whose systems have as many
unknowns as W or as the active dual variables, whichever are fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import issparse

from mdcore.solvers.arrays import Array, Index, Mask
from mdcore.solvers.budget import over_budget
from mdcore.solvers.certificate import DualPoint
from mdcore.solvers.class_block import (
    ClassLoss,
    block_jacobians,
    has_loss,
    primal_and_conjugate,
    proximal_blocks,
    sweep,
)
from mdcore.solvers.class_newton import factors, free_directions, solve_weights
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve, line_search
from mdcore.solvers.rows import Matrix, as_rows, squared_lengths

FEW = 0.8  # largest share of awake examples for which they are solved alone
HASTE = 0.1  # share of the gap to which they are solved before other examples are considered
ROUND = 8  # sweeps between two evaluations of the gap
REST_AFTER = 3  # visits that leave a row zero, after which only every fourth sweep visits it
MOST_ROUNDS = 500
HEAD_START = 0.2  # least time for sweeps, as a share of the estimated time of the Newton steps
LARGEST_SYSTEM = 6000  # unknowns of a Newton system
LARGEST_FACE = 3000  # unknowns of the polishing step,
CHEAP_FACE = 500  # of which more than this are allowed only up to twice the number of weights
WIDE, LARGEST_GRAM = 100, 4000  # with more features, and at most so many examples, all products are computed once
USUAL_NEWTON_STEPS = 20
DENSE_SPEED = 5.0  # how much faster a factorisation runs than a sweep, per operation
NEWTON_STEPS = 60
ROUNDOFF = 5e-17  # rounding error of X'a and of the rows a, relative to their terms
INEXACT = 1e-2  # error of a proximal step, relative to its length
PATIENCE = 25  # proximal steps without halving the gap, after which the method ends
QUICK = 0.1  # rho stays the same after a step that leaves at most this share of the gap
STRAYING = 5  # number of steps without halving the gap after which the best point is restored, with a larger rho
NEARLY = 1e-3  # gap below which the set of active variables may be the final one
FIRST_RHO, LAST_RHO = 1e-1, 1e-13  # relative to the mean squared length of a row
LOST = 4.0 * np.finfo(np.float64).eps  # softness of the loss that is lost by rounding, relative to ||x||^2
NO_LENGTH = 1e-6  # least ||x||^2 relative to the mean; shorter rows count as this long, as any A >= ||x||^2 is safe


@dataclass(frozen=True, eq=False)
class Ceiling:
    """The references for the excess of margins: the score of the class `runner`, or `M` where `runner` is -1."""

    runner: Index
    M: Array

    @classmethod
    def none(cls, m: int) -> Ceiling:
        return cls(np.full(m, -1), np.full(m, np.inf))

    @classmethod
    def of_value(cls, M: Array) -> Ceiling:
        return cls(np.full(len(M), -1), M)

    @classmethod
    def of_runner_up(cls, runner: Index) -> Ceiling:
        return cls(runner, np.zeros(len(runner)))

    def of(self, examples: Mask) -> Ceiling:
        return Ceiling(self.runner[examples], self.M[examples])


@dataclass(frozen=True, eq=False)
class Iterate:
    """Dual rows `a`, W = X'a, scores F = XW; `gap` is the duality gap over the primal `value`.

    The dual value is -1/2 ||W||^2 - `conjugate`.
    """

    a: Array
    W: Array
    F: Array
    value: float
    gap: float
    conjugate: float

    @property
    def point(self) -> DualPoint:
        return DualPoint(self.a, self.conjugate, abs(self.conjugate) + self.value, np.zeros(len(self.a)))


class MulticlassProblem:
    """The convex problem of one sample and one loss, with sample weights `weight`; a `Ceiling` completes it."""

    def __init__(self, X: Matrix, y: Index, k: int, loss: ClassLoss, weight: Array | None = None) -> None:
        self.X, self.y, self.k, self.loss = X, y, k, loss
        self.weight = np.ones(len(y)) if weight is None else weight
        self.cap = loss.cap * self.weight
        squares = squared_lengths(X)
        self.level = float(squares.mean()) or 1.0
        self.squares = np.maximum(squares, NO_LENGTH * self.level)
        if loss.soft > 0.0 and ((loss.soft + loss.upper_soft) / self.weight <= LOST * self.squares.max()).any():
            raise NotPositiveDefinite("the rows are so long that the softness of the loss is lost to rounding")
        self._rho = FIRST_RHO * self.level  # kept, because a similar problem starts one step before the last one ended
        self._rows = as_rows(X)
        self._wide = not issparse(X) and X.shape[1] > WIDE and len(y) <= LARGEST_GRAM
        self._sweep_cost = 4.0 * k * (X.size if isinstance(X, np.ndarray) else X.nnz)

    def at(self, a: Array, ceiling: Ceiling) -> Iterate:
        W = np.ascontiguousarray(self.X.T @ a)
        F = self.X @ W
        half = 0.5 * float(np.vdot(W, W))
        primal, conjugate = primal_and_conjugate(F, a, self.y, ceiling.runner, ceiling.M, self.loss, self.weight)
        value = half + primal
        gap = max(value + half + conjugate, 0.0)
        return Iterate(a, W, F, value, gap / value if value > 0.0 else 0.0, conjugate)

    def solve(
        self, start: Array, ceiling: Ceiling, *, tol: float, max_iter: int = 100, near: Array | None = None
    ) -> tuple[Iterate, int]:
        """Return the solution, starting from feasible rows, and the number of iterations; the sweeps count as one.

        If `near`, weights near the solution, are given, there are no sweeps: Newton's method starts at these weights,
        which may be far from X'start.
        """
        now = self._descend(start, ceiling, tol) if near is None else self.at(start, ceiling)
        begin = now.W if near is None else near
        now, begin, n_iter = self._refine_awake(now, begin, ceiling, tol, max_iter)
        best, taken = self._refine(now, begin, ceiling, tol, max_iter - n_iter)
        return best, n_iter + taken

    def _refine_awake(
        self, best: Iterate, begin: Array, ceiling: Ceiling, tol: float, max_iter: int
    ) -> tuple[Iterate, Array, int]:
        """Solve for the awake examples alone, while they are few, as the others do not contribute to the solution.

        Examples that are awake at this solution are added, and so on. Return the best solution, the weights of the last
        solution, and the number of iterations so far.
        """
        now, n_iter = best, 1
        awake = self._awake(now.a, begin, ceiling)
        while best.gap > tol and n_iter < max_iter and 0 < awake.sum() <= FEW * len(awake) and not over_budget():
            part, above = self._part(awake), ceiling.of(awake)
            wanted = max(tol, HASTE * now.gap)
            found, taken = part._refine(part.at(now.a[awake], above), begin, above, wanted, max_iter - n_iter)
            self._rho = part._rho
            n_iter += taken
            rows = np.zeros_like(now.a)
            rows[awake] = found.a
            now, before = self.at(rows, ceiling), awake
            best, begin = min(best, now, key=_gap), now.W
            awake = before | self._awake(now.a, now.W, ceiling)
            if found.gap > wanted or (wanted == tol and (awake == before).all()):
                break
        return best, begin, n_iter

    def _part(self, examples: Mask) -> MulticlassProblem:
        """Return the problem restricted to some examples."""
        part = MulticlassProblem(self.X[examples], self.y[examples], self.k, self.loss, self.weight[examples])
        part._rho = self._rho
        return part

    def _awake(self, a: Array, W: Array, ceiling: Ceiling) -> Mask:
        return a.any(axis=1) | has_loss(self.X @ W, self.y, ceiling.runner, ceiling.M, self.loss)

    def _refine(self, now: Iterate, begin: Array, ceiling: Ceiling, tol: float, max_iter: int) -> tuple[Iterate, int]:
        """Take proximal steps from the rows of `now`; Newton's method starts the first step at the weights `begin`.

        Return the best iterate and the number of steps.
        """
        best = centre = now
        rho, n_iter, waited = self._rho, 0, 0
        while best.gap > tol and n_iter < max_iter and waited < PATIENCE and not over_budget():
            rows = self._proximal_step(centre, ceiling, rho, begin if n_iter == 0 else centre.W)
            n_iter += 1
            stepped = best if rows is None else self.at(rows, ceiling)
            if stepped.gap < NEARLY:
                stepped = self.polish(stepped, ceiling)
            waited = 0 if stepped.gap < 0.5 * best.gap else waited + 1
            best = min(best, stepped, key=_gap)
            straying = best.gap < NEARLY and waited % STRAYING == STRAYING - 1  # due to rounding
            if rows is None or straying:  # None: Newton's method stalled
                centre, rho = best, 1e3 * rho
            else:
                slow = stepped.gap > QUICK * centre.gap
                centre, rho = stepped, max(0.1 * rho, LAST_RHO * self.level) if slow else rho
        self._rho = min(10.0 * rho, FIRST_RHO * self.level)
        return best, n_iter

    def polish(self, now: Iterate, ceiling: Ceiling) -> Iterate:
        """Take two Newton steps on the active variables, with the others fixed: exact once the active set is right.

        This is for ceilings of runner-up classes or no ceiling; steps that would cost too much are left out.
        """
        for _ in range(2):
            rows = self._face_step(now, ceiling)
            if rows is not None:
                now = min(self.at(rows, ceiling), now, key=_gap)
        return now

    def _descend(self, start: Array, ceiling: Ceiling, tol: float) -> Iterate:
        """Run rounds of sweeps: first as a head start for Newton's method, then while they are expected to win."""
        begun = self.at(start, ceiling)
        a, W, idle = begun.a.copy(), begun.W.copy(), np.zeros(len(self.y), dtype=np.intp)
        now = begun
        for rounds in range(1, MOST_ROUNDS + 1):
            if now.gap <= tol or over_budget():
                break
            for number in range(ROUND):
                visited = np.flatnonzero(idle < REST_AFTER) if number % 4 else np.arange(len(a))
                order = visited if number % 2 == 0 else visited[::-1].copy()
                fixed = (self.squares, self.y, ceiling.runner, ceiling.M, self.loss, self.weight)
                sweep(self._rows, *fixed, a, W, order, idle)
            before, now = now, self.at(a.copy(), ceiling)
            budget = self._newton_cost(a) / (ROUND * self._sweep_cost)
            if rounds >= HEAD_START * budget and rounds + _rounds_left(before.gap, now.gap, tol) > budget:
                break
        return min(begun, now, key=_gap)

    def _newton_cost(self, a: Array) -> float:
        """Return the cost of a usual number of Newton steps, in operations of a sweep; inf if a system is too large."""
        n = min(np.count_nonzero(a < 0.0), self.X.shape[1] * self.k)
        return USUAL_NEWTON_STEPS * (n**3 / 3.0 + self._sweep_cost) / DENSE_SPEED if n <= LARGEST_SYSTEM else np.inf

    def _proximal_step(self, centre: Iterate, ceiling: Ceiling, rho: float, begin: Array) -> Array | None:
        """Return the rows of the proximal step, or None if Newton's method, started at the weights `begin`, stalls.

        The rows are P(W), the blocks solved with A = rho and the scores XW - rho * centre, at the W that minimises the
        convex function with gradient W - X'P(W).
        """
        W, F, held = begin.copy(), self.X @ begin, rho * centre.a
        a: Array = np.empty_like(F)
        beta = np.empty(len(F))

        def rows(F: Array) -> Array:
            proximal_blocks(rho, F - held, self.y, ceiling.runner, ceiling.M, self.loss, self.weight, a, beta)
            return a

        rows(F)
        for step in range(NEWTON_STEPS):
            gradient = W - self.X.T @ a
            size, moved = np.linalg.norm(gradient), np.linalg.norm(a - centre.a)
            rounding = ROUNDOFF * float(np.sqrt(self.squares) @ (np.abs(a).sum(axis=1) + np.abs(F).max(axis=1) / rho))
            if size <= rounding or (step and size <= INEXACT * np.sqrt(rho) * moved):
                return a
            direction = self._newton_direction(gradient, a, beta, ceiling, rho)
            if direction is None:
                return None
            along = self.X @ direction

            def derivative(t: float, W: Array = W, F: Array = F, d: Array = direction, Xd: Array = along) -> float:
                return float(np.vdot(d, W + t * d) - np.vdot(Xd, rows(F + t * Xd)))

            t = line_search(derivative, float(np.vdot(direction, gradient)))  # its last evaluation leaves the rows at t
            W += t * direction
            F += t * along
        return None

    def _newton_direction(self, gradient: Array, a: Array, beta: Array, ceiling: Ceiling, rho: float) -> Array | None:
        """Return -(I + X'VX / rho)^-1 gradient, V = TT' the Jacobians of the blocks; None if too large or singular."""
        V = self._jacobians(a, beta, ceiling, rho)
        free = free_directions(a, beta, self.y, self.cap).sum()
        if not free:
            return -gradient
        if min(free, gradient.size) > LARGEST_SYSTEM:
            return None
        try:
            if free < gradient.size:
                owner, T = factors(V)
                return -self._solve_active(owner, T, rho, gradient)
            return -solve_weights(self.X, V, rho, gradient)
        except NotPositiveDefinite:
            return None

    def _jacobians(self, a: Array, beta: Array, ceiling: Ceiling, rho: float) -> Array:
        m, k = a.shape
        V = np.empty((m, k, k))
        block_jacobians(rho, a, beta, self.y, ceiling.runner, self.loss, self.weight, V)
        return V

    def _solve_active(self, owner: Index, T: Array, rho: float, right: Array) -> Array:
        """Return (I + S'S / rho)^-1 right for S = (t_n (x) x_n)_n, by solving with rho I + SS'."""
        X = self.X[owner]
        system = self._products(owner) * (T @ T.T)
        add_to_diagonal(system, rho)
        u = cholesky_solve(cholesky(system), np.einsum("nk,nk->n", X @ right, T))
        return np.asarray(right - X.T @ (T * u[:, None]))

    def _products(self, rows: Index) -> Array:
        """Return the products x_i.x_j of some rows, which may be repeated."""
        if self._wide:
            return self._gram[np.ix_(rows, rows)]
        X = self.X[rows]
        products = X @ X.T
        return products if isinstance(products, np.ndarray) else np.asarray(products.toarray())

    @cached_property
    def _gram(self) -> Array:
        return np.asarray(self.X @ self.X.T)

    def _face_step(self, now: Iterate, ceiling: Ceiling) -> Array | None:
        """Return the minimiser of the dual over rows a + T'u.

        In u, the second derivative of an example's own terms is rho (I - TT'), by the definition of V. Return None if a
        variable would leave its domain, or the system is singular, empty or too large.
        """
        m, rho = len(self.y), self.level
        i = np.arange(m)
        beta = np.where(ceiling.runner >= 0, np.maximum(now.a[i, ceiling.runner], 0.0), 0.0)
        free = free_directions(now.a, beta, self.y, self.cap).sum()
        if not 0 < free <= min(LARGEST_FACE, max(CHEAP_FACE, 2 * now.W.size)):
            return None
        owner, T = factors(self._jacobians(now.a, beta, ceiling, rho))
        slope = now.F + self.loss.target
        top = self.loss.soft / self.weight * (now.a[i, self.y] + beta)
        slope[i, self.y] = now.F[i, self.y] + top
        paid = np.flatnonzero(beta)
        runner = ceiling.runner[paid]
        above = self.loss.upper_soft / self.weight[paid] * beta[paid] + self.loss.upper
        slope[paid, runner] = now.F[paid, runner] + top[paid] + above
        within = T @ T.T
        system = self._products(owner) * within
        system -= rho * within * (owner[:, None] == owner)
        add_to_diagonal(system, rho * (1.0 + 1e-12))
        try:
            u = cholesky_solve(cholesky(system), -np.einsum("nk,nk->n", T, slope[owner]))
        except NotPositiveDefinite:
            return None
        rows = now.a.copy()
        np.add.at(rows, owner, T * u[:, None])
        kept = (np.sign(rows) == np.sign(now.a)) | (now.a == 0.0)
        top = rows[i, self.y] + np.where(beta > 0.0, rows[i, ceiling.runner], 0.0)
        return rows if kept.all() and (top <= self.cap).all() else None


def _gap(iterate: Iterate) -> float:
    return iterate.gap


def _rounds_left(before: float, now: float, tol: float) -> float:
    """Return the estimated number of rounds until the gap is `tol`, if it keeps falling at the same rate."""
    if now <= tol:
        return 0.0
    return float(np.log(now / max(tol, 1e-300)) / np.log(before / now)) if now < before else np.inf
