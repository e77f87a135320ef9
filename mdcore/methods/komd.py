"""Kernel method for the optimisation of the margin distribution (Aiolli, Da San Martino & Sperduti 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.landmarks import IN_SPAN, LandmarkParams
from mdcore.methods.params import SolverParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import ROUNDED, Certificate
from mdcore.solvers.hulls import gap_of, nearest_hull_points
from mdcore.solvers.linalg import add_to_diagonal
from mdcore.solvers.wide_hulls import nearest_in_features
from mdcore.spaces.exact_gap import HullCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Interval, Mark, Method, Paper, Param, Search, Setting, Slider

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
class KOMD(SolverParams, LandmarkParams, KernelMachine):
    """Kernel method for the optimisation of the margin distribution:
    min_g (1-lam) ||w||^2 + lam ||g||^2, w = sum_i g_i y_i phi(x_i), subject to g >= 0 and sum one over each class.

    w connects a point in the convex hull of one class with a point in the hull of the other; the bias puts the boundary
    halfway between them. `weights_` is g. With lam = 0, there is no solution if the hulls intersect; a warning reports
    this. With landmarks, `exact_gap_` is the gap of the same g in the exact problem, whose objective is at least that
    of the problem solved.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (LAM,)
    matrices: ClassVar[float] = 8.0
    own_bias: ClassVar[bool] = True

    lam: float = 0.5
    max_iter: int = field(default=30, kw_only=True)

    weights_: Array = field(init=False)

    def _is_explicit(self, space: KernelSpace) -> bool:
        return isinstance(space, LandmarkSpace) or super()._is_explicit(space)

    def _solve(self, sample: Sample) -> FitResult:
        """Solve with centred columns: a common shift does not change the distance of the hulls, and centring reduces
        rounding errors."""
        space = sample.space
        if not space.is_linear or issparse(space.rows) or isinstance(space, LandmarkSpace):
            return self._solve_in(space, sample.labels)
        mean = space.rows.mean(axis=0)
        found = self._solve_in(
            space.cached("centred", lambda: KernelSpace(space.rows - mean, space.kernel)), sample.labels
        )
        w = found.weights
        assert w.coef is not None
        assert w.scores is not None
        shift = float(w.coef[0] @ mean)
        moved = replace(w, rows=space.rows, scores=w.scores + shift)
        return replace(found, weights=moved.with_bias(float(w.offset) - shift if self.fit_intercept else 0.0))

    def _solve_in(self, space: KernelSpace, signs: Array) -> FitResult:
        lam, tol, max_iter = self.settings()["lam"], self._tolerance(), self._limit()
        start, goal = self._previous("weights_", signs.shape), 0.0
        if self._is_explicit(space):
            goal = max(tol, IN_SPAN) if isinstance(space, LandmarkSpace) else tol
            Z = space.features(False)
            solution = nearest_in_features(Z, signs, lam=lam, start=start, tol=goal, max_iter=max_iter)
        else:
            Q = (1.0 - lam) * space.gram * signs * signs[:, None]
            add_to_diagonal(Q, lam)
            solution = nearest_hull_points(Q, signs, start=start, tol=tol, max_iter=max_iter)
        g = solution.g
        w, weights = Weights.of(space, signs * g)
        b = -float(g @ w.scores) / 2.0 if self.fit_intercept else 0.0  # -<w, p_+ + p_->/2 for both points
        value = _value(w.norm, g, lam)
        slope = (1.0 - lam) * (signs * w.scores - w.blur) + lam * g
        dual = value - gap_of((1.0 - lam) * w.most + lam * float(g @ g), slope, signs)
        certificate = Certificate(value, dual if value > 0.0 else -np.inf, value)
        reached = certificate.gap <= max(tol, goal, ROUNDED)
        missing = f"relative duality gap {certificate.gap:.1e} after {solution.n_iter} iterations."
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
        return FitResult(
            weights.with_bias(b),
            certificate,
            np.flatnonzero(g > 0.0),
            solution.n_iter,
            reached and w.square > 0.0 and w.norm_error <= ROUNDED,
            missing,
            fitted={"weights_": g},
            exact=HullCertificate(space, signs * g, value, dual, 1.0 - lam)
            if isinstance(space, LandmarkSpace)
            else None,
        )


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
