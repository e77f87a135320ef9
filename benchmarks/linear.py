"""LinearLDM, with C from the paper's grid, against scikit-learn's LinearSVC with defaults, on large samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from benchmarks.timing import Row, measure
from mdcore import LinearLDM

Sample = tuple[Any, Any, Any, Any]


def rows() -> Iterator[Row]:
    for name, sample in (("500,000 × 50, dense", dense()), ("50,000 × 20,000, sparse", text_like())):
        X, y, X_test, y_test = sample
        ours_ms, ours = measure(lambda _, X=X, y=y: LinearLDM(lambda1=2**-4, lambda2=2**-4, C=10.0).fit(X, y), repeat=3)
        peer_ms, peer = measure(lambda _, X=X, y=y: LinearSVC(C=1.0).fit(X, y), repeat=1)
        quality = f"test accuracy {ours.score(X_test, y_test):.4f}, peer's {peer.score(X_test, y_test):.4f}"
        yield Row(f"LinearLDM, {name}", "LinearSVC", ours_ms, peer_ms, quality, 1.0)


def dense(m: int = 500_000, d: int = 50) -> Sample:
    """Return a noisy linear rule on normal features with unequal variances."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m + 50_000, d)) * np.linspace(0.2, 1.0, d)
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=len(X)) > 0, 1, -1)
    return X[:m], y[:m], X[m:], y[m:]


def text_like(m: int = 50_000, d: int = 20_000, words: int = 80) -> Sample:
    """Return rows of unit length with words drawn from a Zipf-like law.

    A few hundred words carry the label, with noise.
    """
    rng = np.random.default_rng(0)
    total = m + 10_000
    frequency = 1.0 / np.arange(1, d + 1)
    indices = rng.choice(d, size=total * words, p=frequency / frequency.sum()).astype(np.int32)
    X = csr_matrix((np.ones(len(indices)), indices, np.arange(0, len(indices) + 1, words)), shape=(total, d))
    X.sum_duplicates()
    X.data = 1.0 + np.log(X.data)
    X = csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))))
    rule = np.zeros(d)
    rule[rng.choice(2_000, size=500, replace=False)] = rng.normal(size=500)
    score = X @ rule
    y = np.where(score + 0.3 * score.std() * rng.normal(size=total) > 0, 1, -1)
    return X[:m], y[:m], X[m:], y[m:]
