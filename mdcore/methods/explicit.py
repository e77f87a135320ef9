"""Machines whose problem is one of the margins are solved in explicit features, where there are fewer than rows.

The features of the linear kernel are the columns. No Gram matrix is made, and the model is its weights.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.base import check_weights
from mdcore.methods.kernel_machine import ROUNDED, WeightedMachine
from mdcore.solvers.explicit import ExplicitSolution, MarginProblem, Moments, Point, solve_explicit
from mdcore.solvers.features import Features
from mdcore.space import KernelSpace

Array = NDArray[np.float64]


class MarginMachine(WeightedMachine):
    """1/2 ||w||^2 + lambda1 * 2 Var - lambda2 * mean + a sum of losses of the margins.

    Subclasses say what the losses are, and what the objective is of margins and norm.
    """

    explicit: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True

    _point: tuple[Features, Point]

    def _margin_problem(self, weight: Array) -> MarginProblem:
        raise NotImplementedError

    def _price(self, margins: Array, weight: Array) -> float:
        """The objective of the model just adopted."""
        raise NotImplementedError

    def _stopping(self) -> tuple[float, int]:
        """The gap to reach, and the most steps."""
        return self._tolerance(), self._limit()

    def _solve_explicit(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        w = np.ones(len(signs)) if weight is None else weight
        tol, max_iter = self._stopping()
        free = int(self.own_bias and self.fit_intercept)
        Z = space.features(constant=space.kernel.bias or bool(free))
        problem = self._margin_problem(w)
        before = self._before(Z)
        solution = solve_explicit(
            Z,
            signs,
            problem,
            free=free,
            start=None if before is None else before.w,
            forces=None if before is None else before.a,
            moments=lambda: _moments(space, Z, signs, problem.p),
            tol=tol,
            max_iter=max_iter,
        )
        point = solution.point
        if self.warm_start:
            self._point = Z, point
        self._adopt_point(space, signs, point, free)
        self._conclude_explicit(solution, w)
        if not self.converged_:
            self._warn_unconverged(f"relative duality gap {self.gap_:.1e} after {solution.n_iter} iterations.")

    def _conclude_explicit(self, solution: ExplicitSolution, weight: Array) -> None:
        """What is said of the model just adopted."""
        point = solution.point
        self.support_ = np.flatnonzero(point.a)
        self.objective_ = self._price(point.s, weight)
        self.gap_, self.n_iter_ = point.gap, solution.n_iter
        self.converged_ = bool(self.gap_ <= max(self._stopping()[0], ROUNDED))

    def _before(self, Z: Features) -> Point | None:
        """Where the last fit ended, if it was in features like these."""
        held = getattr(self, "_point", None) if self.warm_start else None
        return held[1] if held is not None and held[0].Z.shape == Z.Z.shape else None

    def _adopt_point(self, space: KernelSpace, signs: Array, point: Point, free: int) -> None:
        w, d = point.w, space.rows.shape[1]
        self.norm_ = float(np.linalg.norm(w[: len(w) - free]))
        check_weights(self.norm_)
        self.dual_coef_ = signs * point.u
        self.coef_, self.intercept_ = w[None, :d], w[d:] if len(w) > d else np.zeros(1)
        if self.own_bias:
            self.offset_ = float(w[d]) if free else 0.0

    def __getstate__(self):  # type: ignore[no-untyped-def]
        state = super().__getstate__()
        state.pop("_point", None)
        return state


def _moments(space: KernelSpace, Z: Features, signs: Array, p: Array) -> Moments:
    return space.recall(("moments", signs.tobytes(), p.tobytes()), lambda: Moments.of(Z, signs, p))
