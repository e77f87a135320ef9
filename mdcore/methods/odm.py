"""Optimal margin distribution machine (Zhang & Zhou 2019; the two-class form in the mcODM paper's notation)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from mdcore.solvers.odm import ODMProblem, solve_odm
from mdcore.spec import Interval, Mark, Method, Paper, Param, Search, Setting, Slider, Work, summed

PAPER_SHARES = (0.2, 0.4, 0.6, 0.8)

LAM = Param(
    "lam",
    "λ",
    256.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-10, 2**20, log=True),
    "Weight of the deviations outside the band relative to the norm: the larger λ, the closer the margins are to 1.",
    grid=tuple(2.0**k for k in range(0, 21, 2)),
    search=replace(PRICES, per_row=True),
)
MU = Param(
    "mu",
    "μ",
    0.4,
    Interval(0, 1, open_low=True),
    Slider(0.01, 1, step=0.01),
    "Weight of deviations above the band relative to those below it; with 1, both sides count the same.",
    grid=PAPER_SHARES,
    search=Search((0.2, 0.7), first=(0.7,)),
)
THETA = Param(
    "theta",
    "θ",
    0.4,
    Interval(0, 1, open_high=True),
    Slider(0, 0.95, step=0.01),
    "Half-width of the band 1 ± θ, inside which a margin costs nothing: the larger θ, the fewer examples matter.",
    grid=PAPER_SHARES,
    search=Search((0.2, 0.5, 0.8), first=(0.2,)),
)


@dataclass(eq=False, repr=False)
class ODM(SolverParams, WeightParams, LandmarkParams, WeightedMachine):
    """Optimal margin distribution machine:
    min_w 1/2 ||w||^2 + lam/m sum_i (xi_i^2 + mu eps_i^2) / (1 - theta)^2
    subject to 1 - theta - xi_i <= y_i f(x_i) <= 1 + theta + eps_i.

    `support_` lists the examples outside the band; `beta_` are the dual variables, positive below the band and negative
    above it.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (LAM, MU, THETA)
    work: ClassVar[Work] = Work(cubes=0.2, spans=1.0)
    accepts_sparse: ClassVar[bool] = True

    lam: float = 256.0
    mu: float = 0.4
    theta: float = 0.4

    beta_: Array = field(init=False)

    def _solve(self, sample: Sample) -> FitResult:
        problem = ODMProblem.of(sample.each, **self.settings())
        space, signs, tol, max_iter = sample.space, sample.labels, self._tolerance(), self._limit()
        if self._is_explicit(space):
            return solve_in_features(sample, problem, tol=tol, max_iter=max_iter)
        start = self._previous("beta_", signs.shape)
        found = solve_odm(problem, space.gram, signs, root=lambda: space.root, start=start, tol=tol, max_iter=max_iter)
        return certified(TwoClasses(space, signs, problem, found), tol=tol, beta_=found.forces)


def terms(
    margins: Array, norm: float, *, lam: float, mu: float, theta: float, weight: Array | float = 1.0
) -> dict[str, float]:
    """Return the summands of 1/2 ||w||^2 + lam/m sum_i (xi_i^2 + mu eps_i^2) / (1 - theta)^2 for the given margins."""
    problem = ODMProblem.of(weight * np.ones(len(margins)), lam=lam, mu=mu, theta=theta)
    return {"½‖w‖²": 0.5 * norm**2} | problem.loss(margins)


objective = summed(terms)


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    theta, mu = params["theta"], params["mu"]
    return (
        Mark(1.0 - theta, 1.0 + theta, "band 1 ± θ"),
        Mark(1.0 + theta, max(1.0 + theta, float(train.ordered[-1])), "above, weight μ", strength=float(mu)),
    )


METHOD = Method(
    key="odm",
    name="ODM",
    summary="Keeps every margin near 1: squared deviations outside the band 1 ± θ, with a smaller weight above it.",
    estimator=ODM,
    latex=(
        r"\min_w \tfrac12\|w\|^2 + \frac{\lambda}{m}\sum_{i=1}^m \frac{\xi_i^2+\mu\varepsilon_i^2}{(1-\theta)^2}"
        r"\;\text{ s.t. }\; 1-\theta-\xi_i \le y_i\langle w,\phi(x_i)\rangle \le 1+\theta+\varepsilon_i"
    ),
    objective=objective,
    terms=terms,
    paper=Paper(
        "T. Zhang, Z.-H. Zhou",
        "Optimal margin distribution machine",
        "IEEE TKDE 2019",
        "Two classes of the mcODM paper's Eq. (1)",
    ),
    color="#CC79A7",
    marks=marks,
    limits="As λ → 0, w shrinks to 0. With θ = 0 and μ = 1, least squares on the margins: an LS-SVM with a regularised "
    "bias.",
    support="examples outside the band",
    complexity="Sweeps, O(m²) each, about ten of them if λ is small; if λ is large, also factorisations for the s "
    "examples outside the band, O(s³) each.",
)
