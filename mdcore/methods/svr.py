"""Support vector regression on the labels as a classifier (Drucker et al. 1997)."""

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
from mdcore.methods.params import PRICES, SolverParams
from mdcore.methods.weights import WeightParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.svr import solve_svr
from mdcore.solvers.tube_dual import SVRProblem
from mdcore.spaces.columns import ColumnSpace
from mdcore.spaces.space import KernelSpace, largest_kernel_problem
from mdcore.spec import Interval, Mark, Method, Paper, Param, Search, Setting, Slider, Work

COST = Param(
    "C",
    "C",
    10.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-10, 2**10, log=True),
    "Cost of a deviation of a margin from 1 beyond ε, above or below, per example.",
    grid=(10.0, 50.0, 100.0),
    search=PRICES,
)
EPSILON = Param(
    "epsilon",
    "ε",
    0.1,
    Interval(0, 1, open_high=True),
    Slider(0, 0.95, step=0.01),
    "Half-width of the tube 1 ± ε, in which a margin costs nothing; with 0, every deviation from 1 costs.",
    grid=(0.1,),
    search=Search((0.05, 0.1, 0.2, 0.4), first=(0.1,)),
)


@dataclass(eq=False, repr=False)
class SVRClassifier(SolverParams, WeightParams, LandmarkParams, WeightedMachine):
    """The sign of an epsilon-SVR on targets -1 and +1, with a free bias.

    The problem is that of scikit-learn's SVR; here it is solved to a relative duality gap of `tol`.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (COST, EPSILON)
    work: ClassVar[Work] = Work(passes=900.0, cubes=0.0, columns=True)
    matrices: ClassVar[float] = 8.0
    accepts_sparse: ClassVar[bool] = True
    own_bias: ClassVar[bool] = True

    C: float = 10.0
    epsilon: float = 0.1
    tol: float = field(default=1e-7, kw_only=True)

    def _solve(self, sample: Sample) -> FitResult:
        chosen, space, signs, tol, max_iter = (
            self.settings(),
            sample.space,
            sample.labels,
            self._tolerance(),
            self._limit(),
        )
        problem = SVRProblem(chosen["epsilon"], chosen["C"] * sample.each)
        best_offset = partial(problem.best_offset, signs) if self.fit_intercept else None
        if self._is_explicit(space):
            return solve_in_features(sample, problem, tol=tol, max_iter=max_iter, best_offset=best_offset)
        start = self._previous("beta_", signs.shape)
        if self.warm_start and self._has_room(space):
            _ = space.gram  # the next fit needs it
        by_columns = ColumnSpace(space)
        found = solve_svr(
            problem,
            by_columns.columns,
            signs,
            bias=self.fit_intercept,
            start=None if start is None else signs * start,
            tol=tol,
            max_iter=max_iter,
            root=lambda: space.root if self._has_room(space) else None,
        )
        solved = TwoClasses(by_columns, signs, problem, found)
        return certified(solved, tol=tol, best_offset=best_offset, beta_=found.forces)

    def _has_room(self, space: KernelSpace) -> bool:
        """Return whether the Gram matrix exists, or it and the solver's other matrices fit into memory."""
        return space.has_gram or len(space) <= largest_kernel_problem(self.matrices)

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return False


def objective(margins: Array, norm: float, *, C: float, epsilon: float, weight: Array | float = 1.0) -> float:
    """Return 1/2 ||w||^2 + C sum_i (|1 - g_i| - epsilon)_+ for the margins g."""
    problem = SVRProblem(epsilon, C * weight * np.ones(len(margins)))
    return 0.5 * norm**2 + sum(problem.loss(margins).values())


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0 - params["epsilon"], 1.0 + params["epsilon"], "tube 1 ± ε"),)


METHOD = Method(
    key="svr",
    name="SVR",
    summary="Margins within a tube around 1, with linear costs on both sides of it: regression on the labels.",
    estimator=SVRClassifier,
    latex=(
        r"\min_{w,b} \tfrac12\|w\|^2 + C\sum_{i=1}^m"
        r" \bigl(|y_i - \langle w,\phi(x_i)\rangle - b| - \varepsilon\bigr)_+"
    ),
    objective=objective,
    bias="own",
    paper=Paper(
        "H. Drucker, C. J. C. Burges, L. Kaufman, A. Smola, V. Vapnik",
        "Support vector regression machines",
        "NIPS 1997",
        "binary targets, as in the MSVM_Av paper's Appendix D",
    ),
    color="#6B7280",
    marks=marks,
    limits="The hinge loss of the SVM penalises only margins below 1. As ε → 1, w shrinks to 0; with ε = 0, least "
    "absolute deviations.",
    support="examples outside the tube or on its edge",
    complexity="Updates of pairs of coefficients, O(s) each for s active examples; factorisations of the block of f "
    "free coefficients, O(f³) each; if pairs converge too slowly, O(mr²) in r features that span the rows.",
)
