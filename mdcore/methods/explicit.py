"""Machines whose problem is one of the margins are solved in explicit features, where there are fewer than rows.

The features of the linear kernel are the columns. No Gram matrix is made, and the model is its weights.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.certified import CertifiedMachine, no_offset
from mdcore.methods.kernel_machine import Solved, WeightedMachine
from mdcore.solvers.certificate import DualPoint, Vector
from mdcore.solvers.explicit import ExplicitSolution, MarginProblem, Moments, Point, solve_explicit
from mdcore.solvers.features import Features
from mdcore.space import KernelSpace

Array = NDArray[np.float64]


class MarginMachine(WeightedMachine, CertifiedMachine):
    """1/2 ||w||^2 + lambda1 * 2 Var - lambda2 * mean + a sum of losses of the margins.

    Subclasses say what the problem is, for the certificate and for the solver, and which dual points forces make.
    """

    explicit: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True

    beta_: Array
    _point: tuple[Features, Point]

    def _problem(self, weight: Array) -> Any:
        """With examples that count `weight` times."""
        raise NotImplementedError

    def _margin_problem(self, weight: Array) -> MarginProblem:
        raise NotImplementedError

    def _stopping(self) -> tuple[float, int]:
        """The gap to reach, and the most steps."""
        return self._tolerance(), self._limit()

    def _solve_explicit(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        each = np.ones(len(signs)) if weight is None else weight
        tol, max_iter = self._stopping()
        free = int(self.own_bias and self.fit_intercept)
        Z = space.features(constant=space.kernel.bias or bool(free))
        to_solve = self._margin_problem(each)
        before = self._before(Z)
        solution = solve_explicit(
            Z,
            signs,
            to_solve,
            free=free,
            start=None if before is None else before.w,
            forces=None if before is None else before.a,
            moments=lambda: _moments(space, Z, signs, to_solve.p),
            tol=tol,
            max_iter=max_iter,
        )
        point = solution.point
        if self.warm_start:
            self._point = Z, point
        self.beta_, self.support_ = point.a, np.flatnonzero(point.a)
        self._note(solution, each)
        self._conclude(space, signs, each, solution, point.a, signs * point.u, point.s, point.w, free)

    def _conclude(
        self,
        space: KernelSpace,
        signs: Array,
        weight: Array,
        solved: Solved,
        forces: Array,
        a: Array,
        g: Array,
        weights: Array | None = None,
        free: int = 0,
        offset: float = 0.0,
    ) -> None:
        """Certify w = sum_i a_i phi(x_i), or explicit `weights`, the last `free` of which is the bias."""
        problem = self._problem(weight)
        if weights is not None:
            offset, weights = (float(weights[-1]), weights[:-1]) if free else (0.0, weights)

        def points(w: Vector) -> list[DualPoint]:
            return self._points(problem, space, signs, w, forces, g, offset)

        best_offset = partial(problem.best_offset, signs) if self.own_bias and self.fit_intercept else no_offset
        self._settle(space, signs, problem, points, solved, a, weights, offset, best_offset)

    def _note(self, solution: ExplicitSolution, weight: Array) -> None:
        """What else is kept of an explicit solution."""

    def _before(self, Z: Features) -> Point | None:
        """Where the last fit ended, if it was in features like these."""
        held = getattr(self, "_point", None) if self.warm_start else None
        return held[1] if held is not None and held[0].Z.shape == Z.Z.shape else None

    def __getstate__(self):  # type: ignore[no-untyped-def]
        state = super().__getstate__()
        state.pop("_point", None)
        return state


def _moments(space: KernelSpace, Z: Features, signs: Array, p: Array) -> Moments:
    return space.recall(("moments", signs.tobytes(), p.tobytes()), lambda: Moments.of(Z, signs, p))
