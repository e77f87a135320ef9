"""The learning curves of the PUMMA paper, section 4.1: updates and time against margin on r-of-k threshold data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from mdcore.data import load_dataset
from mdcore.methods import METHODS
from mdcore.methods.online import Epoch

LEARNERS = ("pumma", "romma", "alma")


@dataclass(frozen=True)
class Curve:
    """One learner on one kind of data: what it had reached after each epoch, averaged over the repetitions.

    A repetition that ended early counts on with its last values. `ended` is the share that ended by itself.
    """

    method: str
    p: float
    r: int
    updates: tuple[float, ...]
    margins: tuple[float, ...]
    seconds: tuple[float, ...]
    ended: float


def learning_curves(
    *,
    rs: Sequence[int] = (1, 4, 8),
    ps: Sequence[float] = (2.0, 2.0 * math.log(100)),
    learners: Sequence[str] = LEARNERS,
    n: int = 1000,
    features: int = 100,
    k: int = 16,
    repeats: int = 10,
    epochs: int = 2000,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Curve]:
    """Every learner that is for p, for every p and r, at its default share of the largest margin (0.9, the paper's).

    `progress(done, total)` is called after every run of one learner on one sample.
    """
    plan = [
        (method, p, r)
        for r, p, method in product(rs, ps, learners)
        if p == 2.0 or any(param.name == "p" for param in METHODS[method].params)
    ]
    curves, total = [], len(plan) * repeats
    for number, (method, p, r) in enumerate(plan):
        runs = []
        for repeat in range(repeats):
            data = load_dataset("threshold", n=n, features=features, k=k, r=r, seed=seed + repeat)
            runs.append(list(_run(method, p, epochs, data.X, data.y)))
            progress(number * repeats + repeat + 1, total)
        curves.append(_averaged(method, p, r, runs))
    return curves


def _run(method: str, p: float, epochs: int, X: np.ndarray, y: np.ndarray) -> Iterator[Epoch]:
    exponent = {} if p == 2.0 else {"p": p}
    return METHODS[method].estimator(**exponent, max_iter=epochs).epochs(X, y)


def _averaged(method: str, p: float, r: int, runs: list[list[Epoch]]) -> Curve:
    longest = max(len(run) for run in runs)

    def mean(name: str) -> tuple[float, ...]:
        padded = [[getattr(epoch, name) for epoch in run] for run in runs]
        rows = [values + [values[-1]] * (longest - len(values)) for values in padded]
        return tuple(float(value) for value in np.mean(rows, axis=0))

    ended = float(np.mean([run[-1].settled for run in runs]))
    return Curve(method, p, r, mean("updates"), mean("margin"), mean("seconds"), ended)
