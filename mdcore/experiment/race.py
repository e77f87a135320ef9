"""Online learners on one stream: the state of each at the experiment's step, compared with the largest margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mdcore.basics.memo import LRUCache
from mdcore.experiment.experiment import Experiment
from mdcore.experiment.query import KernelKey
from mdcore.experiment.run import Run
from mdcore.margins.bounds import CountBound
from mdcore.methods import METHODS
from mdcore.methods.online.base import OnlineLearner, Update
from mdcore.methods.online.pumma import PUMMA
from mdcore.methods.online.trace import Trace
from mdcore.solvers.arrays import Array
from mdcore.solvers.largest_margin import Margin, largest_margin
from mdcore.spec import Method

CERTIFIED = 1e-6  # relative gap up to which a largest margin counts as known
MOST_WORK = 5e8  # rows times squared features above which the largest margin is not computed


@dataclass(frozen=True)
class Clock:
    """The time of the stream, the number of examples seen, which all learners share; `end` is when the last one ends.

    `previous` and `next` are the nearest steps at which some learner makes an update, or None.
    """

    step: int
    end: int
    previous: int | None
    next: int | None


@dataclass(frozen=True)
class Limit:
    """The largest margin in the learner's space, or None with the `reason` why it is not known."""

    margin: float | None
    gap: float | None
    reason: str


@dataclass(frozen=True, eq=False)
class Standing:
    """One learner at a step: figures of its model, its two latest updates, and the largest margin.

    `now` is true if the latest update was made for the example just seen. `share` is the share of the largest margin
    that the learner guarantees, or None. `bounded` is true if the learner has a bound on its updates; `bound` is its
    value for the largest margin, or None if that is unknown.
    """

    method: Method
    trace: Trace
    step: int
    updates: int
    mistakes: int
    margin: float
    p: float
    limit: Limit
    share: float | None
    bounded: bool
    bound: CountBound | None
    last: Update | None
    before: Update | None
    now: bool

    @property
    def ended(self) -> bool:
        return self.step >= self.trace.end


def standings(experiment: Experiment, runs: Mapping[str, Run]) -> list[Standing]:
    """Return the standings of the online learners among the runs."""
    return [_standing(experiment, run) for run in runs.values() if run.has_stream]


def clock(experiment: Experiment, learners: list[Standing]) -> Clock | None:
    """Return the clock of the learners, or None if there are none."""
    if not learners:
        return None
    end = max(learner.trace.end for learner in learners)
    step = int(min(experiment.step, end))
    before = [_update_before(learner.trace, step) for learner in learners]
    after = [_update_after(learner.trace, step) for learner in learners]
    return Clock(
        step,
        end,
        max((at for at in before if at is not None), default=None),
        min((at for at in after if at is not None), default=None),
    )


def largest(experiment: Experiment, method: str) -> Limit:
    """Return the largest margin that hyperplanes of a learner can have on the training rows; results are cached."""
    chosen = experiment.settings(method)
    p, soft, kernel = float(chosen.get("p", 2.0)), float(chosen.get("soft", 0.0)), _kernel(experiment, method)
    key = (experiment.data_key, kernel, experiment.kernel.bias, p, soft)
    return _LIMITS.get(key, lambda: _largest(experiment, kernel is not None, p, soft))


def limit_of(X: Array, signs: Array, p: float = 2.0, *, soft: float = 0.0, bias: bool = True) -> Limit:
    """Return the largest margin of a hyperplane on the rows, if it can be computed and certified."""
    if X.shape[0] * X.shape[1] ** 2 > MOST_WORK:
        return Limit(None, None, "not computed for this many rows and features")
    return _judged(largest_margin(X, signs, p, soft=soft, bias=bias))


def _standing(experiment: Experiment, run: Run) -> Standing:
    model, trace = run.model, experiment.trace(run.method.key, run.fit.budget)
    assert isinstance(model, OnlineLearner)
    step, number = int(min(experiment.step, trace.end)), model.n_updates_
    limit = largest(experiment, run.method.key)
    return Standing(
        method=run.method,
        trace=trace,
        step=step,
        updates=number,
        mistakes=model.n_mistakes_,
        margin=model.margin_,
        p=float(run.params.get("p", 2.0)),
        limit=limit,
        share=model.guaranteed_share,
        bounded=isinstance(model, PUMMA),
        bound=model.update_bound(limit.margin) if isinstance(model, PUMMA) and limit.margin is not None else None,
        last=trace.update(number) if number else None,
        before=trace.update(number - 1) if number > 1 else None,
        now=number > 0 and trace.step_of(number) == step,
    )


def _kernel(experiment: Experiment, method: str) -> KernelKey | None:
    """Return the kernel of a learner, or None if the learner is linear."""
    return experiment.kernel if METHODS[method].kernels and experiment.kernel.name != "linear" else None


def _largest(experiment: Experiment, kernel: bool, p: float, soft: float) -> Limit:
    if kernel and p != 2.0:
        return Limit(None, None, "with a kernel, only p = 2 is possible")
    prepared = experiment.prepare()
    X = experiment.space().plain.root if kernel else prepared.X_train
    signs = np.where(prepared.y_train == prepared.dataset.classes[1], 1.0, -1.0)
    return limit_of(np.asarray(X), signs, p, soft=soft, bias=experiment.kernel.bias)


def _judged(found: Margin) -> Limit:
    if found.inseparable:
        return Limit(None, None, "not separable at working precision: there is no largest margin")
    if not found.gap <= CERTIFIED:
        return Limit(None, None, "the largest margin could not be certified")
    return Limit(found.lower, found.gap, "")


def _update_before(trace: Trace, step: int) -> int | None:
    """Return the step of the latest update before `step`, or None."""
    if step == 0:
        return None
    number = trace.state(min(step, trace.end) - (step <= trace.end)).updates
    return trace.step_of(number) if number else None


def _update_after(trace: Trace, step: int) -> int | None:
    if step >= trace.end:
        return None
    number = trace.state(step).updates + 1
    return trace.step_of(number) if number <= trace.updates else None


_LIMITS: LRUCache[Limit] = LRUCache(capacity=256)
