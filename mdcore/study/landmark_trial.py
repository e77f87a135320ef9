"""A trial of what landmarks lose: least squares machines on some training rows, exactly and in landmarks.

The machines are those of LSSVM, one for each class. A single factorisation serves all classes, so that a trial takes a
moment. They are scored on other training rows.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mdcore.basics.threads import libraries
from mdcore.data.splitting import stratified
from mdcore.spaces.costs import Pace
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.study.data import Data
from mdcore.study.fitting import kernel_of
from mdcore.study.plan import Candidate, Plan
from mdcore.study.prepared_rows import PreparedRows, prepare_rows
from mdcore.study.scores import score_of
from mdcore.study.splits import inner

Array = NDArray[np.float64]

MOST_ROWS, FOLDS = 4500, 3  # the trial takes at most so many rows, and scores one fold of them
PRICES = (1.0, 10.0)  # the better C counts on each side, as a narrower span also regularises


class Trial:
    """The trial of one kernel; `losses` are the losses measured so far, by number of landmarks."""

    def __init__(self, prepared: PreparedRows, kernel: Kernel, criterion: str, balanced: bool) -> None:
        self.prepared, self.kernel = prepared, kernel
        self.losses: dict[int, float] = {}
        self._criterion = criterion
        self._classes, codes, counts = np.unique(prepared.y_fit, return_inverse=True, return_counts=True)
        self._targets = np.where(codes[:, None] == np.arange(len(self._classes)), 1.0, -1.0)
        self._weights = (len(codes) / (len(counts) * counts))[codes] if balanced else np.ones(len(codes))

    @property
    def rows(self) -> int:
        return len(self.prepared.y_fit)

    def seconds(self, landmarks: int, pace: Pace) -> float:
        """Return the estimated seconds of `loss`."""
        m, n = self.rows, landmarks
        value = pace.value + self.prepared.X_fit.shape[1] * pace.column
        spanned = 1.5 * m * n * value + (1 + len(PRICES)) * n**2 * (m + n) * pace.product
        exact = 1.5 * m**2 * value + len(PRICES) * m**3 / 3.0 * pace.product
        return spanned + (0.0 if "_exact" in self.__dict__ else exact)

    def loss(self, landmarks: int) -> float:
        """Return the score of the exact machine less the score in landmarks."""
        if landmarks not in self.losses:
            with libraries().limit(limits=1):
                self.losses[landmarks] = self._exact - self._spanned(landmarks)
        return self.losses[landmarks]

    @cached_property
    def _exact(self) -> float:
        gram = self.kernel.gram(self.prepared.X_fit)
        cross = self.kernel(self.prepared.X_new, self.prepared.X_fit)
        return max(
            self._score(cross @ _solved(gram + np.diag(1.0 / (C * self._weights)), self._targets)) for C in PRICES
        )

    def _spanned(self, landmarks: int) -> float:
        space = LandmarkSpace(self.prepared.X_fit, self.kernel, min(landmarks, self.rows))
        Z = space.features(self.kernel.bias).Z.astype(np.float64)
        new = space.project(space.raw(self.prepared.X_new, space.span))
        if self.kernel.bias:
            new = np.column_stack([new, np.ones(len(new))])
        weighted = Z * self._weights[:, None]
        square, pull, one = weighted.T @ Z, weighted.T @ self._targets, np.eye(Z.shape[1])
        return max(self._score(new @ _solved(square + one / C, pull)) for C in PRICES)

    def _score(self, scores: Array) -> float:
        f = scores if scores.shape[1] > 2 else scores[:, 1]
        return score_of(self._criterion, self.prepared.y_new, f, self._classes, 0)


def _solved(matrix: Array, targets: Array) -> Array:
    return np.asarray(cho_solve(cho_factor(matrix, lower=True, overwrite_a=True), targets))


def trial_of(data: Data, plan: Plan) -> Trial | None:
    """Return the trial of a plan's first split, in the kernel whose γ is nearest to the plan's own; None if a class has
    too few rows."""
    train, _ = plan.split(data.y, 0, data.along)
    rows = train[stratified(data.y[train], min(len(train), MOST_ROWS), plan.seed)]
    y = data.y[rows]
    if np.unique(y, return_counts=True)[1].min() < FOLDS:
        return None
    try:
        fit, held_out = next(inner(plan.scheme, y, data.along_of(rows), FOLDS, plan.seed))
    except ValueError:  # groups or times leave no fold with every class
        return None
    machine = Candidate.fixed("lssvm")
    prepared = prepare_rows(data, plan, machine, rows[fit], rows[held_out])
    width = min(plan.widths_for(machine.method), key=lambda factor: abs(np.log(factor)))
    return Trial(prepared, kernel_of(plan, prepared.X_fit, width), plan.criterion, plan.balanced)
