"""The default number of landmarks: larger for rough kernels, within limits of time and memory.

The share of ||phi(x)||^2 that the landmarks do not cover is measured on other rows, without a fit. A few hundred rows
span a smooth kernel; of a rough one they leave most uncovered, and a subsample in the exact kernel may then separate
the classes better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import stratified
from mdcore.kernels import Kernel
from mdcore.landmarks import PER_LANDMARK, LandmarkSpace
from mdcore.memory import free_memory
from mdcore.methods.one_versus_rest import is_one_versus_rest
from mdcore.study.data import Data
from mdcore.study.estimate import memory_of
from mdcore.study.fitting import kernel_of
from mdcore.study.plan import LANDMARKS, Plan
from mdcore.study.prepared_rows import prepare_rows
from mdcore.text import duration, percent

Array = NDArray[np.float64]

FIRST = int(LANDMARKS.default)
MOST = 4 * FIRST
MAX_UNCOVERED = 0.05  # share of ||phi(x)||^2 that may remain uncovered
SECONDS = 120.0  # limit for the fits of one split
PACE = 5e9  # rows times landmarks squared per second, measured with LDM
MEMORY = 0.25  # of the free memory
SAMPLE_ROWS = 500  # minimum number of rows that are not landmarks

KERNEL, TIME, ROOM, LIMIT = "kernel", "time", "memory", "limit"


@dataclass(frozen=True)
class Advice:
    """`count` landmarks leave the share `uncovered`, the first `FIRST` leave `uncovered_first`.

    `end` is why `count` is not larger.
    """

    count: int
    uncovered: float
    uncovered_first: float
    end: str

    @property
    def text(self) -> str:
        few = f"; {FIRST} would miss {percent(self.uncovered_first, 2)}" if self.count > FIRST else ""
        why = {
            KERNEL: f"The aim is at most {percent(MAX_UNCOVERED, 1)}; the gap of a fit is measured apart.",
            TIME: f"More would take longer than about {duration(SECONDS)} per split.",
            ROOM: f"More would need over {percent(MEMORY, 2)} of the free memory.",
            LIMIT: "More can be set.",
        }
        return f"{self.count:,} landmarks miss {percent(self.uncovered, 2)} of this kernel{few}. {why[self.end]}"


def advise(data: Data, plan: Plan) -> Advice | None:
    """Return the advice for a plan's first split and roughest kernel, or None if no method uses landmarks."""
    plan = replace(plan, landmarks=FIRST)
    train, test = plan.split(data.y, 0, data.along)
    spanning = [one for one in plan.candidates if plan.uses_landmarks(one.method, len(train))]
    if not spanning:
        return None
    classes = len(np.unique(data.y))
    fits = sum(
        plan.fits(one) * (classes if is_one_versus_rest(one.method, classes, plan.several) else 1) for one in spanning
    )
    sample_rows = train[stratified(data.y[train], min(len(train), PER_LANDMARK * MOST), plan.seed)]
    X = prepare_rows(data, plan, spanning[0], sample_rows, test[:1]).X_fit
    kernel = kernel_of(plan, X, max(plan.widths_for(spanning[0].method)))

    def limit(count: int) -> str:
        if fits * len(train) * count**2 > SECONDS * PACE:
            return TIME
        if memory_of(data, replace(plan, landmarks=count), len(train)) > MEMORY * free_memory():
            return ROOM
        return LIMIT if count > MOST else ""

    return landmarks_for(X, kernel, limit)


def landmarks_for(X: Array, kernel: Kernel, limit: Callable[[int], str]) -> Advice:
    """Double the landmarks until the uncovered share is small enough or `limit` returns a reason to stop."""
    space = LandmarkSpace(X, kernel, min(FIRST, len(X)))
    first = uncovered = uncovered_share(space)
    while uncovered > MAX_UNCOVERED and not space.exhausted:
        end = limit(2 * space.count)
        if end:
            return Advice(space.count, uncovered, first, end)
        space = space.wider(2 * space.count)
        uncovered = uncovered_share(space)
    return Advice(space.count, uncovered, first, KERNEL)


def uncovered_share(space: LandmarkSpace) -> float:
    """Return the mean share of ||phi(x)||^2 that is uncovered, over rows that are not landmarks."""
    others = np.setdiff1d(np.arange(len(space)), space.landmarks)
    if not len(others):
        return 0.0
    sample = space.sampled(others[:: max(1, len(others) // SAMPLE_ROWS)])
    rows = np.arange(len(sample))
    return float(sample.residuals(rows).sum() / sample.raw.diagonal(sample.rows).sum())
