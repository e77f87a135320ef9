"""Expected cost, Brier score and log loss on the test rows, with threshold and calibration chosen on rows held out
inside the training part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import clone

from mdcore.basics.memo import cached_while_alive
from mdcore.experiment.fits import fit_model
from mdcore.experiment.run import Run
from mdcore.study.decisions import Split, at_threshold, best_threshold, calibrator
from mdcore.study.splits import inner

FOLDS = 3
NO_ROWS = np.empty(0, dtype=np.intp)


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
