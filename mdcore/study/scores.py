"""Scores of predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROUNDING = 1e-9  # relative to the largest |f|: closer values differ only by rounding, which depends on the machine
SCORES = {"accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy", "f1": "F1", "auc": "AUC"}
EXPLAINED = {
    "accuracy": "Share of test rows predicted correctly.",
    "balanced_accuracy": "Mean over the classes of the share predicted correctly: a rare class counts as much as "
    "a frequent one.",
    "f1": "Harmonic mean of precision and recall of the positive class; with more classes the mean over all.",
    "auc": "Probability that a row of the positive class has a larger f(x) than one of the other class; with more "
    "classes the mean over all, each against the rest by its own score. A tie counts one half.",
}


def confusion(y: NDArray[Any], predicted: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the confusion matrix: true classes in rows, predicted classes in columns."""
    counts = np.zeros((len(classes), len(classes)), dtype=np.intp)
    np.add.at(counts, (np.searchsorted(classes, y), np.searchsorted(classes, predicted)), 1)
    return counts


def scores(counts: NDArray[np.intp], auc: float, positive: int) -> dict[str, float]:
    """Return all SCORES; F1 is that of class number `positive`, or the mean over the classes if there are more than
    two."""
    right = np.diagonal(counts)
    true, predicted = counts.sum(axis=1), counts.sum(axis=0)
    present = true > 0
    f1 = 2.0 * right / np.maximum(true + predicted, 1)
    return {
        "accuracy": float(right.sum() / counts.sum()),
        "balanced_accuracy": float(np.mean(right[present] / true[present])),
        "f1": float(f1[positive] if len(counts) == 2 else f1.mean()),
        "auc": auc,
    }


def predicted(classes: NDArray[Any], f: Array) -> NDArray[Any]:
    """Return the predicted classes from decision values f; computing f again could take longer than the fit."""
    return np.asarray(classes[f.argmax(axis=1) if f.ndim > 1 else (f > 0).astype(np.intp)])


def score_of(name: str, y: NDArray[Any], f: Array, classes: NDArray[Any], positive: int) -> float:
    """Return one of the SCORES of decision values f."""
    if name == "auc":
        return area_under_curve(y, f, classes)
    return scores(confusion(y, predicted(classes, f), classes), np.nan, positive)[name]


def area_under_curve(y: NDArray[Any], f: Array, classes: NDArray[Any]) -> float:
    """Return the AUC, for more classes the mean of each class against the rest; nan if a class is missing in `y`."""
    from sklearn.metrics import roc_auc_score

    if len(np.unique(y)) < len(classes):
        return float("nan")
    if f.ndim == 1:
        return float(roc_auc_score(y == classes[1], levels(f)))
    return float(np.mean([roc_auc_score(y == label, levels(f[:, column])) for column, label in enumerate(classes)]))


def levels(f: Array) -> NDArray[np.intp]:
    """Return the rank of every value.

    Values that differ only by rounding, such as those of equal rows, share a rank.
    """
    order = np.argsort(f, kind="stable")
    rank = np.zeros(len(f), dtype=np.intp)
    rank[order[1:]] = np.cumsum(np.diff(f[order]) > ROUNDING * np.abs(f).max())
    return rank
