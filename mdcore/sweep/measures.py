"""The statistics of a fitted model that a sweep can show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from sklearn.base import clone

from mdcore.basics.memo import cached_while_alive
from mdcore.experiment.fits import fit_model
from mdcore.experiment.run import Run
from mdcore.margins.bounds import semivariance_bound
from mdcore.margins.distribution import PARTS, MarginDistribution, Part
from mdcore.study.decisions import Split, at_threshold, best_threshold, calibrator
from mdcore.study.splits import inner

FOLDS = 3
NO_ROWS = np.empty(0, dtype=np.intp)

Better = Literal["higher", "lower", "neither"]


@cached_while_alive
def held_out(run: Run) -> Split | None:
    """Return a decision value for every training row from a model fitted without it.

    None for several classes, without test rows, with fewer than FOLDS rows in a class, or if a fit fails.
    """
    prepared, classes = run.prepared, run.model.classes_
    y, test = prepared.y_train, prepared.y_test
    enough = np.unique(y, return_counts=True)[1].min() >= FOLDS
    if len(classes) != 2 or run.one_versus_rest or not len(test) or not enough:
        return None
    decided = np.full(len(y), np.nan)
    try:
        for fit, held in inner(prepared.scheme, y, prepared.along, FOLDS, 0):
            model = clone(run.model)
            if "warm_start" in model.get_params():
                model.set_params(warm_start=False)
            fit_model(model, run.method, run.fit.space.part(fit), prepared.part(fit, NO_ROWS))
            decided[held] = model.decision_function(prepared.X_train[held])
    except ValueError:  # such as a hard margin, or splits in time that separate the classes
        return None
    known, positive = np.isfinite(decided), y == classes[1]
    f, unit = np.where(test == classes[1], run.fit.test, -run.fit.test), float(np.nanstd(decided)) or 1.0
    return Split(decided[known], positive[known], f, test == classes[1], run.fit.norm, unit)


def expected_cost(run: Run, t: float, ratio: float) -> float:
    """Return the mean cost of a test row: 1 for a false alarm, `ratio` for a missed row of the second class; nan if
    unknown."""
    split = held_out(run)
    return np.nan if split is None else at_threshold(split, best_threshold(split, ratio)).cost(ratio)


def brier(run: Run, t: float, ratio: float) -> float:
    return _of_probabilities(run, lambda p, positive: np.mean((p - positive) ** 2))


def log_loss(run: Run, t: float, ratio: float) -> float:
    return _of_probabilities(run, lambda p, positive: -np.mean(np.log(np.where(positive, p, 1.0 - p).clip(1e-15))))


def _of_probabilities(run: Run, score: Callable[[np.ndarray, np.ndarray], np.floating]) -> float:
    split = held_out(run)
    if split is None:
        return np.nan
    p = calibrator(split.inner, split.inner_positive, "sigmoid")(split.test)
    return float(score(p, split.test_positive))


@dataclass(frozen=True)
class Measure:
    """A statistic. `of(run, t, ratio)` returns its value.

    `t` is the threshold of P(margin <= t), `ratio` the cost of a missed row of the second class relative to a false
    alarm. `better` is the favourable direction; `log` means that the values span orders of magnitude; `inside` means
    that the value takes further fits inside the training part.
    """

    key: str
    title: str
    help: str
    of: Callable[[Run, float, float], float]
    better: Better = "neither"
    log: bool = False
    inside: bool = False


def _of_part(part: Part, name: str, run: Run, t: float, ratio: float) -> float:
    if run.is_flat and name != "accuracy":
        return np.nan  # no margins on the scale asked for
    margins = run.margins(part)
    return float(margins.cdf(t) if name == "below" else getattr(margins, name))


def _balanced(run: Run, t: float, ratio: float) -> float:
    if not len(run.prepared.y_test):
        return np.nan
    return float(np.mean([margins.accuracy for margins in run.by_class("test") if len(margins.values)]))


def _leave_one_out(run: Run, t: float, ratio: float) -> float:
    return float(getattr(run.model, "loo_bound_", np.nan))


def _semivariance_bound(run: Run, t: float, ratio: float) -> float:
    space = run.fit.space
    functional, diagonal = MarginDistribution(run.fit.train), space.kernel.diagonal(space.rows)
    return semivariance_bound(functional, run.model.norm_, diagonal, linear=run.model.is_linear).value


_OF_MARGINS: tuple[tuple[str, str, str, Better], ...] = (
    ("mean", "margin mean", "Mean of the margins.", "higher"),
    ("variance", "margin variance", "Population variance.", "lower"),
    ("semivariance", "margin semi-variance", "Mean square of the shortfall of margins below their mean.", "lower"),
    ("min", "minimum margin", "The smallest margin.", "higher"),
    ("below", "P(margin ≤ t)", "Share of the margins at or below the threshold t.", "lower"),
    ("accuracy", "accuracy", "Share of positive margins.", "higher"),
)
_ALL = (
    *(
        Measure(f"{part}.{name}", f"{words} {title}", help, partial(_of_part, part, name), better)
        for part, words in zip(PARTS, ("training", "test"), strict=True)
        for name, title, help, better in _OF_MARGINS
    ),
    Measure(
        "test.balanced",
        "test balanced accuracy",
        "Mean over the classes of the share predicted correctly.",
        _balanced,
        "higher",
    ),
    Measure(
        "test.cost",
        "test expected cost",
        "Mean cost of a test row: 1 for a false alarm, the ratio for a missed row of the second class, at the "
        "threshold of least cost on rows held out inside the training part. Two classes only.",
        expected_cost,
        "lower",
        inside=True,
    ),
    Measure(
        "test.brier",
        "test Brier score",
        "Mean squared error of the probabilities, from a sigmoid fitted to rows held out inside the training part. "
        "Two classes only.",
        brier,
        "lower",
        inside=True,
    ),
    Measure(
        "test.log_loss",
        "test log loss",
        "Log loss of the same probabilities as in the Brier score.",
        log_loss,
        "lower",
        inside=True,
    ),
    Measure(
        "support",
        "support vectors",
        "Number of examples with nonzero coefficients; for MSVM_Av, of those below the mean margin.",
        lambda run, t, ratio: float(len(run.model.support_)),
        "lower",
    ),
    Measure(
        "loo_bound",
        "leave-one-out bound",
        "LDM, Theorem 3: a bound on the leave-one-out error of SVM and LDM; vacuous above 1.",
        _leave_one_out,
        "lower",
    ),
    Measure(
        "semivariance_bound",
        "semi-variance bound",
        "MSVM_Av, Theorem 1: SV/mean² and the complexity term over mean², without constants; vacuous above 1. Its ‖w‖ "
        "is that of the kernel with the constant feature, whatever scale is shown.",
        _semivariance_bound,
        "lower",
        log=True,
    ),
    Measure(
        "objective",
        "objective",
        "The function that the method minimises; not comparable between methods.",
        lambda run, t, ratio: float(run.model.objective_),
        "lower",
    ),
    Measure(
        "seconds",
        "time of the fit, s",
        "Seconds of the fit in the run that first computed this sweep, perhaps another visitor's; warm-started from "
        "the previous point, or only certified if the path is followed exactly.",
        lambda run, t, ratio: run.fit.seconds,
        "lower",
        log=True,
    ),
)
MEASURES: dict[str, Measure] = {measure.key: measure for measure in _ALL}
