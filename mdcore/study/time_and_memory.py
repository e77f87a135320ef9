"""Estimates of a plan's time and memory, from timed fits of its candidates on growing samples of the rows.

The samples grow until a fit takes long enough to separate fixed costs from costs that grow with the rows. Times are
measured as processor time; the ratio of elapsed time to processor time is measured once, over all fits together.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapreplace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.threads import libraries
from mdcore.data.splitting import stratified
from mdcore.methods.base import MarginClassifier
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.landmarks import LandmarkParams
from mdcore.spaces.costs import BLOCK_BYTES, COPIES, exact_bytes, spanned_bytes
from mdcore.spaces.space import MATRICES_PER_FIT
from mdcore.study.data import Data
from mdcore.study.evaluation import judge
from mdcore.study.fitting import fitted_model, inner_fitter, settings_of
from mdcore.study.folds import BYTES, Fold, prepare_rows
from mdcore.study.plan import Candidate, Plan
from mdcore.study.run import warm_up

SECONDS = 3.0  # processor time of the last fits of all candidates together; those before take about as much again
PATIENCE = 4.0  # limit of the elapsed time, in multiples of the processor time
FIRST_ROWS, FIRST_SHARE = 250, 0.25  # the first timed sample has at most so many rows, and this share
SPANNED = 4 * FIRST_ROWS  # rows timed for fits in landmarks, whatever their number
LEAST_GROWTH, MOST_GROWTH = 4.0, 16.0  # from one sample size to the next
MOST_SQUARE, MOST_ENTRIES = 2000, 2**23  # limits of timed fits: rows of a kernel matrix, and entries of features
STEEPEST = 3.0  # maximal power of the rows with which the time of a fit with a kernel matrix grows
TRIED = 3  # combinations timed, spread over the grid

Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    seconds: float
    bytes: float
    splits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Seconds of every candidate's first split, and of each later one."""


def estimate(data: Data, plan: Plan, jobs: int = 1) -> Estimate:
    """Return the estimate for the whole plan on this machine, under its current load."""
    warm_up(plan)
    train, test = plan.split(data.y, 0, data.along)
    splits: dict[str, tuple[float, float]] = {}
    begun, worked = time.perf_counter(), time.thread_time()
    with libraries().limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for candidate in plan.candidates:
            rows = _fitted_rows(candidate, len(train))
            pace = _pace_of(data, plan, candidate, rows, SECONDS / len(plan.candidates))
            seconds = pace(rows, len(test))
            if plan.cross_validates(candidate):
                lattice = plan.lattice(candidate)
                kernels = len({lattice.option(point).width for point in lattice.points})
                whole, _, inside = plan.fits_on(candidate, rows)
                seconds += plan.folds * pace(inside, 0, plan.alternatives(candidate), kernels)
                seconds += (whole - 1) * pace(rows, len(test))
            splits[candidate.key] = seconds + pace.distance, seconds
    slower = max((time.perf_counter() - begun) / max(time.thread_time() - worked, 1e-9), 1.0)
    splits = {key: (slower * first, slower * later) for key, (first, later) in splits.items()}
    tasks = [times[number > 0] for number in range(plan.repeats) for times in splits.values()]
    return Estimate(makespan(tasks, jobs), memory_of(data, plan, len(train), jobs), splits)


def makespan(tasks: Sequence[float], jobs: int) -> float:
    """Return the time at which the last task ends if `jobs` workers take the tasks in order."""
    ends = [0.0] * jobs
    for seconds in tasks:
        heapreplace(ends, ends[0] + seconds)
    return max(ends)


def memory_of(data: Data, plan: Plan, training_rows: int, jobs: int = 1) -> float:
    """Return an upper bound on the bytes needed by `jobs` simultaneous fits on `training_rows` rows; nothing is
    fitted."""
    largest: float = 8.0 * 3 * len(data.y) * data.X.shape[1]
    for candidate in plan.candidates:
        rows = _fitted_rows(candidate, training_rows)
        landmarks = plan.landmarks_of(candidate, rows)
        if landmarks:
            largest = max(largest, spanned_bytes(rows, landmarks) * jobs)
        elif plan.needs_matrix(candidate):
            largest = max(largest, exact_bytes(candidate.method, rows) * jobs)
    return largest + _shared_bytes(plan, training_rows)


def _shared_bytes(plan: Plan, training_rows: int) -> float:
    """Return an upper bound on the bytes of the kernel values that the methods share inside a training part."""
    inside = [plan.fits_on(one, training_rows) for one in plan.candidates if one.method.kernels]
    rows = max((rows for _, fits, rows in inside if fits), default=0)
    fits = max((fits for _, fits, _ in inside), default=0)
    return min(float(BYTES), 8.0 * fits * 1.5 * rows**2)


def _fitted_rows(candidate: Candidate, training_rows: int) -> int:
    return min(candidate.within.rows or training_rows, training_rows)


def memory_of_estimate() -> float:
    """Return an upper bound on the bytes that the fits of `estimate` need."""
    return 8.0 * max(MATRICES_PER_FIT * MOST_SQUARE**2, COPIES * MOST_ENTRIES + BLOCK_BYTES / 8.0)


@dataclass(frozen=True, eq=False)
class Pace:
    """Processor seconds as functions of the number of rows, at ascending sizes.

    `prepare` is for these rows and as many others, `share` is the work that fits with the same kernel have in
    common, `fit` is one fit with the decisions on as many other rows, `judge` is for each row predicted, and
    `distance` is for the distance to the exact kernel problem on all rows. With a kernel `matrix`, times grow by a
    power of the number of rows, otherwise linearly.
    """

    sizes: Seconds
    prepare: Seconds
    share: Seconds
    fit: Seconds
    judge: Seconds
    distance: float = 0.0
    matrix: bool = False

    def __call__(self, rows: float, others: float, fits: int = 1, widths: int = 1) -> float:
        """Return the seconds of `fits` fits on the same rows, each evaluated on `others`, with `widths` kernel
        widths."""
        prepare = self._line(self.prepare, 0.5 * (rows + others))
        if self.matrix:
            share, fit = (self._power(what, rows, STEEPEST) for what in (self.share, self.fit))
            judge = self._power(self.judge, rows, 1.0)
        else:
            share, fit, judge = self._line(self.share, rows), self._line(self.fit, rows), float(self.judge[-1])
        return prepare + widths * share + fits * (fit + judge * others)

    def _line(self, seconds: Seconds, rows: float) -> float:
        if len(self.sizes) == 1 or rows <= self.sizes[-1]:
            return float(np.interp(rows, self.sizes, seconds))
        each = max(seconds[-1] - seconds[-2], 0.0) / (self.sizes[-1] - self.sizes[-2])
        return float(seconds[-1] + each * (rows - self.sizes[-1]))

    def _power(self, seconds: Seconds, rows: float, steepest: float) -> float:
        if len(self.sizes) == 1 or rows <= self.sizes[-1]:
            return float(np.interp(rows, self.sizes, seconds))
        before, last = np.maximum(seconds[-2:], 1e-9)
        power = np.clip(np.log(last / before) / np.log(self.sizes[-1] / self.sizes[-2]), 0.0, steepest)
        return float(last * (rows / self.sizes[-1]) ** power)


def _pace_of(data: Data, plan: Plan, candidate: Candidate, rows: int, enough: float) -> Pace:
    """Time fits on growing samples of the rows until a size takes long enough."""
    landmarks, most = plan.landmarks_of(candidate, rows), rows
    matrix = plan.needs_matrix(candidate) and not landmarks
    if matrix:
        most = min(rows, MOST_SQUARE)
    elif landmarks:
        most = min(rows, max(SPANNED, MOST_ENTRIES // landmarks))
    size, found = max(1, min(FIRST_ROWS, int(FIRST_SHARE * rows))), list[Timed]()
    latest = time.perf_counter() + PATIENCE * enough
    while not found or (size > found[-1].size and (len(found) < 2 or _is_short(found[-1], enough, latest))):
        found.append(time_fits(data, plan, candidate, size, rows))
        growth = (enough / max(found[-1].seconds, 1e-9)) ** (1.0 / STEEPEST if matrix else 1.0)
        size = min(most, int(size * np.clip(growth, LEAST_GROWTH, MOST_GROWTH)))
    sizes, prepare, share, fit, judged = np.array(
        [(one.size, one.prepare, one.share, one.fit, one.judge) for one in found], dtype=np.float64
    ).T
    return Pace(sizes, prepare, share, fit, judged, found[-1].distance, matrix)


def _is_short(last: Timed, enough: float, latest: float) -> bool:
    return last.seconds < 0.5 * enough and time.perf_counter() < latest


@dataclass(frozen=True)
class Timed:
    """The times at one size of a Pace; `seconds` is the total processor time."""

    size: int
    prepare: float
    share: float
    fit: float
    judge: float
    distance: float
    seconds: float


def time_fits(data: Data, plan: Plan, candidate: Candidate, size: int, rows: int) -> Timed:
    begun = time.thread_time()
    fitted = stratified(data.y, size, plan.seed)
    others = np.setdiff1d(stratified(data.y, 2 * size, plan.seed), fitted)
    prepared = prepare_rows(data, plan, candidate, fitted, others)
    prepare = time.thread_time() - begun
    fold, lattice = Fold.alone(prepared), plan.lattice(candidate, len(np.unique(prepared.y_fit)))
    points = sorted(lattice.points)
    some = [lattice.option(points[i]) for i in np.unique(np.linspace(0, len(points) - 1, TRIED).astype(int))]
    fits, shared = list[float](), list[float]()
    for option in some:
        fit = inner_fitter(plan, candidate, fold, option)
        cold, _ = _once(fit, option)
        warm = _once(inner_fitter(plan, candidate, fold, option), option)[0] if candidate.method.kernels else cold
        fits.append(warm)
        shared.append(max(cold - warm, 0.0))
    settings = settings_of(plan, candidate, prepared, some[-1])
    model = fitted_model(plan, candidate, prepared, settings)
    judged = _once(judge, plan, model, prepared)[0] / max(1, len(others))
    distance, seconds = _distance(model, rows / size), time.thread_time() - begun
    return Timed(size, prepare, max(shared), float(np.mean(fits)), judged, distance, seconds)


def _distance(model: MarginClassifier, times: float) -> float:
    """Return the seconds for the distance to the exact kernel problem of a model on `times` as many rows."""
    if not (isinstance(model, LandmarkParams | BinaryModels) and model.landmark_count):
        return 0.0
    work = model.exact_gap_work()
    return _once(lambda: model.exact_gap_)[0] / work * model.exact_gap_work(times) if work else 0.0


def _once(call: Any, *given: Any) -> tuple[float, Any]:
    begun = time.thread_time()
    made = call(*given)
    return time.thread_time() - begun, made
