"""What the online learners share: a hypothesis, counts, and passes over the examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
    and `touched` which examples of the last rows made an update.
    """

    def __init__(self, d: int, p: float = 2.0) -> None:
        self.p = p
        self.w, self.b = np.zeros(d), 0.0
        self.updates = self.mistakes = self.contradictions = self.epochs = 0
        self.settled = False
        self.touched = np.zeros(0, dtype=np.bool_)

    def advance(self, rows: Any, y: Array, start: int, most: int) -> int:
        """Go on at example `start` until `most` updates are made or the examples end; where it stopped."""
        raise NotImplementedError

    def view(self, X: Matrix) -> Any:
        """The rows as `advance` takes them."""
        return as_rows(X)

    def learn(self, X: Matrix, y: Array, *, epochs: int, most: int) -> Iterator[int]:
        """Passes until one finds nothing to learn; the latest example after every `most` updates and every pass.

        What lies between two values is one compiled loop, so a caller that wants to see each update (`most` = 1) and
        one that does not (`most` = number of examples) run the same steps.
        """
        rows = self.view(X)
        self.touched = np.zeros(len(y), dtype=np.bool_)
        for _ in range(epochs):
            before, position = self.updates + self.contradictions, 0
            while position < len(y):
                position = self.advance(rows, y, position, most)
                if position == len(y):
                    self.epochs += 1
                    self.settled = self.updates + self.contradictions == before
                yield position - 1
            if self.settled or over_budget():
                return

    def values(self, X: Matrix) -> Array:
        """f of the rows."""
        return np.asarray(X @ self.w + self.b)

    def length(self, w: Array) -> float:
        """||w||_q"""
        return float(np.linalg.norm(w, ord=dual_exponent(self.p)))
