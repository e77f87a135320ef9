"""The majority baseline: always predicting the most frequent class of the training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mdcore.basics.memo import cached_while_alive
from mdcore.data import Prepared
from mdcore.experiment.run import Run


@dataclass(frozen=True)
class Majority:
    """The most frequent class of the training part, and its share of each part; nan for an empty part."""

    label: Any
    train: float
    test: float


@cached_while_alive
def majority_of(prepared: Prepared) -> Majority:
    """Return the majority baseline of prepared data."""
    labels, counts = np.unique(prepared.y_train, return_counts=True)
    label = labels[counts.argmax()]
    return Majority(label, *(_share(part, label) for part in (prepared.y_train, prepared.y_test)))


def beats_majority(run: Run) -> bool:
    """Return whether a run is more accurate than the majority baseline: on the test part if any, else on the training
    part."""
    majority = majority_of(run.prepared)
    margins, share = (run.test, majority.test) if len(run.test) else (run.train, majority.train)
    return bool(margins.accuracy > share)


def _share(labels: Any, label: Any) -> float:
    return float(np.mean(labels == label)) if len(labels) else float("nan")
