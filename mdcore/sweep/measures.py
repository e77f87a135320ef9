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

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Measure:
    """`of(run, t)` is its value, t being the threshold of P(margin <= t).

    `better` says which way is good, where one is; `log` that the values span magnitudes.
    """

    key: str
    title: str
    help: str
    of: Callable[[Run, float], float]
    better: Better = "neither"
    log: bool = False


def _of_part(part: str, name: str, run: Run, t: float) -> float:
    margins: MarginDistribution = getattr(run, part)
    return float(margins.cdf(t) if name == "below" else getattr(margins, name))


def _leave_one_out(run: Run, t: float) -> float:
    return float(getattr(run.model, "loo_bound_", np.nan))


def _semivariance_bound(run: Run, t: float) -> float:
    space = run.fit.space
    functional, diagonal = MarginDistribution(run.fit.train), space.kernel.diagonal(space.rows)
    return semivariance_bound(functional, run.model.norm_, diagonal, linear=run.model.is_linear).value


_OF_MARGINS: tuple[tuple[str, str, str, Better], ...] = (
    ("mean", "margin mean", "Mean of the margins.", "higher"),
    ("variance", "margin variance", "Population variance.", "lower"),
    ("semivariance", "margin semi-variance", "Mean square of what margins lack to their mean.", "lower"),
    ("min", "minimum margin", "The smallest margin.", "higher"),
    ("below", "P(margin ≤ t)", "Share of the margins at or below the threshold t.", "lower"),
    ("accuracy", "accuracy", "Share of positive margins.", "higher"),
)
_ALL = (
    *(
        Measure(f"{part}.{name}", f"{title}, {words}", help, partial(_of_part, part, name), better)
        for part, words in (("train", "training"), ("test", "test"))
        for name, title, help, better in _OF_MARGINS
    ),
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
