"""The learning curves of the PUMMA paper, section 4.1: updates and time against margin on r-of-k threshold data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np

from mdcore.data import SEED, load_dataset
from mdcore.data.dataset import Dataset
from mdcore.methods import METHODS
from mdcore.methods.online.base import Epoch, OnlineLearner
from mdcore.solvers.arrays import Array
from mdcore.solvers.largest_margin import largest_margin
from mdcore.spaces.space import MATRICES_PER_FIT
from mdcore.spec import Interval, Param, Slider

LEARNERS = ("pumma", "romma", "alma")
SHARE = 0.9  # of the largest margin: the share that the paper's learners aim at


def _whole(name: str, symbol: str, default: int, low: int, high: int, help: str, step: int = 1) -> Param:
    return Param(name, symbol, default, Interval(low, high), Slider(low, high, step=step), help, integer=True)


CURVE_N = _whole("n", "examples", 1000, 20, 5000, "Number of examples in each sample; the paper uses 1000.", 100)
CURVE_FEATURES = _whole("features", "variables n", 100, 4, 500, "Number of variables; the paper uses 100.")
CURVE_K = _whole("k", "relevant k", 16, 2, 50, "Only the first k variables determine the class; the paper uses 16.")
CURVE_REPEATS = _whole("repeats", "samples", 10, 1, 50, "Number of samples to average over; the paper uses 10.")
CURVE_EPOCHS = _whole("epochs", "epochs", 2000, 1, 20_000, "Maximum number of passes over the sample.", 100)


@dataclass(frozen=True)
class CurvesPlan:
    """The experiment: every r, every p and every learner that supports p, each on `repeats` samples.

    The defaults are the paper's.
    """

    settings: ClassVar[tuple[Param, ...]] = (CURVE_N, CURVE_FEATURES, CURVE_K, CURVE_REPEATS, CURVE_EPOCHS, SEED)

    rs: tuple[int, ...] = (1, 4, 8)
    ps: tuple[float, ...] = (2.0, 2.0 * math.log(100))
    learners: tuple[str, ...] = LEARNERS
    n: int = int(CURVE_N.default)
    features: int = int(CURVE_FEATURES.default)
    k: int = int(CURVE_K.default)
    repeats: int = int(CURVE_REPEATS.default)
    epochs: int = int(CURVE_EPOCHS.default)
    seed: int = int(SEED.default)

    @property
    def cells(self) -> list[tuple[str, float, int]]:
        """(method, p, r) of each curve."""
        return [
            (method, p, r)
            for r, p, method in product(self.rs, self.ps, self.learners)
            if p == 2.0 or any(param.name == "p" for param in METHODS[method].params)
        ]

    @property
    def bytes(self) -> float:
        """Upper bound on the memory for one sample, in bytes: its kernel matrix and the work arrays of the batch
        solver."""
        return 8.0 * (MATRICES_PER_FIT * self.n**2 + 3 * self.n * self.features)

    @property
    def size(self) -> int:
        return len(self.cells) * self.repeats


@dataclass(frozen=True, eq=False)
class Learned:
    """The progress of one learner on one sample.

    The rows of `reached` are updates, margin and seconds after each epoch. `cell` names the curve, `largest` is the
    largest margin of the sample, and `ended` is true if the learner stopped before the limit of epochs.
    """

    cell: tuple[str, float, int]
    reached: Array
    ended: bool
    largest: float


@dataclass(frozen=True)
class Curve:
    """One learner on one kind of data: updates, margin and seconds after each epoch, averaged over the repetitions.

    A repetition that ended early keeps its last values. `ended` is the share of repetitions that ended before the limit
    of epochs, `largest` the mean of the largest margins.
    """

    method: str
    p: float
    r: int
    updates: tuple[float, ...]
    margins: tuple[float, ...]
    seconds: tuple[float, ...]
    ended: float
    largest: float

    def until(self, share: float = SHARE) -> tuple[float, float] | None:
        """Return updates and seconds after the epoch in which the mean margin reaches this share of the largest, or
        None if it never does."""
        at = next((i for i, margin in enumerate(self.margins) if margin >= share * self.largest), None)
        return None if at is None else (self.updates[at], self.seconds[at])


def learn(plan: CurvesPlan) -> Iterator[Learned]:
    """Yield the progress of each learner sample by sample, so that all curves grow together.

    Each learner has its default δ or α, 0.1 as in the paper.
    """
    largest = cache(lambda p, r, repeat: _largest(plan, p, r, repeat))
    for method, p, r in plan.cells:
        next(_epochs(plan, method, p, _sample(plan, r, 0)))  # compile before any time is measured
    for repeat in range(plan.repeats):
        for method, p, r in plan.cells:
            epochs = list(_epochs(plan, method, p, _sample(plan, r, repeat)))
            reached = np.array([[epoch.updates, epoch.margin, epoch.seconds] for epoch in epochs]).T
            yield Learned((method, p, r), reached, epochs[-1].settled, largest(p, r, repeat))


def curves(plan: CurvesPlan, learned: Sequence[Learned]) -> list[Curve]:
    """Return the averaged curves of the runs so far."""
    made = []
    for cell in plan.cells:
        runs = [run for run in learned if run.cell == cell]
        if runs:
            made.append(_averaged(cell, runs))
    return made


def records(made: Sequence[Curve]) -> list[dict[str, Any]]:
    """Return a row for every epoch of every curve, unrounded."""
    return [
        {
            "learner": METHODS[curve.method].name,
            "p": curve.p,
            "r": curve.r,
            "epoch": epoch,
            "updates": updates,
            "seconds": seconds,
            "margin": margin,
            "largest margin": curve.largest,
        }
        for curve in made
        for epoch, (updates, seconds, margin) in enumerate(
            zip(curve.updates, curve.seconds, curve.margins, strict=True), start=1
        )
    ]


def learning_curves(
    plan: CurvesPlan | None = None, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Curve]:
    """Return all curves. `progress(done, total)` is called after every run of one learner on one sample."""
    plan = plan or CurvesPlan()
    learned = []
    for run in learn(plan):
        learned.append(run)
        progress(len(learned), plan.size)
    return curves(plan, learned)


def _epochs(plan: CurvesPlan, method: str, p: float, data: Dataset) -> Iterator[Epoch]:
    exponent = {} if p == 2.0 else {"p": p}
    learner = METHODS[method].estimator(**exponent, max_iter=plan.epochs)
    assert isinstance(learner, OnlineLearner)
    return learner.epochs(data.X, data.y)


def _sample(plan: CurvesPlan, r: int, repeat: int) -> Dataset:
    return load_dataset("threshold", n=plan.n, features=plan.features, k=plan.k, r=r, seed=plan.seed + repeat)


def _largest(plan: CurvesPlan, p: float, r: int, repeat: int) -> float:
    data = _sample(plan, r, repeat)
    return largest_margin(data.X, data.y.astype(float), p, gap=1e-6).lower


def _averaged(cell: tuple[str, float, int], runs: list[Learned]) -> Curve:
    longest = max(run.reached.shape[1] for run in runs)
    padded = [np.pad(run.reached, ((0, 0), (0, longest - run.reached.shape[1])), mode="edge") for run in runs]
    updates, margins, seconds = (tuple(row.tolist()) for row in np.mean(padded, axis=0))
    ended, largest = np.mean([[run.ended, run.largest] for run in runs], axis=0).tolist()
    return Curve(*cell, updates, margins, seconds, ended, largest)
