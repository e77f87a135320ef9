"""PUMMA against scikit-learn's Perceptron on one stream, and its updates against ROMMA's and ALMA's on r-of-k data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import Perceptron

from benchmarks.timing import Row, measure
from mdcore import ALMA, PUMMA, ROMMA, load_dataset


def rows() -> Iterator[Row]:
    yield from stream()
    yield from threshold_updates()


def stream(n: int = 100_000, d: int = 100) -> Iterator[Row]:
    """Time two passes over random labels, which cannot be learned, so that PUMMA updates at every second example."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), np.sign(rng.normal(size=n))
    ours_ms, ours = measure(lambda _: PUMMA(max_iter=2).fit(X, y))
    peer_ms, _ = measure(lambda _: Perceptron(max_iter=2, tol=None, shuffle=False).fit(X, y))
    quality = f"{ours.n_updates_:,} updates in {ours_ms / 1e3:.2g} s"
    yield Row(f"PUMMA, p = 2, {n:,} × {d}, two passes", "Perceptron", ours_ms, peer_ms, quality)


def threshold_updates() -> Iterator[Row]:
    """Time each learner until it reaches 0.9 of the largest margin in its own space, on the paper's data."""
    for r in (1, 4, 8):
        data = load_dataset("threshold", n=1000, features=100, k=16, r=r, seed=0)
        for p in (2.0, 2.0 * np.log(100)):
            peers = [ROMMA(max_iter=10**6), ALMA(max_iter=10**6)] if p == 2.0 else [ALMA(p=p, max_iter=10**6)]
            ours_ms, ours = measure(lambda _, p=p, X=data.X, y=data.y: PUMMA(p=p).fit(X, y), repeat=1)
            for peer in peers:
                peer_ms, other = measure(lambda _, m=peer, X=data.X, y=data.y: m.fit(X, y), repeat=1)
                quality = (
                    f"{ours.n_updates_:,} updates, margin {ours.margin_:.4f}; peer's {other.n_updates_:,}, "
                    f"{other.margin_:.4f}"
                )
                name = type(other).__name__
                yield Row(f"PUMMA, {r}-of-16, p = {p:.3g}", name, ours_ms, peer_ms, quality)
