"""Maximal average margin classifier (Pelckmans et al. 2007), its bias and slope after Abe (2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import WeightedMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import ROUNDED, Certificate
from mdcore.solvers.threshold import best_threshold
from mdcore.spaces.exact_gap import SpanCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spec import Choice, Interval, Mark, Method, Paper, Param, Search, Setting, Slider, Work

SMALL_SLOPES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PAPER_SLOPES = (*SMALL_SLOPES, 1.0, *(1.0 / slope for slope in reversed(SMALL_SLOPES)))

BIAS = Choice(
    "bias",
    "b",
    "optimal",
    ("optimal", "mean", "zero"),
    "optimal: the fewest errors on the training sample, then the least slack (section 2.3); mean: the mean label, "
    "regardless of the scores (Eq. 13); zero: no bias.",
)
SLOPE = Param(
    "slope",
    "Cₘ",
    1.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(0.05, 20, log=True),
    "Weight of the negative class's average in w: 1 is the original MAMC; other values turn the boundary.",
    grid=PAPER_SLOPES,
    search=Search((0.25, 0.5, 1.0, 2.0, 4.0), first=(0.5, 2.0), grows=True),
)


@dataclass(eq=False, repr=False)
class MAMC(LandmarkParams, WeightedMachine):
    """Maximal average margin classifier: w = 1/M (sum_{y_i=1} phi(x_i) - slope * sum_{y_i=-1} phi(x_i)), Eqs. 12, 28.

    This w maximises the average margin minus ||w||^2 / 2, with every negative example counted `slope` times, which
    makes class weights unnecessary. The fit costs one pass over the Gram matrix. The bias is set afterwards: by
    Eq. (13), as in section 2.3, or to zero.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (BIAS, SLOPE)
    work: ClassVar[Work] = Work(passes=10.0, cubes=0.0, spans=0.0)
    accepts_sparse: ClassVar[bool] = True
    own_bias: ClassVar[bool] = True

    bias: str = "optimal"
    slope: float = 1.0
    warm_start: bool = field(default=False, kw_only=True)

    def _solve(self, sample: Sample) -> FitResult:
        chosen, space, signs, each = self.settings(), sample.space, sample.labels, sample.each
        pulls = class_pulls(signs, each, chosen["slope"])
        w, weights = Weights.of(space, signs * pulls)
        b, remark = place_bias(w.scores, signs, each, chosen["bias"] if self.fit_intercept else "zero")
        value = objective(signs * (w.scores + b), w.norm, **chosen, signs=signs, offset=b, weight=each)
        # The optimum is -||w||^2 / 2 for this w, so that the gap is only the rounding error of the objective's value.
        dual = value - w.slack - float(pulls @ w.blur) if w.square > 0.0 else -np.inf
        certificate = Certificate(value, dual, w.square)
        return FitResult(
            weights.with_bias(b),
            certificate,
            np.arange(len(signs)),
            converged=certificate.gap <= ROUNDED and w.norm_error <= ROUNDED,
            shortfall="the means of the classes coincide at working precision, so w cannot be determined.",
            remark=remark,
            exact=SpanCertificate(space, signs * pulls, value, dual) if isinstance(space, LandmarkSpace) else None,
        )


def place_bias(s: Array, signs: Array, weight: Array, bias: str) -> tuple[float, str]:
    """Return the bias b for the scores s = <w, phi(x_i)>, and a remark if the optimal bias does not exist."""
    if bias == "zero":
        return 0.0, ""
    mean = float(weight @ signs / weight.sum())  # Eq. (13)
    if bias == "mean":
        return mean, ""
    found = best_threshold(s, signs, weight)
    if found is None:
        return mean, "No positive example scores higher than any negative one, so the bias of Eq. (13) is used."
    return found.b, ""


def class_pulls(signs: Array, weight: Array, slope: float) -> Array:
    """Return the coefficients of w = sum_i pull_i y_i phi(x_i), Eq. (28)."""
    return np.asarray(weight * np.where(signs > 0.0, 1.0, slope) / weight.sum())


def objective(
    margins: Array,
    norm: float,
    *,
    bias: str,
    slope: float,
    signs: Array,
    offset: float,
    weight: Array | float = 1.0,
) -> float:
    """Return 1/2 ||w||^2 - 1/M sum_i y_i <w, phi(x_i)>, with negative examples counted `slope` times, without bias."""
    pulls = class_pulls(signs, weight * np.ones(len(signs)), slope)
    return float(0.5 * norm**2 - pulls @ (margins - signs * offset))


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(train.mean, train.mean, "mean"),)


METHOD = Method(
    key="mamc",
    name="MAMC",
    summary="Largest mean margin, in closed form: w is the difference of the classes' averages; the bias is set "
    "afterwards.",
    estimator=MAMC,
    latex=(
        r"\max_w \tfrac1M\Bigl(\sum_{y_i=1}\langle w,\phi(x_i)\rangle"
        r" - C_m\sum_{y_i=-1}\langle w,\phi(x_i)\rangle\Bigr) - \tfrac12\|w\|^2"
    ),
    objective=objective,
    needs=("signs", "offset"),
    bias="own",
    paper=Paper(
        "S. Abe",
        "Improving generalization abilities of maximal average margin classifiers",
        "ANNPR 2016",
        "Eqs. (7)-(29)",
        "10.1007/978-3-319-46182-3_3",
    ),
    color="#332288",
    marks=marks,
    limits="With Cₘ = 1, the direction of the LDM with λ₁ = C = 0. As Cₘ → ∞, only the average of the negative class "
    "counts.",
    support="examples with weight",
    complexity="One pass over the Gram matrix, O(m²); sorting the scores for the optimal bias, O(m log m).",
    unit="mean margin",
)
