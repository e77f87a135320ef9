"""What is measured of a fitted model: every statistic that can stand on the y-axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from mdcore.bounds import semivariance_bound
from mdcore.margin import MarginDistribution
from mdcore.run import Run


@dataclass(frozen=True)
class Measure:
    """`of(run, t)` is its value, t being the threshold of P(margin <= t).

    `better` says which way is good, where one is; `log` that the values span magnitudes.
    """

    key: str
    title: str
    help: str
    of: Callable[[Run, float], float]
    better: Literal["higher", "lower", "neither"] = "neither"
    log: bool = False


def _of_part(part: str, name: str, run: Run, t: float) -> float:
    return float(getattr(getattr(run, part), name))


def _below(part: str, run: Run, t: float) -> float:
    return float(getattr(run, part).cdf(t))


def _leave_one_out(run: Run, t: float) -> float:
    return float(getattr(run.model, "loo_bound_", np.nan))


def _semivariance_bound(run: Run, t: float) -> float:
    space = run.fit.space
    functional, diagonal = MarginDistribution(run.fit.train), space.kernel.diagonal(space.rows)
    return semivariance_bound(functional, run.model.norm_, diagonal, linear=hasattr(run.model, "coef_")).value


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
        lambda run, t: float(len(run.model.support_)),
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
        lambda run, t: float(run.model.objective_),
        "lower",
    ),
    Measure(
        "seconds",
        "time of the fit, s",
        "Seconds of the fit, begun at the point before, or certified only where the path is followed exactly.",
        lambda run, t: run.fit.seconds,
        "lower",
        log=True,
    ),
)
MEASURES: dict[str, Measure] = {measure.key: measure for measure in _ALL}
