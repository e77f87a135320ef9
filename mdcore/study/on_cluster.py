"""A comparison whose splits are computed on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mdcore.cluster import run_tasks
from mdcore.solvers.budget import raise_if_stopped
from mdcore.study.comparison import Attempt, Comparison
from mdcore.study.data import Data
from mdcore.study.evaluation import evaluate_split
from mdcore.study.folds import Folds
from mdcore.study.plan import Plan
from mdcore.study.run import Progress, tasks_left, warm_up


def results_on(
    address: str, data: Data, plan: Plan, done: Comparison | None = None, progress: Progress | None = None
) -> Iterator[Attempt]:
    """Yield the outcomes of `results`, in the order in which they arrive. `progress` is called after each split."""
    plan.check(data.y, data.along)
    left = tasks_left(plan, done)
    fits = {candidate.key: plan.fits(candidate) for candidate in plan.candidates}
    made, total = 0, sum(fits[candidate.key] for candidate, _ in left)
    tasks = [(candidate.key, number) for candidate, number in left]
    for (key, _), outcome in run_tasks(address, Splits(data, plan), tasks):
        made += fits[key]
        if progress is not None:
            progress(made, total)
        yield outcome


@dataclass(frozen=True, eq=False)
class Splits:
    """The evaluation of a split as a function of its task, with the data and the plan."""

    data: Data
    plan: Plan

    @cached_property
    def folds(self) -> Folds:
        """What the splits of one worker share; the first compiles the code of all."""
        warm_up(self.plan)
        return Folds(self.data, self.plan)

    def __call__(self, task: tuple[str, int]) -> Attempt:
        key, number = task
        return evaluate_split(self.data, self.plan, self.plan.candidate(key), number, raise_if_stopped, self.folds)
