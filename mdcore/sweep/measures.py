"""What is measured of a fitted model: every statistic that can stand on the y-axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from mdcore.bounds import semivariance_bound
from mdcore.margin import MarginDistribution
from mdcore.space import KernelSpace
from mdcore.spec import Method


@dataclass(frozen=True, eq=False)
class Fitted:
    """One fit as the measures see it; `train` and `test` are on the scale shown, `functional` is not."""

    method: Method
    params: Mapping[str, Any]
    model: Any
    space: KernelSpace
    functional: MarginDistribution
    train: MarginDistribution
    test: MarginDistribution
    seconds: float
    threshold: float

    @property
    def linear(self) -> bool:
        return hasattr(self.model, "coef_")

    def terms(self) -> dict[str, float]:
        """The summands of the objective by name; where it is no sum, itself."""
        return self.method.split_objective(self.functional.values, self.model.norm_, self.params)


@dataclass(frozen=True)
class Measure:
    """`better`: which way is good, where one is; `log`: its values span magnitudes."""

    key: str
    title: str
    help: str
    of: Callable[[Fitted], float]
    better: Literal["higher", "lower", "neither"] = "neither"
    log: bool = False


def _of_part(part: str, name: str, fitted: Fitted) -> float:
    return float(getattr(getattr(fitted, part), name))


def _below(part: str, fitted: Fitted) -> float:
    return float(getattr(fitted, part).cdf(fitted.threshold))


def _leave_one_out(fitted: Fitted) -> float:
    return float(getattr(fitted.model, "loo_bound_", np.nan))


def _semivariance_bound(fitted: Fitted) -> float:
    space = fitted.space
    diagonal = space.kernel.diagonal(space.rows)
    linear = fitted.linear
    return semivariance_bound(fitted.functional, fitted.model.norm_, diagonal, linear=linear).value


def _margin_measures() -> list[Measure]:
    made = []
    for part, name in (("train", "training"), ("test", "test")):
        own = partial(_of_part, part)
        made += [
            Measure(f"{part}.mean", f"margin mean, {name}", "Mean of the margins.", partial(own, "mean"), "higher"),
            Measure(
                f"{part}.variance",
                f"margin variance, {name}",
                "Population variance.",
                partial(own, "variance"),
                "lower",
            ),
            Measure(
                f"{part}.semivariance",
                f"margin semi-variance, {name}",
                "Mean square of what margins lack to their mean.",
                partial(own, "semivariance"),
                "lower",
            ),
            Measure(f"{part}.min", f"minimum margin, {name}", "The smallest margin.", partial(own, "min"), "higher"),
            Measure(
                f"{part}.below",
                f"P(margin ≤ t), {name}",
                "Share of the margins at or below the threshold t.",
                partial(_below, part),
                "lower",
            ),
            Measure(
                f"{part}.accuracy",
                f"accuracy, {name}",
                "Share of positive margins.",
                partial(own, "accuracy"),
                "higher",
            ),
        ]
    return made


_ALL = (
    *_margin_measures(),
    Measure(
        "support",
        "support vectors",
        "Number of examples with a coefficient; of MSVM_Av, of those below the mean margin.",
        lambda fitted: float(len(fitted.model.support_)),
        "lower",
    ),
    Measure(
        "loo_bound",
        "leave-one-out bound",
        "LDM, Theorem 3: bounds the leave-one-out error of SVM and LDM. Above 1 it says nothing.",
        _leave_one_out,
        "lower",
    ),
    Measure(
        "semivariance_bound",
        "semi-variance bound",
        "MSVM_Av, Theorem 1: SV/mean² and the complexity term over mean², constants left out. Above 1 it says nothing.",
        _semivariance_bound,
        "lower",
        log=True,
    ),
    Measure(
        "objective",
        "objective",
        "What the method minimises, in its own unit: not comparable between methods.",
        lambda fitted: float(fitted.model.objective_),
        "lower",
    ),
    Measure(
        "seconds",
        "time of the fit, s",
        "Seconds of the fit, started from the point before on the path.",
        lambda fitted: fitted.seconds,
        "lower",
        log=True,
    ),
)
MEASURES: dict[str, Measure] = {measure.key: measure for measure in _ALL}
