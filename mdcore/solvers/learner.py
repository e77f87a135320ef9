"""What the online learners share: a hypothesis, counts, and passes over the examples."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.budget import over_budget
from mdcore.solvers.pnorm import dual_exponent
from mdcore.solvers.rows import Matrix, as_rows

Array = NDArray[np.float64]


class Learner:
    """The hypothesis f(x) = <w, x> + b of an online algorithm, and what it took to get there.

    `updates` counts the hypotheses made, `mistakes` the wrong predictions on the way, `contradictions` the examples
    that no hyperplane separates from those learned before. `settled` says that the last pass found nothing to learn,
    `touched` which examples of the last rows made an update, and `position` how many of them this pass has seen.
    """

    def __init__(self, d: int, p: float = 2.0) -> None:
        self.p = p
        self.w, self.b = np.zeros(d), 0.0
        self.updates = self.mistakes = self.contradictions = self.epochs = 0
        self.begin(0)

    def advance(self, rows: Any, y: Array, start: int, most: int) -> tuple[int, int, int, int]:
        """Go on at example `start` until `most` updates are made or the examples end.

        Where it stopped, and how many updates, mistakes and contradictions there were on the way.
        """
        raise NotImplementedError

    def view(self, X: Matrix) -> Any:
        """Return the rows as `advance` takes them."""
        return as_rows(X)

    def learn(self, X: Matrix, y: Array, *, epochs: int, most: int) -> Iterator[int]:
        """Passes until one finds nothing to learn; the latest example after every `most` updates and every pass.

        What lies between two values is one compiled loop, so a caller that wants to see each update (`most` = 1) and
        one that does not (`most` = number of examples) run the same steps.
        """
        rows = self.view(X)
        self.begin(len(y))
        last = self.epochs + epochs
        while self.epochs < last and not self.settled:
            if self.position == 0 and over_budget():
                return
            yield self.go(rows, y, len(y), most)

    def begin(self, m: int) -> None:
        """To the first of m examples."""
        self.touched = np.zeros(m, dtype=np.bool_)
        self.position, self.settled, self.before = 0, False, self.updates + self.contradictions

    def go(self, rows: Any, y: Array, until: int, most: int) -> int:
        """On in this pass until `until` of its examples are seen or `most` updates made; the latest example."""
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
        """Another one in the same state."""
        twin = copy(self)
        twin.__dict__ |= {name: value.copy() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return twin

    @property
    def nbytes(self) -> int:
        """Memory of the state."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def values(self, X: Matrix) -> Array:
        """f of the rows."""
        return np.asarray(X @ self.w + self.b)

    def length(self, w: Array) -> float:
        """||w||_q"""
        return float(np.linalg.norm(w, ord=dual_exponent(self.p)))
