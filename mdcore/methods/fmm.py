"""Fast margin maximisation by dual acceleration (Ji, Srebro & Telgarsky, ICML 2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import MAX_ITER
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.params import SolverParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import ROUNDED, Certificate
from mdcore.solvers.fmm import maximise_margin
from mdcore.solvers.linalg import symmetric_product
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Interval, Mark, Method, Paper, Param, Search, Setting, Slider, Work

STEPS = Param(
    "max_iter",
    "T",
    1600,
    MAX_ITER.legal,
    Slider(1, 1600, log=True),
    "Maximum number of steps. On separable data the smallest margin over ‖w‖, which includes the bias, comes within "
    "about log(m)/T² of the largest.",
    grid=(50, 100, 200, 400, 800, 1600),
    search=Search((25, 100, 400, 1600), first=(100, 400)),
    integer=True,
)
STEP = Param(
    "step",
    "θ",
    1.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-10, 1, log=True),
    "Length of a step, relative to the longest row: with a small θ, w stays longer near the direction of the largest "
    "mean margin.",
    grid=tuple(2.0**k for k in range(-10, 1, 2)),
)


@dataclass(eq=False, repr=False)
class FMM(SolverParams, KernelMachine):
    """Fast margin maximisation: max_{||w||=1} min_i y_i <w, phi(x_i)> by normalised gradients of the exponential loss
    with momentum t/(t+1).

    `norm_` is 1 and includes the weight of the constant feature: this margin is the largest, not the distance to
    the boundary. `path_` holds it after every step, and `margin_bound_` is a proven upper bound for any w. The
    iteration stops when the last minimum margin is within `tol` of the bound, or when the bound is at the level of
    rounding errors, so that no w separates the classes. With `tol=0` it makes `max_iter` steps, and does not warn if
    they were not enough. The model is that of the last step.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (STEPS, STEP)
    work: ClassVar[Work] = Work(passes=1300.0, cubes=0.0)
    explicit: ClassVar[bool] = True

    max_iter: int = 1600
    step: float = 1.0
    tol: float = field(default=1e-2, kw_only=True)

    def _solve(self, sample: Sample) -> FitResult:
        chosen, tol, space, signs = self.settings(), self._tolerance(), sample.space, sample.labels
        solution = maximise_margin(
            _signed_product(space, signs),
            len(signs),
            radius=float(np.sqrt(space.kernel.diagonal(space.rows).max())),
            units=space.units,
            step=chosen["step"],
            tol=tol,
            max_iter=int(chosen["max_iter"]),
        )
        w, weights = Weights.of(space, signs * solution.c)
        missing = (
            f"smallest margin over ‖w‖ {solution.margin:.3g}, at most {solution.bound:.3g} possible, after "
            f"{solution.n_iter} steps."
        )
        if solution.inseparable:
            missing += " No w separates the classes at working precision."
        elif solution.margin <= 0.0:
            missing += " No separating w was found: the classes may not be separable."
        return FitResult(
            weights,
            Certificate(objective(signs * w.scores, w.norm, **chosen)),
            np.flatnonzero(solution.q > 1.0 / len(signs)),
            solution.n_iter,
            solution.converged and w.norm_error <= ROUNDED,
            missing if tol > 0.0 else "",
            fitted={"path_": solution.path, "margin_bound_": solution.bound},
        )


def _signed_product(space: KernelSpace, signs: Array) -> Callable[[Array], Array]:
    """Return the function v -> YGYv, which uses the explicit features if the kernel is linear."""
    if space.kernel.name == "linear":
        Z = space.root * signs[:, None]
        return lambda v: Z @ (Z.T @ v)
    return lambda v: signs * symmetric_product(space.gram, signs * v)


def objective(margins: Array, norm: float, *, max_iter: int, step: float) -> float:
    """Return -min_i g_i / ||w||: minimising it maximises the smallest margin, for a ||w|| that includes the bias."""
    return -float(margins.min()) / norm if norm > 0.0 else 0.0


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(train.min, train.min, "smallest"),)


METHOD = Method(
    key="fmm",
    name="FMM",
    summary="Largest minimum margin, with the bias in ‖w‖, by accelerated gradient steps on the exponential loss.",
    estimator=FMM,
    latex=r"\max_{\|w\|=1}\;\min_{1\le i\le m} y_i\langle w,\phi(x_i)\rangle",
    objective=objective,
    paper=Paper(
        "Z. Ji, N. Srebro, M. Telgarsky", "Fast margin maximization via dual acceleration", "ICML 2021", "Algorithm 1"
    ),
    color="#C2188F",
    marks=marks,
    limits="With T = 1, the direction of MAMC, w ∥ Σ yᵢφ(xᵢ); as T → ∞, the hard-margin SVM, if the classes are "
    "separable.",
    support="examples of more than average weight",
    complexity="O(m²) per step with a kernel, O(md) for linear functions.",
    certificate="none",
    unit="mean margin",
)
