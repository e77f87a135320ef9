"""The run of an online learner, with random access to its state after any number of examples."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.learner import Learner

if TYPE_CHECKING:
    from mdcore.methods.online.base import OnlineLearner, Update


GROWTH = 1.01  # ratio between the steps of successive moments, once they are more than one example apart
STATES = 32 * 2**20  # approximate bytes of the states kept
APART = 16  # moments between two states kept; the steps between are computed again in less than a copy takes


@dataclass(frozen=True)
class Moment:
    """The state of a learner after `step` examples. `margin` is the smallest geometric margin of all rows."""

    step: int
    updates: int
    mistakes: int
    margin: float


class Trace:
    """A run of `fit`, example by example, on a stream of `end` examples that repeats the rows pass after pass.

    `moments` sample the run: at each of the first examples, then at growing distances, and at the end. The learner's
    state is kept at some of them; states in between are computed again from the last one kept, by the same steps.
    `cut` is True if the time budget ended the run early.
    """

    def __init__(self, model: OnlineLearner, learner: Learner, features: Any, signs: Array, epochs: int) -> None:
        self._model, self._features, self._signs = model, features, signs
        self._rows = learner.view(features)
        learner.begin(len(signs))
        limit = epochs * len(signs)
        most = (1.0 + math.log(limit)) / math.log(GROWTH)  # moments: those of the first examples, then by growth
        every = max(APART, math.ceil(learner.nbytes * most / STATES))
        self._kept = [learner.copy()]
        moments: list[Moment] = []
        for number, step in enumerate(_snapshot_steps(limit)):
            self._advance(learner, step)
            same = moments[-1].margin if moments and moments[-1].updates == learner.updates else None
            moments.append(self._moment(learner, same))
            if number % every == 0 or learner.settled:
                self._kept.append(learner.copy())
            if learner.settled or (number % APART == 1 and over_budget()):  # the first step may compile code
                break
        self._kept.append(learner)
        self.moments = tuple(moments)
        self.end, self.settled = self._step(learner), learner.settled
        self.cut = not self.settled and self.end < limit

    @property
    def nbytes(self) -> int:
        return sum(learner.nbytes for learner in self._kept)

    @property
    def updates(self) -> int:
        """Number of updates in the whole run."""
        return self._kept[-1].updates

    def state(self, step: int) -> Learner:
        """Return the learner after `step` examples of the stream, or after `end` if that is less."""
        step = min(step, self.end)
        learner = self._kept[bisect_right(self._kept, step, key=self._step) - 1].copy()
        self._advance(learner, step)
        return learner

    def step_of(self, update: int) -> int:
        """Return the number of examples after which update number `update` had been made."""
        if not 0 <= update <= self.updates:
            raise ValueError(f"the run has {self.updates} updates; got {update}.")
        at = bisect_left(self._kept, update, key=lambda learner: learner.updates)
        if self._kept[at].updates == update and (at == 0 or update == 0):
            return self._step(self._kept[at])
        learner = self._kept[at - 1].copy()
        while learner.updates < update:
            learner.go(self._rows, self._signs, len(self._signs), update - learner.updates)
        return self._step(learner)

    def update(self, number: int) -> Update:
        """Return the record of update `number`, as `OnlineLearner.updates` yields it."""
        step = self.step_of(number)
        learner = self.state(step)
        return self._model._record(learner, self.row_at(step), self._moment(learner).margin)

    def row_at(self, step: int) -> int:
        """Return the row that is example number `step` of the stream, counted from one."""
        return (step - 1) % len(self._signs)

    def model(self, step: float) -> OnlineLearner:
        """Return the estimator after `step` examples; from `end` on that is the result of `fit`, with its warning."""
        model, learner = copy(self._model), self.state(int(min(step, self.end)))
        if step >= self.end:
            return model._set_fitted(model._end(learner, self._features, self._signs))
        return model._set_fitted(model._state(learner, self._features, self._signs))

    def _moment(self, learner: Learner, margin: float | None = None) -> Moment:
        if margin is None:
            margin = self._model._margin(learner, self._features, self._signs)
        return Moment(self._step(learner), learner.updates, learner.mistakes, margin)

    def _step(self, learner: Learner) -> int:
        return learner.epochs * len(self._signs) + learner.position

    def _advance(self, learner: Learner, step: int) -> None:
        m = len(self._signs)
        while not learner.settled and (left := step - self._step(learner)) > 0:
            learner.go(self._rows, self._signs, min(m, learner.position + left), m)


def _snapshot_steps(limit: int) -> Iterator[int]:
    step = 0
    while step < limit:
        yield step
        step = max(step + 1, int(step * GROWTH))
    yield limit
