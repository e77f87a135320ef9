"""Scores of predictions, and those of predicting the most frequent training class for every row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import Rows
from mdcore.solvers.arrays import Array

ROUNDING = 1e-9  # relative to the largest |f|: closer values differ only by rounding, which depends on the machine
SCORES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "f1": "F1",
    "auc": "AUC",
    "average_precision": "Average precision",
}
EXPLAINED = {
    "accuracy": "Share of test rows predicted correctly.",
    "balanced_accuracy": "Mean over the classes of the share predicted correctly: a rare class counts as much as "
    "a frequent one.",
    "f1": "Harmonic mean of precision and recall of the positive class; with more classes the mean over all.",
    "auc": "Probability that a row of the positive class has a larger f(x) than one of the other class; with more "
    "classes the mean over all, each against the rest by its own score. A tie counts one half.",
    "average_precision": "Area under the curve of precision against recall of the positive class, as f(x) orders the "
    "rows; with more classes the mean over all. Without any order it is the share of the class: it says more than the "
    "AUC where the class is rare.",
}
UNEQUAL = 1.5  # ratio of largest to smallest class from which classes count as unequal


def fitting_score(y: NDArray[Any]) -> str:
    """Return "accuracy", or "balanced_accuracy" for unequal classes, where accuracy rewards ignoring the rare ones."""
    return "balanced_accuracy" if are_unequal(y) else "accuracy"


def are_unequal(y: NDArray[Any]) -> bool:
    counts = np.unique(y, return_counts=True)[1]
    return bool(counts.max() >= UNEQUAL * counts.min())


def fitting_scores(y: NDArray[Any]) -> list[str]:
    """Return the scores worth reading: average precision only for unequal classes, where a small share is the
    yardstick that AUC hides."""
    return [name for name in SCORES if name != "average_precision" or are_unequal(y)]


def confusion(y: NDArray[Any], predicted: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the confusion matrix: true classes in rows, predicted classes in columns."""
    counts = np.zeros((len(classes), len(classes)), dtype=np.intp)
    np.add.at(counts, (np.searchsorted(classes, y), np.searchsorted(classes, predicted)), 1)
    return counts


def scores_of(y: NDArray[Any], f: Array, classes: NDArray[Any], positive: int) -> dict[str, float]:
    """Return all SCORES of decision values f; `positive` is the number of the positive class."""
    return count_scores(confusion(y, predicted(classes, f), classes), positive) | order_scores(y, f, classes, positive)


def count_scores(counts: NDArray[np.intp], positive: int) -> dict[str, float]:
    """Return the SCORES of a confusion matrix; F1 is that of class number `positive`, nan without a row of it, or the
    mean over the classes if there are more than two."""
    right = np.diagonal(counts)
    true, predicted = counts.sum(axis=1), counts.sum(axis=0)
    present = true > 0
    f1 = 2.0 * right / np.maximum(true + predicted, 1)
    of_positive = f1[positive] if present[positive] else np.nan
    return {
        "accuracy": float(right.sum() / counts.sum()),
        "balanced_accuracy": float(np.mean(right[present] / true[present])),
        "f1": float(of_positive if len(counts) == 2 else f1.mean()),
    }


def order_scores(y: NDArray[Any], f: Array, classes: NDArray[Any], positive: int) -> dict[str, float]:
    """Return the SCORES of the order in which decision values put the rows; nan if a class is missing in `y`."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    if len(np.unique(y)) < len(classes):
        return {"auc": np.nan, "average_precision": np.nan}
    if f.ndim == 1:
        f = f[:, None] * np.where(np.arange(2) == 1, 1.0, -1.0)
    shown = [positive] if len(classes) == 2 else range(len(classes))
    sides = [(y == classes[number], levels(f[:, number])) for number in shown]
    return {
        "auc": float(np.mean([roc_auc_score(*side) for side in sides])),
        "average_precision": float(np.mean([average_precision_score(*side) for side in sides])),
    }


def predicted(classes: NDArray[Any], f: Array) -> NDArray[Any]:
    """Return the predicted classes from decision values f; computing f again could take longer than the fit."""
    return np.asarray(classes[f.argmax(axis=1) if f.ndim > 1 else (f > 0).astype(np.intp)])


def score_of(name: str, y: NDArray[Any], f: Array, classes: NDArray[Any], positive: int) -> float:
    """Return one of the SCORES of decision values f."""
    if name in ("auc", "average_precision"):
        return order_scores(y, f, classes, positive)[name]
    return count_scores(confusion(y, predicted(classes, f), classes), positive)[name]


def levels(f: Array) -> NDArray[np.intp]:
    """Return the rank of every value.

    Values that differ only by rounding, such as those of equal rows, share a rank.
    """
    order = np.argsort(f, kind="stable")
    rank = np.zeros(len(f), dtype=np.intp)
    rank[order[1:]] = np.cumsum(np.diff(f[order]) > ROUNDING * np.abs(f).max())
    return rank


def majority_scores(y: NDArray[Any], splits: Iterable[tuple[Rows, Rows]], positive: int) -> list[dict[str, float]]:
    """Return all scores of predicting the most frequent training class, split by split; `positive` is the code of the
    positive class."""
    classes = np.unique(y)
    found = []
    for train, test in splits:
        said = np.full(len(test), majority_class(y[train]))
        no_order = np.zeros(len(test) if len(classes) == 2 else (len(test), len(classes)))
        counted = count_scores(confusion(y[test], said, classes), positive)
        found.append(counted | order_scores(y[test], no_order, classes, positive))
    return found


def majority_class(y: NDArray[Any]) -> Any:
    """Return the most frequent class, the first of them in case of a tie."""
    classes, counts = np.unique(y, return_counts=True)
    return classes[counts.argmax()]
