"""How long a plan will take and how much memory, from a few small fits of what it asks for."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mdcore.data.preparation import stratified
from mdcore.landmarks import BLOCK
from mdcore.space import MATRICES_PER_FIT
from mdcore.study.data import Data
from mdcore.study.part import fitter, prepared
from mdcore.study.plan import Candidate, Plan
from mdcore.study.run import warm_up

SIZES = (100, 200, 400)  # rows of the fits that are timed; the last two tell how time grows
SPANNED = (400, 1600)  # the same through landmarks, whose fits cost what all of them do, and as much more for every row
TRIED = 3  # combinations of a grid, spread over it
STEEPEST = {True: 3.0, False: 1.1}  # power of the rows with which time can grow, with a kernel matrix and without
FEW_ROWS = 10  # so few that every part that is timed goes through landmarks
COPIES = 2.5  # of the features of all rows that a fit in landmarks holds


@dataclass(frozen=True)
class Estimate:
    seconds: float
    bytes: float


def estimate(data: Data, plan: Plan, jobs: int = 1) -> Estimate:
    """Of the whole plan, on this machine as it is now."""
    warm_up(plan)
    train, test = plan.split(data.y, 0, data.along)
    seconds = 0.0
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for candidate in plan.candidates:
            spans = plan.spans(candidate.method, len(train))
            rows = len(train) if plan.takes_all(candidate.method, len(train)) else plan.kernel_rows
            inner = rows * (plan.folds - 1) / plan.folds
            one = _time_of(data, replace(plan, kernel_rows=FEW_ROWS) if spans else plan, candidate)
            inside = plan.fits(candidate) - 1
            parts = 1 + (plan.folds if inside else 0)
            preparing = parts * one.prepare * (len(train) + len(test)) / one.rows
            seconds += plan.repeats * (preparing + inside * one(inner, rows / plan.folds) + one(rows, len(test)))
    return Estimate(seconds / jobs, memory_of(data, plan, len(train), jobs))


def memory_of(data: Data, plan: Plan, training_rows: int, jobs: int = 1) -> float:
    """Bytes that fits on so many training rows take at most, `jobs` of them at once; known without a fit."""
    largest = 8.0 * 3 * len(data.y) * data.X.shape[1]
    for candidate in plan.candidates:
        rows = training_rows if plan.takes_all(candidate.method, training_rows) else plan.kernel_rows
        if plan.spans(candidate.method, training_rows):
            largest = max(largest, 8.0 * (COPIES * rows * plan.landmarks + 2 * BLOCK) * jobs)
        elif candidate.method.kernels and rows <= plan.kernel_rows:
            largest = max(largest, 8.0 * MATRICES_PER_FIT * rows**2 * jobs)
    return largest


def memory_of_estimate() -> float:
    """Bytes that `estimate` takes at most for its own fits."""
    return 8.0 * MATRICES_PER_FIT * (2 * SIZES[-1]) ** 2


@dataclass(frozen=True)
class Pace:
    """Seconds to prepare `rows` rows, to fit on half of them, and to judge the other half; how a fit's time grows."""

    rows: int
    prepare: float
    fit: float
    judge: float
    power: float
    each: float | None = None

    def __call__(self, n: float, m: float) -> float:
        """Of a fit on n rows and of decisions on m others; where `each` row costs as much, in place of a power."""
        share = 2.0 * n / self.rows
        if self.each is not None and share > 1:
            return self.fit + self.each * (n - 0.5 * self.rows) + self.judge * share * 2.0 * m / self.rows
        growth = share ** (self.power if share > 1 else min(self.power, 1.0))
        return self.fit * growth + self.judge * share * 2.0 * m / self.rows


def _time_of(data: Data, plan: Plan, candidate: Candidate) -> Pace:
    """Timed as a fold is: all combinations share what is prepared."""
    n = len(data.y)
    spans = plan.spans(candidate.method, SPANNED[-1])
    sizes = sorted({min(size, n // 2) for size in (SPANNED if spans else SIZES)})
    choices = plan.choices(candidate)
    some = [choices[i] for i in np.unique(np.linspace(0, len(choices) - 1, TRIED).astype(int))]
    fits, judged = [], []
    for size in sizes:
        rows = stratified(data.y, 2 * size, plan.seed)
        held = rows[np.random.default_rng(0).permutation(len(rows))]
        begun = time.perf_counter()
        part, _ = prepared(data, plan, candidate, np.sort(held[:size]), np.sort(held[size:]))
        preparing = time.perf_counter() - begun
        widths = plan.widths_for(candidate.method)
        fit_seconds = judge_seconds = 0.0
        for width in (widths[0], widths[-1]) if len(widths) > 1 else widths:
            fit = fitter(plan, candidate, part, width)
            for params in some:
                begun = time.perf_counter()
                model = fit(params)
                fitted = time.perf_counter()
                model.decision_function(part.X_new)
                fit_seconds += fitted - begun
                judge_seconds += time.perf_counter() - fitted
        made = len(some) * min(len(widths), 2)
        fits.append(fit_seconds / made)
        judged.append(judge_seconds / made)
    matrix = candidate.method.kernels and not spans
    power, each = 1.0, None
    if len(sizes) > 1:
        grown = np.log(fits[-1] / fits[-2]) / np.log(sizes[-1] / sizes[-2])
        power = float(np.clip(grown, 0.0, STEEPEST[matrix]))
        each = max(fits[-1] - fits[-2], 0.0) / (sizes[-1] - sizes[-2]) if spans else None
    return Pace(2 * sizes[-1], preparing, fits[-1], judged[-1], power, each)
