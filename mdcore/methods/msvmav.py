"""MSVM_Av: average margin and margin semi-variance (Qian, Ai, Zhang & Gao, IJCAI 2022)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mdcore.margins.bounds import Bound, semivariance_bound
from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import UNKNOWN_NORM
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.methods.params import SolverParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import ROUNDED, Certificate
from mdcore.solvers.msvmav import KernelSteps, solve_kernel, solve_linear
from mdcore.spec import Fitted, Interval, Mark, Method, Paper, Param, Search, Setting, Slider, Work

PAPER_GRID = tuple(2.0**k for k in range(-10, 11, 2))
POSITIVE = Interval(0, np.inf, open_low=True, open_high=True)

ALPHA = Param(
    "alpha",
    "α",
    256.0,
    POSITIVE,
    Slider(2**-10, 2**10, log=True),
    "Cost of moving in the step that raises the mean margin: a small α favours the mean, a large α the semi-variance.",
    grid=PAPER_GRID,
    search=Search((1.0, 16.0, 256.0), first=(16.0, 256.0), grows=True),
)
BETA = Param(
    "beta",
    "β",
    2.0**-6,
    POSITIVE,
    Slider(2**-10, 2**10, log=True),
    "Cost of moving in the step that lowers the semi-variance: a small β strongly raises the margins below the mean.",
    grid=PAPER_GRID,
    search=Search((2.0**-6, 2.0**-2, 2.0**2), first=(2.0**-2,), grows=True),
)


@dataclass(eq=False, repr=False)
class MSVMAv(SolverParams, LandmarkParams, KernelMachine):
    """MSVM_Av, which alternates a step that lowers the margin semi-variance and one that raises the mean margin, on
    ||w|| = 1: Algorithm 1, Eqs. (3)-(10), with a linear kernel and in the features of landmarks, and section 4.2 with
    another kernel. The steps of section 4.2 are shorter, so that even all rows as landmarks give another model.

    The iteration stops when the relative change of the margins is below `tol`, or when it alternates between two
    states, which the algorithm as printed may do for small alpha; the state with the smallest SV / mean^2, the leading
    term of Theorem 1, is kept. With `tol=0` it makes exactly `max_iter` steps and keeps the last state. With
    `extrapolate`, which is not in the paper, a step may start from Anderson's extrapolation of those before it: the
    model is about the same after a fraction of the steps. `path_` holds
    SV / mean^2 at the start and after every step. There is no duality gap, so `gap_` is nan; `change_` is the relative
    change of the margins in the last step.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (ALPHA, BETA)
    work: ClassVar[Work] = Work(cubes=22.0, spans=18.0)
    matrices: ClassVar[float] = 6.0
    explicit: ClassVar[bool] = True
    for_choice: ClassVar[Mapping[str, Any]] = {"extrapolate": True}

    alpha: float = 256.0
    beta: float = 2.0**-6
    tol: float = field(default=1e-3, kw_only=True)
    max_iter: int = field(default=400, kw_only=True)
    extrapolate: bool = field(default=False, kw_only=True)

    def _solve(self, sample: Sample) -> FitResult:
        space, signs, tol, max_iter = sample.space, sample.labels, self._tolerance(), self._limit()
        chosen = {**self.settings(), "tol": tol, "max_iter": max_iter, "extrapolate": self.extrapolate}
        if space.explicit or space.is_linear:
            solution = solve_linear(space.root, signs, **chosen)
            w, weights = Weights.of(space, None, solution.w)
        else:
            steps = space.cached("steps of section 4.2", lambda: KernelSteps.of(space.gram))
            solution = solve_kernel(steps, signs, **chosen)
            w, weights = Weights.of(space, solution.w)
        margins = signs * w.scores
        missing = f"margins still move by {solution.change:.1e} after {solution.n_iter} steps."
        if solution.cycling:
            missing = (
                f"the steps alternate between two states that differ by {solution.change:.1e}; the best state of the "
                "path is kept."
            )
        elif min(solution.path) < solution.path[-1]:
            missing += " The steps cycle or no longer improve: the best state of the path is kept. Try a larger α."
        if w.norm_error > ROUNDED:
            missing = UNKNOWN_NORM
        elif tol == 0.0:
            missing = ""
        return FitResult(
            weights,
            Certificate(objective(margins, w.norm)),
            np.flatnonzero(margins < margins.mean()),
            solution.n_iter,
            solution.converged and w.norm_error <= ROUNDED,
            missing,
            fitted={"path_": solution.path, "change_": solution.change},
        )


def objective(margins: Array, norm: float, **params: float) -> float:
    """Return SV(g) / mean(g)^2, the leading term of Theorem 1, invariant to scale; infinite for a mean <= 0."""
    mean = margins.mean()
    if mean <= 0.0:
        return np.inf
    return float(np.mean(np.maximum(mean - margins, 0.0) ** 2) / mean**2)


def theorem_1(fitted: Fitted) -> Bound:
    model = fitted.model
    return semivariance_bound(fitted.margins, model.norm_, fitted.diagonal, linear=model.is_linear)


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (
        Mark(train.min, train.mean, "semi-variance"),
        Mark(train.mean, train.mean, "mean"),
    )


METHOD = Method(
    key="msvmav",
    name="MSVM_Av",
    summary="Large mean and small semi-variance of the margins for a unit vector w, by alternating closed-form steps.",
    estimator=MSVMAv,
    latex=(
        r"\begin{gathered}"
        r"\min_{\|w\|=1} \widehat{\mathrm{SV}}(w)/\hat\theta_w\\"
        r"\hat\theta_w=\frac1n\sum_{i=1}^n y_i\langle w,\phi(x_i)\rangle,\quad "
        r"\widehat{\mathrm{SV}}(w)=\frac1n\sum_{i=1}^n\bigl[(\hat\theta_w-y_i\langle w,\phi(x_i)\rangle)_+\bigr]^2\\"
        r"w'=\arg\min_w \frac1n\sum_{i=1}^n"
        r"\bigl[(\hat\theta_{w_{k-1}}-y_i\langle w,\phi(x_i)\rangle)_+\bigr]^2+\beta\|w-w_{k-1}\|^2\\"
        r"w_k\propto\arg\min_w -\hat\theta_w+\alpha\|w-w'\|^2"
        r"\end{gathered}"
    ),
    objective=objective,
    paper=Paper(
        "M.-Z. Qian, Z. Ai, T. Zhang, W. Gao",
        "On the optimization of margin distribution",
        "IJCAI 2022",
        "Algorithm 1, Eqs. (3)-(10); Theorem 1",
        "10.48550/arXiv.2204.14118",
    ),
    color="#56B4E9",
    marks=marks,
    limits="As α → 0 or β → ∞, the direction of the largest mean margin, w ∥ Σ yᵢφ(xᵢ), as in MAMC.",
    support="examples below the mean margin",
    bound=r"Theorem 1, with probability $1-\delta$: "
    r"$\text{error} \le \widehat{\mathrm{SV}}(w)/\hat\theta_w^2 + "
    r"O\bigl(R/\hat\theta_w^2 + \sqrt{\ln(4n/\delta)/2n}\bigr)$; "
    r"$R$: the Rademacher complexity. The first term is the objective reported, at every step.",
    bound_of=theorem_1,
    complexity="Linear: O(nd) per step, and O(d³) when many examples cross the mean margin; kernel: O(n²) and O(n³).",
    certificate="none",
    unit="mean margin",
)
