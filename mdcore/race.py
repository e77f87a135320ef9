"""Online learners on one stream, beside the largest margin there is: where each stands at the experiment's step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.bounds import CountBound, update_bound
from mdcore.experiment import Experiment, Run
from mdcore.memo import Recent
from mdcore.methods.online import Update
from mdcore.methods.trace import Trace
from mdcore.solvers.largest_margin import Margin, largest_margin
from mdcore.solvers.pnorm import row_norms
from mdcore.spec import Method

Array = NDArray[np.float64]

CERTIFIED = 1e-6  # relative gap up to which a largest margin is called known
MOST_WORK = 5e8  # rows times squared features beyond which it is not computed


@dataclass(frozen=True)
class Clock:
    """The stream's time is the number of examples seen, the same for all learners; `end` is that of the last of them.

    `previous` and `next` are the nearest steps at which some learner makes an update; None where there is none.
    """

    step: int
    end: int
    previous: int | None
    next: int | None


@dataclass(frozen=True)
class Limit:
    """The largest margin of the learner's own space; `margin` is None where it is not known, and `reason` says why."""

    margin: float | None
    gap: float | None
    reason: str


@dataclass(frozen=True, eq=False)
class Standing:
    """One learner at the step: numbers of its model, its latest update and the one before, what it can reach.

    `now`: the latest update was made for the example just seen. `share` is the part of the largest margin that the
    learner promises, None where it promises none of this margin.
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
    bound: CountBound | None
    last: Update | None
    before: Update | None
    now: bool

    @property
    def ended(self) -> bool:
        return self.step >= self.trace.end


def standings(experiment: Experiment, runs: Mapping[str, Run]) -> list[Standing]:
    """Of the online learners among the runs."""
    return [_standing(experiment, run) for run in runs.values() if run.method.family == "online"]


def clock(experiment: Experiment, learners: list[Standing]) -> Clock | None:
    """None without an online learner."""
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
    """The largest margin that the learner's hyperplanes can have on the training rows."""
    chosen = experiment.settings(method)
    p, soft, kernel = float(chosen.get("p", 2.0)), float(chosen.get("soft", 0.0)), _kernel(experiment, method)
    key = (experiment.data, kernel, experiment.kernel.bias, p, soft)
    return _LIMITS.get(key, lambda: _largest(experiment, kernel is not None, p, soft))


def _standing(experiment: Experiment, run: Run) -> Standing:
    key, model, trace = run.method.key, run.model, experiment.trace(run.method.key)
    step = int(min(experiment.step, trace.end))
    limit, p = largest(experiment, key), float(run.params.get("p", 2.0))
    number = model.n_updates_
    return Standing(
        run.method,
        trace,
        step,
        number,
        model.n_mistakes_,
        model.margin_,
        p,
        limit,
        1.0 - run.params["delta"] if _promises(run, experiment) else None,
        _bound(experiment, run, limit, p),
        trace.update(number) if number else None,
        trace.update(number - 1) if number > 1 else None,
        number > 0 and trace.step_of(number) == step,
    )


def _promises(run: Run, experiment: Experiment) -> bool:
    """PUMMA's share is one of this margin; that of a learner with an extra feature only where there is no bias."""
    return "delta" in run.params and (run.method.key == "pumma" or not experiment.kernel.bias)


def _bound(experiment: Experiment, run: Run, limit: Limit, p: float) -> CountBound | None:
    """Theorem 2 for the hyperplane of largest margin: there it is smallest."""
    if run.method.key != "pumma" or limit.margin is None:
        return None
    if _kernel(experiment, "pumma") is None:
        R = float(row_norms(experiment.prepare().X_train, p).max())
        R = math.hypot(R, math.sqrt(run.params["soft"]))
    else:
        R = math.sqrt(float(np.diagonal(experiment.space().plain.gram).max()) + run.params["soft"])
    return update_bound(p=p, delta=run.params["delta"], R=R, margin=limit.margin)


def _kernel(experiment: Experiment, method: str) -> Any:
    """What the learner's margins depend on beside the rows; None where it is linear."""
    return experiment.kernel if method == "pumma" and experiment.kernel.name != "linear" else None


def _largest(experiment: Experiment, kernel: bool, p: float, soft: float) -> Limit:
    if kernel and p != 2.0:
        return Limit(None, None, "kernels are for p = 2")
    prepared = experiment.prepare()
    X = experiment.space().plain.root if kernel else prepared.X_train
    if X.shape[0] * X.shape[1] ** 2 > MOST_WORK:
        return Limit(None, None, "too many features to compute it here")
    signs = np.where(prepared.y_train == prepared.dataset.classes[1], 1.0, -1.0)
    found = largest_margin(np.asarray(X), signs, p, soft=soft, bias=experiment.kernel.bias)
    return _judged(found)


def _judged(found: Margin) -> Limit:
    if found.lower <= 0.0:
        return Limit(None, None, "not separable: there is no largest margin")
    if found.gap > CERTIFIED:
        return Limit(None, found.gap, "could not be certified")
    return Limit(found.lower, found.gap, "")


def _update_before(trace: Trace, step: int) -> int | None:
    """The latest update of an earlier time."""
    if step == 0:
        return None
    number = trace.state(min(step, trace.end) - (step <= trace.end)).updates
    return trace.step_of(number) if number else None


def _update_after(trace: Trace, step: int) -> int | None:
    if step >= trace.end:
        return None
    number = trace.state(step).updates + 1
    return trace.step_of(number) if number <= trace.updates else None


_LIMITS: Recent[Limit] = Recent(room=256)
