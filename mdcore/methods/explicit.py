"""Machines whose loss depends only on the margins, solved in explicit features if these are fewer than the rows.

With the linear kernel the features are the columns; with another kernel they are spanned by landmarks, if `landmarks`
is set. No Gram matrix is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mdcore.methods.certified import TwoClasses, certified
from mdcore.methods.checks import check_weights
from mdcore.methods.fit_result import FitResult, Restart, Sample, Weights
from mdcore.methods.landmarks import IN_SPAN
from mdcore.solvers.arrays import Array
from mdcore.solvers.ascent import MarginForces
from mdcore.solvers.certificate import EPS, ROUNDED, Certificate, MarginLoss, Solution, Vector
from mdcore.solvers.explicit import ExplicitSolution, solve_explicit
from mdcore.solvers.features import Features, add_products
from mdcore.solvers.losses import Loss
from mdcore.solvers.margin_newton import MarginProblem, Moments, Point, Start
from mdcore.spaces.exact_gap import SpanCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace

SINGLY = 0.9  # factor for the tolerance in single precision: in double precision the gap may turn out larger


def solve_in_features(
    sample: Sample,
    problem: MarginLoss,
    *,
    tol: float,
    max_iter: int,
    best_offset: Callable[[Array], float] | None = None,
    enough: float | None = None,
) -> FitResult:
    """Return the model of a sample in the explicit features of its space; with `best_offset` it has a free bias, the
    weight of a last feature that is not penalised. A gap of `enough`, by default `tol`, counts as converged."""
    space, signs, free = sample.space, sample.labels, int(best_offset is not None)
    spanned, constant, asked = isinstance(space, LandmarkSpace), space.kernel.bias or bool(free), problem.in_features()
    goal = max(tol, IN_SPAN) if spanned else tol

    def solve(start: Start | None) -> ExplicitSolution:
        Z = space.features(constant)
        return solve_explicit(
            Z,
            signs,
            asked,
            free=free,
            start=start,
            moments=lambda: _moments(space, Z, signs, asked.p),
            tol=SINGLY * goal if Z.single else goal,
            max_iter=max_iter,
        )

    solution = solve(_start(sample, space.features(constant).width, asked.loss))
    if isinstance(space, LandmarkSpace) and space.features(constant).single:
        enough, solution = solution.converged, solution.moved_to(*_in_double(space, solution.point, signs))
        if enough and solution.point.gap > goal and space.sharpen():
            solution = solve(Start(solution.point.w, solution.point.a))
    point, last = solution.point, Restart(space, solution)
    if isinstance(space, LandmarkSpace):
        return replace(_in_span(space, signs, problem, asked, solution, free, tol), last=last)
    offset, W = (float(point.w[-1]), point.w[:-1]) if free else (0.0, point.w)
    found = Solution(signs * point.u, point.a, point.s, W, offset, solution.n_iter, solution.converged)
    solved, enough = TwoClasses(space, signs, problem, found), tol if enough is None else enough
    return replace(certified(solved, tol=enough, best_offset=best_offset, beta_=point.a), last=last)


def _in_span(
    space: LandmarkSpace,
    signs: Array,
    problem: MarginLoss,
    asked: MarginProblem,
    solution: ExplicitSolution,
    free: int,
    tol: float,
) -> FitResult:
    """Return the model in landmark features; its weights are feasible for the exact kernel problem too."""
    point = solution.point
    penalised = point.w[: len(point.w) - free]
    square = float(penalised @ penalised)
    check_weights(square)
    w = Vector(signs * point.s, square, np.zeros(0), EPS * len(point.w) * square)
    value = 0.5 * square + sum(problem.loss(point.s).values())
    mean = signs * asked.lambda2 * asked.p if asked.lambda2 > 0.0 else None
    exact = SpanCertificate(space, signs * point.u, value, value - point.excess, constant=mean)
    return FitResult(
        Weights.in_landmarks(space, point.w, w),
        Certificate(value, value - point.excess, point.size),
        np.flatnonzero(point.a),
        solution.n_iter,
        point.gap <= max(tol, ROUNDED),
        f"relative duality gap {point.gap:.1e} after {solution.n_iter} iterations.",
        fitted={"beta_": point.a},
        exact=exact.with_forces(MarginForces(asked.loss, signs, point.a, float(point.w[-1]) if free else None)),
    )


def _start(sample: Sample, width: int, loss: Loss) -> Start | None:
    """Return the last solution as a start, or None if it does not fit the current space.

    The numbers of rows must agree, and with landmarks the last landmarks must be the first of the current ones.
    """
    held, space = sample.last, sample.space
    if held is None or len(held.space) != len(space) or type(held.space) is not type(space):
        return None
    start = held.solution.start_for(loss)
    w = start.w
    if held.space is space and len(w) == width and np.array_equal(held.solution.machine.y, sample.labels):
        return start
    if not (isinstance(space, LandmarkSpace) and isinstance(held.space, LandmarkSpace)):
        return Start(w, start.a) if len(w) == width else None
    n = len(held.space.landmarks)
    if len(w) - n != width - len(space.landmarks) or not np.array_equal(space.landmarks[:n], held.space.landmarks):
        return None
    return Start(np.concatenate([w[:n], np.zeros(len(space.landmarks) - n), w[n:]]), start.a)


def _moments(space: KernelSpace, Z: Features, signs: Array, p: Array) -> Moments:
    weights = p[0] if (p == p[0]).all() else p.tobytes()
    key = "moments", Z.single, (signs > 0.0).tobytes(), weights
    return space.cached(key, lambda: Moments.of(Z, signs, p))


def _in_double(space: LandmarkSpace, point: Point, signs: Array) -> tuple[Array, Array, Array]:
    """Return the weights of a point found in single precision, and its margins and S'u from double precision."""
    n = len(space.landmarks)
    c, constant = space.coefficients(point.w[:n]), float(point.w[n]) if len(point.w) > n else 0.0
    v = signs * point.u
    s, sums = np.empty(len(space)), np.zeros(n)
    for part, values in space.blocks():
        add_products(values, c, v[part], s[part], sums)
    s = signs * (s + constant)
    pulled = space.project(sums)
    return point.w, s, np.append(pulled, v.sum()) if len(point.w) > n else pulled
