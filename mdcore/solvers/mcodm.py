"""mcODM (Zhang & Zhou 2017, Algorithm 1) and what its steps leave to be done.

Eq. (1) is not convex: the margin w_y.x - max_{l != y} w_l.x may exceed the band, and that excess is paid for. The paper
fixes the *value* M_i = max_{l != y_i} w_l.x_i and solves the convex QP (2) again and again. These steps need not lower
Eq. (1), and where they settle is no minimum of it, as the QP does not see that a runner-up's weights could move too;
with two classes it is not ODM. So they are taken for as long as they lower Eq. (1). From then on the *class* r_i that
attains the maximum is fixed instead: w_y.x - w_r.x bounds the margin from above and equals it where r was read off, so
that a step solves a convex problem above Eq. (1) that touches it. It never rises, and where it stays the duality gap of
that problem certifies a stationary point. With two classes there is one such problem, and it is Eq. (1) itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.budget import over_budget
from mdcore.solvers.class_block import ClassLoss, primal_and_conjugate
from mdcore.solvers.multiclass import Ceiling, Iterate, MulticlassProblem

Array = NDArray[np.float64]
Index = NDArray[np.intp]

PAPER_TOL = 1e-2  # of the QPs with M fixed, whose solutions are starting points
WORTHWHILE = 0.1  # relative fall of Eq. (1) for which another of them is solved
INEXACT = 0.3  # share of the gap, and of the last fall of Eq. (1), that a convex problem on the way may leave
ROUNDING = 1e-13  # by which a step at the optimum may seem to be worse
CLOSER, CLOSEST = 1e-2, 1e-4  # shares of the gap just left, and of the tolerance, while a step does not lower Eq. (1)


@dataclass(frozen=True)
class MCODMSolution:
    """`end`: a point of the convex problem above Eq. (1) that touches it there, every row of its `a` sums to zero.

    `path`: the objective (1), at the start and after every step kept.
    """

    end: Iterate
    path: Array
    n_iter: int
    converged: bool


def solve_mcodm(
    X: Any,
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
    """`start`: the rows `a` of another solution, as for parameters that have moved; the search begins there.

    An example counts `weight` times.
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
    """Algorithm 1, for as long as its steps lower Eq. (1) by much."""
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
    """Solve the convex problem that touches Eq. (1) from above, until that is where the solution was already."""
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
            worse = max(CLOSEST * tol, min(found.gap, tol)) + ROUNDING  # than the point that the gap certifies
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
    """Yield what is wanted of a step, then less and less, the tolerance itself on the way."""
    goal = max(tol, ROUNDING)
    while wanted > goal:
        yield wanted
        wanted = max(CLOSER * wanted, goal)
    yield from (goal, CLOSER * goal, CLOSEST * goal)


def feasible_rows(a: Array, y: Index, cap: Array | None = None) -> Array:
    """Return rows of another problem, made feasible: with a `cap` alpha_y is at most that and there is no beta, else
    one."""
    others = _without(a, y, 0.0)
    if cap is not None:
        others = np.minimum(others, 0.0)
        others *= (cap / np.maximum(-others.sum(axis=1), cap))[:, None]
    others[(others > 0.0).sum(axis=1) > 1] = 0.0
    others[np.arange(len(y)), y] = -others.sum(axis=1)
    return others


def _objective(now: Iterate, problem: MulticlassProblem) -> float:
    """Eq. (1): with the class that attains the maximum it is the primal value of the problem that touches it."""
    runner = np.argmax(_without(now.F, problem.y, -np.inf), axis=1)
    none = np.zeros(len(runner))
    primal, _ = primal_and_conjugate(now.F, now.a, problem.y, runner, none, problem.loss, problem.weight)
    return 0.5 * float(np.vdot(now.W, now.W)) + primal


def _touching(problem: MulticlassProblem, now: Iterate, ceiling: Ceiling) -> tuple[Iterate, Ceiling]:
    """Return the same W in the problem that fixes which class is the runner-up there."""
    fixed = Ceiling.of_runner_up(np.argmax(_without(now.F, problem.y, -np.inf), axis=1))
    return problem.at(_rebased(now.a, ceiling, fixed), fixed), fixed


def _rebased(a: Array, old: Ceiling, new: Ceiling) -> Array:
    """Return the same alpha and beta, with beta added at the runner-up of `new`, if it has one."""
    i = np.arange(len(a))
    classed = old.runner >= 0
    beta = np.maximum(np.where(classed, a[i, old.runner], -a.sum(axis=1)), 0.0)
    rows = a.copy()
    rows[i[classed], old.runner[classed]] -= beta[classed]
    classed = new.runner >= 0
    rows[i[classed], new.runner[classed]] += beta[classed]
    return rows


def _without(values: Array, y: Index, filling: float) -> Array:
    """Return a copy with `filling` at the example's own class."""
    others = values.copy()
    others[np.arange(len(y)), y] = filling
    return others
