"""Carry out a plan: results as they come, in parallel, to be stopped at any time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mdcore.methods.tiny import fit_tiny
from mdcore.solvers.budget import Stop, Stopped, current_stop, heed_stop, stoppable
from mdcore.study.comparison import Attempt, Comparison
from mdcore.study.data import Data
from mdcore.study.plan import Candidate, Plan
from mdcore.study.splits import codes_of
from mdcore.study.trial import try_split

Progress = Callable[[int, int], None]


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
    """Try every candidate on every split. Stopped early, it holds what was done until then.

    `earlier` is a comparison to go on with: what it has of the same data, splits and candidates is not computed again.
    `along` is the group, or the time, of every row, for plans that split along them.
    """
    comparison = begin(X, y, preparation, plan, earlier, along)
    options: dict[str, Any] = {"progress": progress, "stop": stop, "done": comparison, "jobs": jobs, "along": along}
    new = list(results(X, y, preparation, plan, **options))
    return comparison.with_outcomes(new)


def begin(
    X: Any,
    y: ArrayLike,
    preparation: Any,
    plan: Plan,
    earlier: Comparison | None = None,
    along: ArrayLike | None = None,
) -> Comparison:
    """Return a comparison with nothing done yet, beside what `earlier` has of it."""
    labels, codes = np.asarray(y), None if along is None else codes_of(along)
    plan.check(labels, codes)
    empty = Comparison.empty(plan, labels, fingerprint(X, labels, preparation, codes), codes)
    return empty if earlier is None else empty.with_outcomes(earlier.outcomes_for(empty))


def results(
    X: Any,
    y: ArrayLike,
    preparation: Any,
    plan: Plan,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
    done: Comparison | None = None,
    jobs: int = 1,
    along: ArrayLike | None = None,
) -> Iterator[Attempt]:
    """Results and failures in the order in which they are finished: split after split, so that all candidates grow.

    `progress(fits made, fits in all)` is called after every fit, from whichever thread made it. Once `stop()` is true,
    by default what stops this thread, the fits under way end too, and nothing comes of them.
    """
    data = Data(X, np.asarray(y), preparation, along=None if along is None else codes_of(along))
    plan.check(data.y, data.along)
    tasks = tasks_left(plan, done)
    stop = stop or current_stop()
    meter = _Meter(sum(plan.fits(candidate) for candidate, _ in tasks), progress)

    def attempt(candidate: Candidate, number: int) -> Attempt | None:
        try:
            with stoppable(stop):
                heed_stop()
                return try_split(data, plan, candidate, number, meter.tick)
        except Stopped:
            return None

    warm_up(plan)
    # Threads, not processes: the solvers release the interpreter's lock, and nothing has to be copied. One BLAS thread:
    # more of them fight with each other, and change the last digits from one machine to the next.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # every result says whether it converged
        parallel = joblib.Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
        for outcome in parallel(joblib.delayed(attempt)(*task) for task in tasks):
            if outcome is not None:
                yield outcome


def tasks_left(plan: Plan, done: Comparison | None = None) -> list[tuple[Candidate, int]]:
    """Return candidates and numbers of splits that have no outcome yet, split after split."""
    held = set() if done is None else done.places
    pairs = ((candidate, number) for number in range(plan.repeats) for candidate in plan.candidates)
    return [(candidate, number) for candidate, number in pairs if (candidate.key, number) not in held]


def warm_up(plan: Plan) -> None:
    """Make one tiny fit of every candidate, so that no measured time contains a compilation."""
    fit_tiny((candidate.method for candidate in plan.candidates), plan.kernel.name)


def fingerprint(X: Any, y: ArrayLike, preparation: Any, along: Any = None) -> str:
    """The same for the same data, groups or times, and preparation."""
    return str(joblib.hash((X, np.asarray(y), repr(preparation), along)))


class _Meter:
    """Counts fits over all threads, and ends the work between two of them."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._progress = total, progress
        self._made = 0
        self._lock = Lock()

    def tick(self) -> None:
        with self._lock:
            self._made += 1
            if self._progress is not None:
                self._progress(self._made, self._total)
        heed_stop()
