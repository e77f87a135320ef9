"""Weights of the examples: sample weights multiplied by class weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from mdcore.solvers.arrays import Array

ClassWeight = Mapping[Any, float] | str | None


@dataclass(eq=False, repr=False, kw_only=True)
class WeightParams:
    """`class_weight` as in scikit-learn: None, 'balanced', or a dict of labels and weights."""

    class_weight: ClassWeight = None


def checked_weights(
    sample_weight: ArrayLike | None, X: Any, codes: NDArray[Any], classes: NDArray[Any]
) -> Array | None:
    """Return the checked sample weights, or None if none are given.

    Raise ValueError if a weight is negative, or if a class has no example of positive weight.
    """
    if sample_weight is None:
        return None
    weight: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must be in [0, ∞); row {int(np.argmax(weight < 0))} is negative.")
    present = np.bincount(codes, weights=weight, minlength=len(classes)) > 0.0
    if present.sum() < 2:
        raise ValueError("sample_weight leaves one class only; a margin needs two classes of positive weight.")
    if not present.all():
        raise ValueError(f"sample_weight leaves no example of the classes {classes[~present].tolist()}.")
    return weight


def times_class_weight(
    weight: Array | None, class_weight: ClassWeight, codes: NDArray[Any], classes: NDArray[Any]
) -> Array | None:
    """Return the weight of each example multiplied by the weight of its class; None if both are None."""
    if class_weight is None:
        return weight
    if not (class_weight == "balanced" or isinstance(class_weight, Mapping)):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict of labels and weights; got {class_weight!r}."
        )
    each: Array
    if class_weight == "balanced":  # as compute_class_weight, which takes as long as a small fit
        sums = np.bincount(codes, weights=weight, minlength=len(classes))
        each = sums.sum() / (len(classes) * sums)
    else:
        each = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if not (np.isfinite(each).all() and (each > 0.0).all()):
        raise ValueError(f"class_weight must give every class a weight in (0, ∞); got {class_weight!r}.")
    return np.asarray(each[codes] if weight is None else weight * each[codes])
