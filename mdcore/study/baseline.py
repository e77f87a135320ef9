"""The baseline that ignores all columns: predict the most frequent training class for every row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import Rows
from mdcore.study.scores import confusion, count_scores, order_scores


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
