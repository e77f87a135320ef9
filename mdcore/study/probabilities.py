"""Probabilities from decision values, calibrated on held-out rows of the training part, never on test rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.decisions import decisions

Array = NDArray[np.float64]
Calibration = Literal["sigmoid", "isotonic"]

BINS = 10  # of the reliability curve, with equal numbers of rows


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Predicted probabilities of the positive class for the test rows of every split, and the spread of their scores.

    `brier_of_share` is the Brier score of always predicting the share of positive rows.
    """

    predicted: tuple[Array, ...]
    positive: tuple[NDArray[np.bool_], ...]
    brier: Spread
    log_loss: Spread
    brier_of_share: Spread


def probabilities(comparison: Comparison, key: str, how: Calibration) -> Probabilities:
    """Convert decision values to probabilities with a map that is fitted to held-out training rows, never to test
    rows."""
    from sklearn.metrics import brier_score_loss, log_loss

    predicted, positive, brier, loss, plain = [], [], [], [], []
    for result in comparison.of(key):
        split = decisions(comparison, result)
        p = calibrator(split.inner, split.inner_positive, how)(split.test)
        predicted.append(p)
        positive.append(split.test_positive)
        brier.append(brier_score_loss(split.test_positive, p))
        loss.append(log_loss(split.test_positive, p, labels=[False, True]))
        share = np.full(len(p), split.inner_positive.mean())
        plain.append(brier_score_loss(split.test_positive, share))
    spreads = (spread(np.array(values)) for values in (brier, loss, plain))
    return Probabilities(tuple(predicted), tuple(positive), *spreads)


def calibrator(f: Array, positive: NDArray[np.bool_], how: Calibration) -> Any:
    """Return scikit-learn's map from decision values to probabilities: Platt's sigmoid or isotonic regression."""
    from sklearn.calibration import _SigmoidCalibration
    from sklearn.isotonic import IsotonicRegression

    model = _SigmoidCalibration() if how == "sigmoid" else IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return model.fit(f, positive.astype(float)).predict


def reliability(found: Probabilities) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return, for bins of equal size, the mean predicted probability, the share of positive rows, and the number of
    rows."""
    p, positive = np.concatenate(found.predicted), np.concatenate(found.positive)
    order = np.argsort(p, kind="stable")
    bins = [part for part in np.array_split(order, BINS) if len(part)]
    predicted = np.array([p[part].mean() for part in bins])
    return predicted, np.array([positive[part].mean() for part in bins]), np.array([len(part) for part in bins])
