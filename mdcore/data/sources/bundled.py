"""The data sets included in scikit-learn, read from its installed files: inputs, labels and feature names.

Labels are class names if scikit-learn has them. `keep` is "all" or some of the classes, joined by commas.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.dataset import Dataset
from mdcore.data.source import EVERY_CLASS, KEEP, Source
from mdcore.spec import Choice

Table = tuple[NDArray[np.float64], NDArray[Any], tuple[str, ...]]


def every_choice(*classes: str) -> tuple[str, ...]:
    """Return the options of `keep` for the given classes: all of them, or any two."""
    return (EVERY_CLASS, *(",".join(pair) for pair in combinations(classes, 2)))


def first_classes(k: int) -> tuple[str, ...]:
    """Return options of `keep` that add one class after another: the first 2, 3, ..., k - 1 of 0, 1, ..., k - 1."""
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


def _bundled(key: str, title: str, summary: str, read: Callable[..., Table], keep: tuple[str, ...] = ()) -> Source:
    def make(**chosen: Any) -> Dataset:
        X, y, features = read(**chosen)
        return Dataset(name=key, X=X, y=y, features=features, title=title, note=summary)

    choice = Choice(name=KEEP, symbol="classes", default=EVERY_CLASS, options=keep, help="Classes to keep.")
    return Source(key, title, summary, (choice,) if keep else (), make, scaling="standard", planar=False)


BUNDLED = (
    _bundled(
        "breast-cancer",
        "Breast cancer",
        "Wisconsin diagnostic breast cancer (UCI): 30 measurements of cell nuclei, malignant or benign; 569 examples.",
        breast_cancer,
    ),
    _bundled(
        "iris",
        "Iris",
        "Fisher's iris (1936): length and width of sepals and petals; 50 flowers of each of three species.",
        iris,
        keep=every_choice("setosa", "versicolor", "virginica"),
    ),
    _bundled(
        "wine",
        "Wine",
        "Wine recognition (UCI): 13 chemical measurements of 178 Italian wines of three cultivars.",
        wine,
        keep=every_choice("class_0", "class_1", "class_2"),
    ),
    _bundled(
        "digits",
        "Digits",
        "Handwritten digits (UCI optical recognition, its test part): 1797 images of 8 × 8 pixels from 0 to 16.",
        digits,
        keep=(EVERY_CLASS, "3,8", "1,7", "4,9", "5,6", "8,9", *first_classes(10)),
    ),
)
