"""The sets that come with scikit-learn, read from its installed files: inputs, labels and feature names.

Labels are class names where scikit-learn has them. `keep` is "all" or some of the classes joined by commas.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = tuple[NDArray[np.float64], NDArray[Any], tuple[str, ...]]

EVERY_CLASS = "all"


def every_choice(*classes: str) -> tuple[str, ...]:
    """What `keep` may be for a set of these classes: all of them, or any two."""
    return (EVERY_CLASS, *(",".join(pair) for pair in combinations(classes, 2)))


def first_classes(k: int) -> tuple[str, ...]:
    """What `keep` may be to add one of the k classes 0, 1, ... after the other: the first two, three, up to k - 1."""
    return tuple(",".join(map(str, range(count))) for count in range(2, k))


def breast_cancer() -> Table:
    from sklearn.datasets import load_breast_cancer

    return _with_class_names(load_breast_cancer(), EVERY_CLASS)


def iris(keep: str) -> Table:
    from sklearn.datasets import load_iris

    return _with_class_names(load_iris(), keep)


def wine(keep: str) -> Table:
    from sklearn.datasets import load_wine

    return _with_class_names(load_wine(), keep)


def digits(keep: str) -> Table:
    from sklearn.datasets import load_digits

    source = load_digits()
    return _kept(source, source.target, keep)


def _with_class_names(source: Any, keep: str) -> Table:
    return _kept(source, source.target_names[source.target], keep)


def _kept(source: Any, y: NDArray[Any], keep: str) -> Table:
    wanted = np.full(len(y), True) if keep == EVERY_CLASS else np.isin(y.astype(str), keep.split(","))
    return source.data[wanted], y[wanted], tuple(map(str, source.feature_names))
