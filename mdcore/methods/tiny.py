"""A tiny fit of each method, which triggers compilation before a fit that is timed or that a user waits for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from mdcore.spec import Method


def fit_tiny(records: Iterable[Method], kernel: str) -> None:
    """Fit each method once on six rows, with `kernel` where the method takes kernels."""
    X = np.array([[-1.0, -1.0], [-1.0, -2.0], [-2.0, -1.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the results are not used
        for record in records:
            settings = {"kernel": kernel} if record.kernels else {}
            record.estimator(**settings).fit(X, [0, 0, 0, 1, 1, 1])
