"""Execution of a plan: results as they are computed, in parallel, interruptible at any time."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.threads import libraries
from mdcore.basics.time_left import Pace, TimeLeft
from mdcore.data.splitting import codes_of
from mdcore.methods.tiny import fit_tiny
from mdcore.solvers.budget import Stop, Stopped, current_stop, raise_if_stopped, stoppable
from mdcore.study.comparison import Attempt, Comparison
from mdcore.study.data import Data
from mdcore.study.evaluation import evaluate_split
from mdcore.study.folds import Folds
from mdcore.study.plan import Candidate, Plan

Progress = Callable[[int, int], None]
OnTimeLeft = Callable[[TimeLeft], None]
SplitSeconds = Mapping[str, tuple[float, float]]
"""Estimated seconds of each candidate's first split, and of each of its later splits."""


def compare(
    X: Any,
    y: ArrayLike,
    preparation: Any,
    plan: Plan,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
    earlier: Comparison | None = None,
    jobs: int = 1,
    along: ArrayLike | None = None,
) -> Comparison:
    """Evaluate every candidate on every split; if stopped early, return the results so far.

    `earlier` is a comparison whose outcomes for the same data, splits and candidates are reused. `along` is the group
    or the time of every row, for plans that split by them.
    """
    data = Data(X, np.asarray(y), preparation, along=None if along is None else codes_of(along))
    comparison = begin(data, plan, earlier)
    return comparison.with_outcomes(results(data, plan, progress=progress, stop=stop, done=comparison, jobs=jobs))


def begin(data: Data, plan: Plan, earlier: Comparison | None = None) -> Comparison:
    """Return a comparison with the outcomes that `earlier` shares with it and no others."""
    plan.check(data.y, data.along)
    empty = Comparison.empty(plan, data.y, fingerprint(data), data.along)
    return empty if earlier is None else empty.with_outcomes(earlier.outcomes_for(empty))


def results(
    data: Data,
    plan: Plan,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
    done: Comparison | None = None,
    jobs: int = 1,
    estimates: SplitSeconds | None = None,
    on_time_left: OnTimeLeft | None = None,
) -> Iterator[Attempt]:
    """Yield results and failures as they finish: split after split, so that all candidates progress evenly.

    `progress(fits made, total fits)` is called after every fit, from the thread that made it. `on_time_left` is called
    with the estimated time left, which is more accurate at the start if `estimates` are given. Once `stop()` is true
    (by default: once this thread is stopped), the running fits end too, without a result.
    """
    plan.check(data.y, data.along)
    tasks, folds = tasks_left(plan, done), Folds(data, plan)
    stop = stop or current_stop()
    meter = _Meter(plan, tasks, jobs, progress, estimates, on_time_left)

    def attempt(candidate: Candidate, number: int) -> Attempt | None:
        try:
            with stoppable(stop):
                raise_if_stopped()
                task = meter.begin(candidate, number)
                outcome = evaluate_split(data, plan, candidate, number, lambda: meter.tick(task), folds)
                meter.end(task)
                return outcome
        except Stopped:
            return None

    warm_up(plan)
    # Threads, not processes: the solvers release the GIL, and nothing has to be copied. BLAS has one thread: several
    # would compete with each other, and change the last digits from one machine to the next.
    with libraries().limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # every result records whether it converged
        parallel = joblib.Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
        for outcome in parallel(joblib.delayed(attempt)(*task) for task in tasks):
            if outcome is not None:
                yield outcome


def tasks_left(plan: Plan, done: Comparison | None = None) -> list[tuple[Candidate, int]]:
    """Return (candidate, split) for every outcome that is missing, split after split."""
    held = set() if done is None else done.places
    pairs = ((candidate, number) for number in range(plan.repeats) for candidate in plan.candidates)
    return [(candidate, number) for candidate, number in pairs if (candidate.key, number) not in held]


def warm_up(plan: Plan) -> None:
    """Fit every candidate once on a tiny problem, so that no measured time contains a compilation."""
    fit_tiny((candidate.method for candidate in plan.candidates), plan.kernel.name)


def fingerprint(data: Data) -> str:
    """Return a hash of the rows, the groups or times, and the preparation."""
    return str(joblib.hash((data.X, data.y, repr(data.preparation), data.along)))


@dataclass
class _Task:
    """One candidate on one split: the cost of its fits, their number, and the start of the current fit."""

    key: str
    cost: float
    fits: int
    since: float
    made: int = 0


class _Meter:
    """Counts fits over all threads, estimates the time left, and stops the work between two fits."""

    def __init__(
        self,
        plan: Plan,
        tasks: Sequence[tuple[Candidate, int]],
        jobs: int,
        progress: Progress | None,
        estimates: SplitSeconds | None,
        on_time_left: OnTimeLeft | None,
    ) -> None:
        self._plan, self._jobs, self._estimates = plan, jobs, estimates
        self._progress, self._on_time_left = progress, on_time_left
        self._total = sum(plan.fits(candidate) for candidate, _ in tasks)
        self._made = 0
        steps = ((candidate.key, self._cost(candidate, number)) for candidate, number in tasks)
        self._pace = Pace(steps, seconds=estimates is not None)
        self._lock = Lock()

    def begin(self, candidate: Candidate, number: int) -> _Task:
        cost, fits = self._cost(candidate, number), self._plan.fits(candidate)
        task = _Task(candidate.key, cost, fits, time.monotonic())
        with self._lock:
            self._report_time_left(task)
        return task

    def tick(self, task: _Task) -> None:
        """Count a finished fit. The evaluation after the last fit is timed as a part of it."""
        with self._lock:
            self._made += 1
            task.made += 1
            if task.made < task.fits:
                self._record(task, 1)
            if self._progress is not None:
                self._progress(self._made, self._total)
            self._report_time_left(task)
        raise_if_stopped()

    def end(self, task: _Task) -> None:
        """Count a finished task as a whole: a search may end before it has made all fits that it is allowed."""
        with self._lock:
            self._made += task.fits - task.made
            if self._progress is not None and task.made < task.fits:
                self._progress(self._made, self._total)
            self._record(task, max(task.fits - max(task.made - 1, 0), 0))

    def _record(self, task: _Task, fits: int) -> None:
        now = time.monotonic()
        self._pace.record(task.key, task.cost * fits / task.fits, now - task.since)
        task.since = now

    def _report_time_left(self, task: _Task) -> None:
        left = self._pace.time_left(task.key, task.cost / task.fits, time.monotonic() - task.since)
        if self._on_time_left is not None and left is not None:
            self._on_time_left(TimeLeft(left.seconds / self._jobs, left.after / self._jobs))

    def _cost(self, candidate: Candidate, number: int) -> float:
        """Return the cost of a task in estimated seconds if available, else in fits."""
        if self._estimates is None:
            return float(self._plan.fits(candidate))
        return self._estimates[candidate.key][0 if number == 0 else 1]
