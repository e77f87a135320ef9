"""Kernel method for the optimisation of the margin distribution (Aiolli, Da San Martino & Sperduti 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import Outcome
from mdcore.methods.landmarks import IN_SPAN, LandmarkMachine
from mdcore.methods.own_bias import OwnBiasMachine
from mdcore.methods.params import SolverParams
from mdcore.solvers.certificate import ROUNDED, Vector
from mdcore.solvers.hulls import HullSolution, gap_of, nearest_hull_points
from mdcore.solvers.linalg import add_to_diagonal
from mdcore.solvers.wide_hulls import nearest_in_features
from mdcore.spaces.exact_gap import HullCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Interval, Mark, Method, Paper, Param, Search, Setting, Slider

Array = NDArray[np.float64]

SUM_TOL = 1e-9
MEETING = 1e-5  # distance of two hulls, relative to the longest row, below which they may intersect

LAM = Param(
    "lam",
    "λ",
    0.5,
    Interval(0, 1),
    Slider(0, 1, step=0.01),
    "From the hard margin at 0, with weights on the few closest examples, to the difference of the classes' means at "
    "1, with equal weights: a larger λ spreads the weights.",
    grid=tuple(k / 10 for k in range(11)),
    search=Search((0.01, 0.03, 0.1, 0.3, 0.6, 0.9), first=(0.03, 0.3)),
)


@dataclass(eq=False, repr=False)
class KOMD(SolverParams, LandmarkMachine, OwnBiasMachine):
    """Kernel method for the optimisation of the margin distribution:
    min_g (1-lam) ||w||^2 + lam ||g||^2, w = sum_i g_i y_i phi(x_i), subject to g >= 0 and sum one over each class.

    w connects a point in the convex hull of one class with a point in the hull of the other; the bias puts the boundary
    halfway between them. `weights_` is g. With lam = 0, there is no solution if the hulls intersect; a warning reports
    this. With landmarks, `exact_gap_` is the gap of the same g in the exact problem, whose objective is at least that
    of the problem solved.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (LAM,)
    matrices: ClassVar[float] = 8.0

    lam: float = 0.5
    max_iter: int = field(default=30, kw_only=True)

    weights_: Array = field(init=False)

    def _is_explicit(self, space: KernelSpace) -> bool:
        return isinstance(space, LandmarkSpace) or super()._is_explicit(space)

    def _solve_in(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        """Solve with centred columns: a common shift does not change the distance of the hulls, and centring reduces
        rounding errors."""
        if not space.is_linear or issparse(space.rows) or isinstance(space, LandmarkSpace):
            super()._solve_in(space, signs, weight)
            return
        mean = space.rows.mean(axis=0)
        centred = space.cached("centred", lambda: KernelSpace(space.rows - mean, space.plain.kernel))
        super()._solve_in(centred, signs, weight)
        self.X_fit_ = space.rows
        if self.warm_start:
            self._space = space.plain
        shift = float(self.coef_[0] @ mean)
        self._scores = self._scores + shift
        self._set_bias(self.offset_ - shift if self.fit_intercept else 0.0)

    def _solve(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        lam = self.settings()["lam"]
        Q = (1.0 - lam) * space.gram * signs * signs[:, None]
        add_to_diagonal(Q, lam)
        start, tol, limit = self._previous("weights_", signs.shape), self._tolerance(), self._limit()
        solution = nearest_hull_points(Q, signs, start=start, tol=tol, max_iter=limit)
        self._conclude(space, signs, solution, self._adopt(space, signs * solution.g))

    def _solve_explicit(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        start, lam = self._previous("weights_", signs.shape), self.settings()["lam"]
        Z, tol = space.features(False), self._tolerance()
        tol = max(tol, IN_SPAN) if isinstance(space, LandmarkSpace) else tol
        solution = nearest_in_features(Z, signs, lam=lam, start=start, tol=tol, max_iter=self._limit())
        a = signs * solution.g
        if not isinstance(space, LandmarkSpace):
            self._conclude(space, signs, solution, self._adopt(space, a), tol)
            return
        value, excess = self._conclude(space, signs, solution, self._adopt_weights(space, Z.pull(a)), tol)
        self._certificate = HullCertificate(space, a, value, value - excess, 1.0 - lam)

    def _conclude(
        self, space: KernelSpace, signs: Array, solution: HullSolution, w: Vector, tol: float = 0.0
    ) -> tuple[float, float]:
        """Set the bias and finish; return the objective, and an upper bound on its distance to the optimum."""
        lam, g = self.settings()["lam"], solution.g
        self.weights_ = g
        self._set_bias(-float(g @ w.scores) / 2.0 if self.fit_intercept else 0.0)  # -<w, p_+ + p_->/2 for both points
        self.support_ = np.flatnonzero(g > 0.0)
        value = _value(self.norm_, g, lam)
        slope = (1.0 - lam) * (signs * w.scores - w.blur) + lam * g
        excess = gap_of((1.0 - lam) * w.most + lam * float(g @ g), slope, signs)
        gap = excess / value if value > 0.0 else np.inf
        reached = gap <= max(self._tolerance(), tol, ROUNDED)
        proven = reached and w.square > 0.0 and w.norm_error <= ROUNDED
        missing = f"relative duality gap {gap:.1e} after {solution.n_iter} iterations."
        if reached:
            missing = (
                "the nearest points of the two convex hulls coincide at working precision, so w cannot be determined."
            )
        elif np.sqrt(w.most) <= MEETING * space.lengths.max():
            missing += f" The convex hulls of the classes meet, and λ = {lam:.2g} is too small. Choose a larger λ."
            if lam == 0.0:
                missing = (
                    "λ = 0 requires a hard margin, and there is none: the convex hulls of the classes meet at working "
                    "precision. Choose λ > 0."
                )
        self._finish(Outcome(value, gap, solution.n_iter, proven, missing))
        return value, excess


def objective(margins: Array, norm: float, *, lam: float, signs: Array, dual_coef: Array) -> float:
    """Return (1 - lam) ||w||^2 + lam ||g||^2 with g_i = y_i dual_coef_i; infinite outside the two simplices."""
    g = signs * dual_coef
    sums = np.array([g[signs > 0.0].sum(), g[signs < 0.0].sum()])
    if g.min() < -SUM_TOL or np.abs(sums - 1.0).max() > SUM_TOL:
        return np.inf
    return _value(norm, g, lam)


def _value(norm: float, g: Array, lam: float) -> float:
    return float((1.0 - lam) * norm**2 + lam * (g @ g))


def sample_params(params: Mapping[str, Any], times: float) -> dict[str, Any]:
    """Return lam for a sample with 1 / `times` of the rows, on which ||g||^2 is `times` as large if all have weight."""
    lam = params["lam"]
    return {"lam": lam / (lam + times * (1.0 - lam))}


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (
        Mark(train.min, train.min, "smallest, maximal at λ = 0"),
        Mark(train.mean, train.mean, "mean, maximal at λ = 1"),
    )


METHOD = Method(
    key="komd",
    name="KOMD",
    summary="Between the largest minimum and the largest mean margin: w joins nearest points of the classes' hulls.",
    estimator=KOMD,
    latex=(
        r"\min_{\gamma} (1-\lambda)\,\gamma^\top YKY\gamma + \lambda\|\gamma\|^2"
        r"\;\text{ s.t. }\; \gamma\ge 0,\; \sum_{y_i=1}\gamma_i=\sum_{y_i=-1}\gamma_i=1"
    ),
    objective=objective,
    needs=("signs", "dual_coef"),
    bias="own",
    paper=Paper(
        "F. Aiolli, G. Da San Martino, A. Sperduti",
        "A kernel method for the optimization of the margin distribution",
        "ICANN 2008",
        "the regularised game over the two simplices",
    ),
    color="#00A0B0",
    marks=marks,
    limits="With λ = 0, the hard-margin SVM with a free bias, if the classes are separable; with λ = 1, w is the "
    "difference of the classes' means.",
    support="examples with weight",
    complexity="A quadratic problem over two simplices: sweeps, O(m²) each, and factorisations of the block of free "
    "weights.",
    unit="mean margin",
    sample_params=sample_params,
)
