"""The threshold that cuts scores into two classes: fewest errors first, then least slack (Abe 2016, section 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array

SAME = 1e-12  # scores, and sums of weights, whose difference relative to the largest is smaller count as equal


@dataclass(frozen=True)
class Threshold:
    """The parameters of y_i (s_i + b) >= rho - xi_i, the weight of misclassified examples, and `slack` = sum xi_i."""

    b: float
    rho: float
    errors: float
    slack: float


def best_threshold(s: Array, y: Array, weight: Array) -> Threshold | None:
    """Return b of Eqs. (14)-(20), misprints corrected; None if there is no candidate.

    Candidates are neighbouring scores: an example j of the negative class directly below an example i of the positive
    class, b = -(s_i + s_j)/2, rho = (s_i - s_j)/2. Pairs with examples in between give neither fewer errors nor less
    slack. Among candidates with the same errors and slack, the larger rho wins, then the smaller |b|.
    """
    order = np.argsort(s, kind="stable")
    new = np.diff(s[order]) > SAME * np.abs(s).max()
    place = np.r_[0, np.cumsum(new)]
    values = s[order][np.r_[True, new]]
    positive = np.bincount(place, weight[order] * (y[order] > 0.0))
    negative = np.bincount(place, weight[order] * (y[order] < 0.0))
    j = np.flatnonzero((negative[:-1] > 0.0) & (positive[1:] > 0.0))
    if not len(j):
        return None
    i = j + 1
    positive_below, sum_below = np.cumsum(positive)[j], np.cumsum(positive * values)[j]
    negative_above, sum_above = _from_above(negative)[i], _from_above(negative * values)[i]
    errors = positive_below + negative_above
    slack = (values[i] * positive_below - sum_below) + (sum_above - values[j] * negative_above)
    b, rho = -(values[i] + values[j]) / 2.0, (values[i] - values[j]) / 2.0
    total = SAME * float(weight.sum())
    left = _least(errors, total, np.arange(len(j)))
    left = _least(slack, total * float(np.abs(s).max()), left)
    left = _least(-rho, SAME * float(np.abs(s).max()), left)
    best = left[np.argmin(np.abs(b[left]))]
    return Threshold(float(b[best]), float(rho[best]), float(errors[best]), float(slack[best]))


def _least(cost: Array, rounding: float, among: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the candidates `among` these that have the least cost, up to a difference of `rounding`."""
    return np.asarray(among[cost[among] <= cost[among].min() + rounding])


def _from_above(values: NDArray[Any]) -> Array:
    return np.cumsum(values[::-1])[::-1]
