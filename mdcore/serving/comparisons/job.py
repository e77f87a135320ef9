"""The job that runs a comparison, together with its data and plan."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from mdcore.basics.memo import LRUCache
from mdcore.experiment.result_caches import caches_of
from mdcore.serving.comparisons.sample import Sample
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import POOL, THREADS, Pool
from mdcore.serving.jobs.progress import Progress
from mdcore.serving.jobs.settings import cluster_address
from mdcore.study import Comparison, Data, Note, Plan, begin, fitting_score, notes, results
from mdcore.study.comparison import Attempt
from mdcore.study.evaluation import FittedModel, Result, refit
from mdcore.study.on_cluster import results_on
from mdcore.study.run import SplitSeconds, fingerprint, tasks_left
from mdcore.study.time_and_memory import memory_of

AT_ONCE = Pool(places=16)  # of jobs that have nothing to compute and need not wait for others


@dataclass(frozen=True)
class Notes:
    found: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class Completed:
    """A complete comparison of shared data with its notes, which several visitors may ask for: a class opens the same
    page."""

    comparison: Comparison
    notes: Notes

    @property
    def bytes(self) -> int:
        arrays = (value for outcome in self.comparison.outcomes for value in vars(outcome).values())
        return sum(value.nbytes for value in arrays if isinstance(value, np.ndarray))


class ComparisonJob(Job[Attempt | Notes]):
    """A job that runs a comparison.

    It reuses the results of an `earlier` comparison that apply, and the whole comparison if an earlier visitor asked
    for the same of shared data. `estimates` are the estimated durations of its parts.
    """

    def __init__(
        self,
        sample: Sample,
        plan: Plan,
        earlier: Comparison | None = None,
        owner: Hashable = None,
        estimates: SplitSeconds | None = None,
    ) -> None:
        self.sample = sample
        self.plan = plan
        data = sample.data
        known: Completed | None = None
        if sample.is_shared:  # never a visitor's own table
            known = caches_of(None).comparisons.peek((fingerprint(data), plan))
        self._begun = known.comparison if known else begin(data, plan, earlier)
        self._latest = self._begun
        self._fitted: LRUCache[FittedModel] = LRUCache(capacity=4)
        work = partial(_known, known.notes) if known else partial(_outcomes, sample, plan, self._begun, estimates)
        needs = 0.0 if known or cluster_address() else memory_of(data, plan, len(data.y), THREADS)
        super().__init__(plan, work, owner, AT_ONCE if known else POOL, needs=needs)
        if known:
            self.wait()

    @property
    def comparison(self) -> Comparison:
        """The comparison with the results so far."""
        found = [item for item in self.items if not isinstance(item, Notes)]
        if len(found) + len(self._begun.outcomes) > len(self._latest.outcomes):
            self._latest = self._latest.with_outcomes(found)
        return self._latest

    @property
    def notes(self) -> tuple[Note, ...]:
        """Facts about the whole comparison; empty until it is complete."""
        return next((item.found for item in self.items if isinstance(item, Notes)), ())

    def fitted(self, result: Result) -> FittedModel:
        """Return the fitted model of a result; the latest models are cached."""
        return self._fitted.get((result.key, result.split), lambda: refit(self.sample.data, self.plan, result))


def _known(notes: Notes, progress: Progress) -> Iterator[Attempt | Notes]:
    yield notes


def _outcomes(
    sample: Sample, plan: Plan, begun: Comparison, estimates: SplitSeconds | None, progress: Progress
) -> Iterator[Attempt | Notes]:
    found: list[Attempt] = []
    for outcome in _computed(sample.data, plan, begun, estimates, progress):
        found.append(outcome)
        yield outcome
    whole = begun.with_outcomes(found)
    if whole.keys_done:
        told = Notes(tuple(notes(sample.data, whole, fitting_score(sample.data.y))))
        if sample.is_shared and whole.complete and not whole.failures:  # which may have been a lack of memory
            caches_of(None).comparisons.put((whole.fingerprint, plan), Completed(whole, told))
        yield told


def _computed(
    data: Data, plan: Plan, begun: Comparison, estimates: SplitSeconds | None, progress: Progress
) -> Iterator[Attempt]:
    if cluster_address():
        return results_on(cluster_address(), data, plan, begun, progress)
    progress(0, sum(plan.fits(candidate) for candidate, _ in tasks_left(plan, begun)))
    return results(
        data,
        plan,
        progress=progress,
        done=begun,
        jobs=THREADS,
        estimates=estimates,
        on_time_left=progress.set_time_left,
    )
