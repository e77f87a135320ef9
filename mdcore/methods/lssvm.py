"""Least squares support vector machine (Suykens & Vandewalle 1999)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.certified import TwoClasses, certified
from mdcore.methods.explicit import solve_in_features
from mdcore.methods.fit_result import FitResult, Sample
from mdcore.methods.kernel_machine import WeightedMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.methods.params import PRICES
from mdcore.methods.weights import WeightParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import ROUNDED, Solution
from mdcore.solvers.least_squares import SquaresProblem, solve_by_cholesky
from mdcore.spec import Interval, Mark, Method, Paper, Param, Setting, Slider, Work


def squares_parameter(grid: tuple[float, ...]) -> Param:
    """Return the parameter C of the squared deviation from margin one, per example."""
    return Param(
        "C",
        "C",
        10.0,
        Interval(0, np.inf, open_low=True, open_high=True),
        Slider(2**-10, 2**11, log=True),
        "Cost of a squared deviation of a margin from 1, above or below, per example: a large C pulls all margins "
        "towards 1; with a small C, the norm dominates.",
        grid=grid,
        search=PRICES,
    )


ROUNDING, REFINEMENTS = 1e-13, 5  # in explicit features: tolerance, and most steps, the first of which solves


@dataclass(eq=False, repr=False)
class LSSVM(WeightParams, LandmarkParams, WeightedMachine):
    """Least squares support vector machine: min_{w,b} 1/2 ||w||^2 + C/2 sum_i (1 - y_i f(x_i))^2 .

    The dual is one linear system, in whose solution every example has a coefficient. The bias is not regularised, as in
    Suykens' paper. `gap_` is computed from the model, like that of the iterative methods.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (squares_parameter((10.0, 50.0, 100.0)),)
    work: ClassVar[Work] = Work(passes=5.0, cubes=0.3, spans=1.0)
    accepts_sparse: ClassVar[bool] = True
    own_bias: ClassVar[bool] = True

    C: float = 10.0
    warm_start: bool = field(default=False, kw_only=True)

    def _solve(self, sample: Sample) -> FitResult:
        space, signs = sample.space, sample.labels
        problem = squares_problem(len(signs), self.settings()["C"], sample.weight)
        best_offset = partial(problem.best_offset, signs) if self.fit_intercept else None
        if self._is_explicit(space):
            return solve_in_features(
                sample, problem, tol=ROUNDING, max_iter=REFINEMENTS, best_offset=best_offset, enough=ROUNDED
            )
        a, b = solve_by_cholesky(space.gram, signs, problem.r, bias=self.fit_intercept)
        solved, every = TwoClasses(space, signs, problem, Solution(a, signs * a, offset=b)), np.arange(len(signs))
        return certified(solved, best_offset=best_offset, support=every, beta_=signs * a)


def squares_problem(m: int, C: float, weight: Array | float | None) -> SquaresProblem:
    return SquaresProblem(1.0 / (C * (1.0 if weight is None else weight) * np.ones(m)))


def objective(margins: Array, norm: float, *, C: float, weight: Array | float = 1.0) -> float:
    """Return 1/2 ||w||^2 + C/2 sum_i (1 - g_i)^2 for the margins g."""
    return 0.5 * norm**2 + sum(squares_problem(len(margins), C, weight).loss(margins).values())


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0, 1.0, "target y f = 1", stated=1.0),)


METHOD = Method(
    key="lssvm",
    name="LSSVM",
    summary="Every margin close to 1 in the least squares sense, traded off against the norm.",
    estimator=LSSVM,
    latex=r"\min_{w,b} \tfrac12\|w\|^2 + \tfrac C2\sum_{i=1}^m \bigl(1-y_i(\langle w,\phi(x_i)\rangle+b)\bigr)^2",
    objective=objective,
    bias="own",
    paper=Paper(
        "J. A. K. Suykens, J. Vandewalle",
        "Least squares support vector machine classifiers",
        "Neural Processing Letters, 1999",
        "dual linear system; Abe 2016, Eq. (33) with Cₐ = 0",
        "10.1023/A:1018628609742",
    ),
    color="#882255",
    marks=marks,
    limits=(
        "As C → 0, the direction from one class mean to the other. Without the bias, ridge regression on the labels, "
        "which is the ODM with θ = 0 and μ = 1."
    ),
    support="examples with weight",
    complexity="For each C, one linear system of m + 1 equations, O(m³).",
)
