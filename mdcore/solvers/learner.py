"""The base class of the online learners: a hypothesis, counters, and passes over the examples."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self, TypeAlias

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import over_budget
from mdcore.solvers.pnorm import dual_exponent
from mdcore.solvers.rows import Matrix, as_rows

Progress: TypeAlias = tuple[int, int, int, int]  # position reached, and numbers of updates, mistakes, contradictions


class Learner:
    """The hypothesis f(x) = <w, x> + b of an online algorithm, with the counters of its training.

    `updates` counts the changes of the hypothesis, `mistakes` the wrong predictions during training, `contradictions`
    the examples that no hyperplane separates from the examples learned before. `settled` is true once a pass has had no
    update and no contradiction, `touched` marks the examples of the current rows that caused an update, and `position`
    is the number of examples seen in the current pass.
    """

    def __init__(self, d: int, p: float = 2.0) -> None:
        self.p = p
        self.w, self.b = np.zeros(d), 0.0
        self.updates = self.mistakes = self.contradictions = self.epochs = 0
        self.begin(0)

    def advance(self, rows: Any, y: Array, start: int, most: int) -> Progress:
        """Continue at example `start` until `most` updates are made or the examples end.

        Return the position reached, and the numbers of updates, mistakes and contradictions on the way.
        """
        raise NotImplementedError

    def view(self, X: Matrix) -> Any:
        """Return the rows in the form that `advance` expects."""
        return as_rows(X)

    def learn(self, X: Matrix, y: Array, *, epochs: int, most: int) -> Iterator[int]:
        """Run up to `epochs` passes, ending once a pass finds nothing to learn.

        Yield the index of the latest example after every `most` updates and after every pass. Between two values runs a
        single compiled loop, so that a caller that wants each update (`most` = 1) and one that does not (`most` =
        number of examples) execute the same steps.
        """
        rows = self.view(X)
        self.begin(len(y))
        last = self.epochs + epochs
        while self.epochs < last and not self.settled:
            if self.position == 0 and over_budget():
                return
            yield self.go(rows, y, len(y), most)

    def begin(self, m: int) -> None:
        """Prepare for the first pass over m examples."""
        self.touched = np.zeros(m, dtype=np.bool_)
        self.position, self.settled, self.before = 0, False, self.updates + self.contradictions

    def go(self, rows: Any, y: Array, until: int, most: int) -> int:
        """Continue this pass until `until` of its examples are seen or `most` updates are made.

        Return the index of the latest example.
        """
        self.position, updates, mistakes, contradictions = self.advance(rows, y[:until], self.position, most)
        self.updates += updates
        self.mistakes += mistakes
        self.contradictions += contradictions
        latest = self.position - 1
        if self.position == len(y):
            changes = self.updates + self.contradictions
            self.epochs, self.position = self.epochs + 1, 0
            self.settled, self.before = changes == self.before, changes
        return latest

    def copy(self) -> Self:
        """Return an independent copy in the same state."""
        twin = copy(self)
        twin.__dict__ |= {name: value.copy() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return twin

    @property
    def nbytes(self) -> int:
        """Memory of the state, in bytes."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def values(self, X: Matrix) -> Array:
        """Return f(x) for every row x."""
        return np.asarray(X @ self.w + self.b)

    def length(self, w: Array) -> float:
        """Return ||w||_q."""
        return float(np.linalg.norm(w, ord=dual_exponent(self.p)))
