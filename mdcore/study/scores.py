"""How good predictions are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROUNDING = 1e-9  # of the largest |f|: nothing but rounding, which differs between machines, tells closer values apart
SCORES = {"accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy", "f1": "F1", "auc": "AUC"}
EXPLAINED = {
    "accuracy": "Share of test rows predicted correctly.",
    "balanced_accuracy": "Mean over the classes of the share predicted correctly: a rare class counts as much.",
    "f1": "Harmonic mean of precision and recall of the positive class; with more classes the mean over all.",
    "auc": "Probability that a row of the positive class has a larger f(x) than one of the other class; with more "
    "classes the mean over all, each against the rest by its own score. A tie counts one half.",
}


def confusion(y: NDArray[Any], predicted: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return counts: true classes in rows, predicted ones in columns."""
    counts = np.zeros((len(classes), len(classes)), dtype=np.intp)
    np.add.at(counts, (np.searchsorted(classes, y), np.searchsorted(classes, predicted)), 1)
    return counts


def scores(counts: NDArray[np.intp], auc: float, positive: int) -> dict[str, float]:
    """Return all of SCORES; F1 is that of the class number `positive`, with more than two classes the mean of all."""
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


def area_under_curve(y: NDArray[Any], f: Array, classes: NDArray[Any]) -> float:
    """AUC; with more than two classes the mean over the classes, each against the rest. nan where one is missing."""
    from sklearn.metrics import roc_auc_score

    if len(np.unique(y)) < len(classes):
        return float("nan")
    if f.ndim == 1:
        return float(roc_auc_score(y == classes[1], levels(f)))
    return float(np.mean([roc_auc_score(y == label, levels(f[:, column])) for column, label in enumerate(classes)]))


def levels(f: Array) -> NDArray[np.intp]:
    """Return the rank of every value, those alike that differ by rounding alone: equal rows, rows on a margin."""
    order = np.argsort(f, kind="stable")
    rank = np.zeros(len(f), dtype=np.intp)
    rank[order[1:]] = np.cumsum(np.diff(f[order]) > ROUNDING * np.abs(f).max())
    return rank
