"""Machines whose loss depends only on the margins, solved in explicit features if these are fewer than the rows.

With the linear kernel the features are the columns; with another kernel they are spanned by landmarks, if `landmarks`
is set. No Gram matrix is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.base import Outcome
from mdcore.methods.certified import CertifiedMachine, no_offset
from mdcore.methods.checks import check_weights
from mdcore.methods.kernel_machine import Solved, WeightedMachine
from mdcore.methods.landmarks import AUTO, IN_SPAN, LandmarkMachine
from mdcore.solvers.ascent import MarginForces
from mdcore.solvers.certificate import EPS, ROUNDED, DualPoint, Vector
from mdcore.solvers.explicit import ExplicitSolution, solve_explicit
from mdcore.solvers.features import Features, add_products
from mdcore.solvers.losses import Loss
from mdcore.solvers.margin_newton import MarginProblem, Moments, Point, Start
from mdcore.spaces.exact_gap import SpanCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]

SINGLY = 0.9  # factor for the tolerance in single precision: in double precision the gap may turn out larger


@dataclass(frozen=True, eq=False)
class End:
    """The end of a fit, from which the next one may start; `drawn` is S'a for its dual variables a, if known."""

    space: KernelSpace
    signs: Array
    loss: Loss
    point: Point
    drawn: Array | None

    def with_loss(self, loss: Loss) -> Start:
        """Return a start for another loss: the same weights, and dual variables rescaled to that loss."""
        a, times = self.loss.scaled_forces(self.point.a, loss)
        drawn = None if self.drawn is None or times is None else times * self.drawn
        return Start(self.point.w, a, self.point.s, drawn)


class MarginMachine(LandmarkMachine, WeightedMachine, CertifiedMachine):
    """A machine that minimises 1/2 ||w||^2 + lambda1 * 2 Var - lambda2 * mean + a sum of losses of the margins.

    Subclasses define the problem for the certificate (`_problem`) and for the solver in explicit features
    (`_margin_problem`), and how to make dual points from the solver's dual variables (`_points`).
    """

    accepts_sparse: ClassVar[bool] = True

    _last: End

    def _problem(self, weight: Array) -> Any:
        """Return the problem in which each example has the given weight."""
        raise NotImplementedError

    def _margin_problem(self, weight: Array) -> MarginProblem:
        raise NotImplementedError

    def _stopping(self) -> tuple[float, int]:
        """Return the tolerance for the gap, and the maximum number of iterations."""
        return self._tolerance(), self._limit()

    def _solve_explicit(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        each = np.ones(len(signs)) if weight is None else weight
        tol, max_iter = self._stopping()
        if isinstance(space, LandmarkSpace):
            tol = max(tol, IN_SPAN)
        free = int(self.own_bias and self.fit_intercept)
        constant = space.kernel.bias or bool(free)
        to_solve = self._margin_problem(each)

        def solve(start: Start | None) -> ExplicitSolution:
            Z = space.features(constant)
            return solve_explicit(
                Z,
                signs,
                to_solve,
                free=free,
                start=start,
                moments=lambda: _moments(space, Z, signs, to_solve.p),
                tol=SINGLY * tol if Z.single else tol,
                max_iter=max_iter,
            )

        solution = solve(self._start(space, signs, space.features(constant).width, to_solve.loss))
        if isinstance(space, LandmarkSpace) and space.features(constant).single:
            enough, solution = solution.converged, solution.moved_to(*_in_double(space, solution.point, signs))
            if enough and solution.point.gap > tol and space.sharpen():
                solution = solve(Start(solution.point.w, solution.point.a))
        point = solution.point
        if self.warm_start or self.landmarks == AUTO:
            self._last = End(space, signs, to_solve.loss, point, solution.drawn)
        self.beta_, self.support_ = point.a, np.flatnonzero(point.a)
        self._note(solution, each)
        if isinstance(space, LandmarkSpace):
            self._conclude_in_span(space, signs, each, to_solve, solution, free)
        else:
            self._conclude(
                space, signs, self._problem(each), solution, point.a, signs * point.u, point.s, point.w, free
            )

    def _conclude_in_span(
        self,
        space: LandmarkSpace,
        signs: Array,
        weight: Array,
        asked: MarginProblem,
        solution: ExplicitSolution,
        free: int,
    ) -> None:
        """Adopt the solution in landmark features as the model and finish; the weights are feasible for the exact
        kernel problem too."""
        point = solution.point
        self._adopt_expansion(space, point.w)
        self.norm_, self.norm_error_ = float(np.linalg.norm(point.w[: len(point.w) - free])), EPS * len(point.w)
        check_weights(self.norm_)
        if self.own_bias:
            self._set_bias(self.offset_)
        value = 0.5 * self.norm_**2 + sum(self._problem(weight).loss(point.s).values())
        converged = point.gap <= max(self._stopping()[0], ROUNDED)
        missing = f"relative duality gap {point.gap:.1e} after {solution.n_iter} iterations."
        self._finish(Outcome(value, point.gap, solution.n_iter, converged, missing))
        self._scores = signs * point.s - self.offset_
        mean = signs * asked.lambda2 * asked.p if asked.lambda2 > 0.0 else None
        certificate = SpanCertificate(space, signs * point.u, value, value - point.excess, constant=mean)
        bias = float(point.w[-1]) if free else None
        self._certificate = certificate.with_forces(MarginForces(asked.loss, signs, point.a, bias))

    def _conclude(
        self,
        space: KernelSpace,
        signs: Array,
        problem: Any,
        solved: Solved,
        forces: Array,
        a: Array,
        g: Array,
        weights: Array | None = None,
        free: int = 0,
        offset: float = 0.0,
    ) -> None:
        """Certify and adopt w = sum_i a_i phi(x_i), or explicit `weights`, whose last entry is the bias if `free`."""
        if weights is not None:
            offset, weights = (float(weights[-1]), weights[:-1]) if free else (0.0, weights)

        def points(w: Vector) -> list[DualPoint]:
            return self._points(problem, space, signs, w, forces, g, offset)

        best_offset = partial(problem.best_offset, signs) if self.own_bias and self.fit_intercept else no_offset
        self._adopt_certified(space, signs, problem, points, solved, a, weights, offset, best_offset)

    def _note(self, solution: ExplicitSolution, weight: Array) -> None:
        """Keep anything else that a subclass needs from an explicit solution."""

    def _start(self, space: KernelSpace, signs: Array, width: int, loss: Loss) -> Start | None:
        """Return the end of the last fit as a start, or None if it does not fit the current space.

        The numbers of rows must agree, and with landmarks the last landmarks must be the first of the current ones.
        """
        held = getattr(self, "_last", None)
        if held is None or len(held.space) != len(space) or type(held.space) is not type(space):
            return None
        if held.space is space and len(held.point.w) == width and np.array_equal(held.signs, signs):
            return held.with_loss(loss)
        w, a = held.point.w, held.loss.scaled_forces(held.point.a, loss)[0]
        if not (isinstance(space, LandmarkSpace) and isinstance(held.space, LandmarkSpace)):
            return Start(w, a) if len(w) == width else None
        n = len(held.space.landmarks)
        if len(w) - n != width - len(space.landmarks) or not np.array_equal(space.landmarks[:n], held.space.landmarks):
            return None
        return Start(np.concatenate([w[:n], np.zeros(len(space.landmarks) - n), w[n:]]), a)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_last", None)
        return state


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
