"""mcODM (Zhang & Zhou 2017, Algorithm 1), followed by steps that reach a stationary point of its objective, Eq. (1).

Eq. (1) is not convex, because it penalises margins w_y.x - max_{l != y} w_l.x above the band. The paper fixes the
*value* M_i = max_{l != y_i} w_l.x_i and solves the convex QP (2) repeatedly. These steps need not lower Eq. (1), and
their limit is not a minimum of it, as the QP ignores that the weights of the runner-up may move too; with two classes
the limit is not the ODM. They are therefore taken only while they lower Eq. (1). Afterwards the *class* r_i that
attains the maximum is fixed instead: w_y.x - w_r.x is an upper bound of the margin, and equal to it at the current
weights, so that a step solves a convex problem that lies above Eq. (1) and touches it there. Eq. (1) never rises, and
once it stays the same, the duality gap of that problem certifies a stationary point. With two classes there is only one
such problem, and it is Eq. (1) itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.budget import over_budget
from mdcore.solvers.class_block import ClassLoss, primal_and_conjugate
from mdcore.solvers.multiclass import Ceiling, Iterate, MulticlassProblem
from mdcore.solvers.rows import Matrix

PAPER_TOL = 1e-2  # tolerance of the QPs with M fixed, whose solutions are only starting points
WORTHWHILE = 0.1  # relative decrease of Eq. (1) after which another of these QPs is solved
INEXACT = 0.3  # gap left by an intermediate convex problem, relative to the gap and to the last decrease of Eq. (1)
ROUNDING = 1e-13  # relative increase of Eq. (1) that rounding may cause at the optimum
CLOSER, CLOSEST = 1e-2, 1e-4  # factor of the last tolerance, and of `tol`, if a step does not lower Eq. (1)


@dataclass(frozen=True)
class MCODMSolution:
    """`end` is a point of the convex problem that touches Eq. (1) from above there; the rows of its `a` sum to zero.

    `path` holds the objective (1), at the start and after every accepted step.
    """

    end: Iterate
    path: Array
    n_iter: int
    converged: bool


def solve_mcodm(
    X: Matrix,
    y: Index,
    k: int,
    *,
    lam: float,
    mu: float,
    theta: float,
    weight: Array | None = None,
    start: Array | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> MCODMSolution:
    """Minimise Eq. (1), up to a stationary point, with sample weights `weight`.

    `start` holds the rows `a` of another solution, for example one for other parameters; the search starts there.
    """
    m = float(len(y) if weight is None else weight.sum())
    soft = m * (1.0 - theta) ** 2 / (2.0 * lam)
    problem = MulticlassProblem(X, y, k, ClassLoss(1.0 - theta, soft, np.inf, 1.0 + theta, soft / mu), weight)
    rows = np.zeros((len(y), k)) if start is None else feasible_rows(start, y)
    ceiling = Ceiling.of_runner_up(np.argmax(_without(rows, y, -np.inf), axis=1))
    now = problem.at(rows, ceiling)
    path = [_objective(now, problem)]
    taken = 0
    if start is None:
        now, ceiling, taken = _fix_values(problem, now, ceiling, path, max(tol, PAPER_TOL), max_iter)
    now, ceiling, n_iter = _fix_classes(problem, now, ceiling, path, tol, taken, max_iter)
    polished, _ = _touching(problem, problem.polish(now, ceiling), ceiling)
    if polished.gap <= now.gap and _objective(polished, problem) <= path[-1] * (1.0 + ROUNDING):
        now = polished
        path[-1] = min(_objective(now, problem), path[-1])
    return MCODMSolution(now, np.array(path), n_iter, now.gap <= tol)


def _fix_values(
    problem: MulticlassProblem, now: Iterate, ceiling: Ceiling, path: list[float], tol: float, max_iter: int
) -> tuple[Iterate, Ceiling, int]:
    """Run Algorithm 1 while its steps lower Eq. (1) substantially."""
    taken, worthwhile = 0, True
    while worthwhile and taken < max_iter and not over_budget():
        taken += 1
        tried = Ceiling.of_value(_without(now.F, problem.y, -np.inf).max(axis=1))
        found, _ = problem.solve(_rebased(now.a, ceiling, tried), tried, tol=tol)
        value = _objective(found, problem)
        worthwhile = value < (1.0 - WORTHWHILE) * path[-1]
        if value < path[-1]:
            now, ceiling = found, tried
            path.append(value)
    return now, ceiling, taken


def _fix_classes(
    problem: MulticlassProblem, now: Iterate, ceiling: Ceiling, path: list[float], tol: float, taken: int, max_iter: int
) -> tuple[Iterate, Ceiling, int]:
    """Repeatedly solve the convex problem that touches Eq. (1) from above, until its solution is the current point."""
    near = now.W
    now, ceiling = _touching(problem, now, ceiling)
    fall = 0.0
    while now.gap > tol and taken < max_iter and not over_budget():
        taken += 1
        wanted = max(tol, INEXACT * min(fall, now.gap))
        found, lower = now, False
        for enough in _tolerances(wanted, tol):
            found, _ = problem.solve(found.a, ceiling, tol=enough, near=near)
            value = _objective(found, problem)
            worse = max(CLOSEST * tol, min(found.gap, tol)) + ROUNDING  # than the certified point
            if lower := value <= path[-1] * (1.0 + worse):
                break
        if not lower or found.gap >= now.gap:
            break
        fall = max(1.0 - value / path[-1], 0.0)
        path.append(min(value, path[-1]))
        near = found.W
        now, ceiling = _touching(problem, found, ceiling)
    return now, ceiling, taken


def _tolerances(wanted: float, tol: float) -> Iterator[float]:
    """Yield the tolerance `wanted` for a step, then ever smaller ones, `tol` among them."""
    goal = max(tol, ROUNDING)
    while wanted > goal:
        yield wanted
        wanted = max(CLOSER * wanted, goal)
    yield from (goal, CLOSER * goal, CLOSEST * goal)


def feasible_rows(a: Array, y: Index, cap: Array | None = None) -> Array:
    """Return rows of another problem, made feasible: with a `cap`, alpha_y is at most `cap` and there is no beta.

    Without a `cap` there may be one beta.
    """
    others = _without(a, y, 0.0)
    if cap is not None:
        others = np.minimum(others, 0.0)
        others *= (cap / np.maximum(-others.sum(axis=1), cap))[:, None]
    others[(others > 0.0).sum(axis=1) > 1] = 0.0
    others[np.arange(len(y)), y] = -others.sum(axis=1)
    return others


def _objective(now: Iterate, problem: MulticlassProblem) -> float:
    """Return Eq. (1), which is the primal value of the convex problem that touches it at this point."""
    runner = np.argmax(_without(now.F, problem.y, -np.inf), axis=1)
    none = np.zeros(len(runner))
    primal, _ = primal_and_conjugate(now.F, now.a, problem.y, runner, none, problem.loss, problem.weight)
    return 0.5 * float(np.vdot(now.W, now.W)) + primal


def _touching(problem: MulticlassProblem, now: Iterate, ceiling: Ceiling) -> tuple[Iterate, Ceiling]:
    """Return the iterate with the same W in the problem that fixes its runner-up classes, and the ceiling of these."""
    fixed = Ceiling.of_runner_up(np.argmax(_without(now.F, problem.y, -np.inf), axis=1))
    return problem.at(_rebased(now.a, ceiling, fixed), fixed), fixed


def _rebased(a: Array, old: Ceiling, new: Ceiling) -> Array:
    """Return the rows with the same alpha and beta, where beta is added at the runner-up class of `new`, if any."""
    i = np.arange(len(a))
    classed = old.runner >= 0
    beta = np.maximum(np.where(classed, a[i, old.runner], -a.sum(axis=1)), 0.0)
    rows = a.copy()
    rows[i[classed], old.runner[classed]] -= beta[classed]
    classed = new.runner >= 0
    rows[i[classed], new.runner[classed]] += beta[classed]
    return rows


def _without(values: Array, y: Index, filling: float) -> Array:
    """Return a copy with `filling` in the column of each example's own class."""
    others = values.copy()
    others[np.arange(len(y)), y] = filling
    return others
